/** Roles that may see, run and change the sources of lists. */
import type { RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  /** Roles that answer for the lists, run them, or check them. */
  read: ['compliance_officer', 'compliance_director', 'dsi_admin', 'auditor', 'admin'],
  /** Either signer of a change of a source may be the one who sends it. */
  change: ['compliance_officer', 'compliance_director', 'dsi_admin', 'auditor'],
  run: ['dsi_admin'],
  /** The schedule as a whole, and a refresh by force (interface.md 4.8, 4.9). */
  administer: ['admin'],
} as const satisfies RoleSets;
