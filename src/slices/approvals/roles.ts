/** Who may ask for changes under dual control, see what was asked, and decide it. */
import type { RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  /** Roles of signers. Which of them a change needs is said by its own pair of roles. */
  take: ['mlro', 'compliance_officer', 'compliance_director', 'dsi_admin', 'auditor', 'admin'],
} as const satisfies RoleSets;
