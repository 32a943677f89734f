/** Who decides that a subject is not a listed party, and who sees it. */
import type { RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  read: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer', 'compliance_director', 'auditor'],
  decide: ['agent_l2', 'mlro', 'compliance_officer', 'compliance_director'],
} as const satisfies RoleSets;
