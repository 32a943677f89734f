/** Who has customers watched, and who sees how far they are compared. */
import type { RoleSets } from '#core/identity';
import { screeningRoles } from '#slices/screening';

/** The sets of roles that this slice's operations name. */
export const roles = {
  write: screeningRoles.monitor,
  read: ['agent_l2', 'mlro', 'compliance_officer', 'compliance_director', 'auditor', 'developer'],
} as const satisfies RoleSets;
