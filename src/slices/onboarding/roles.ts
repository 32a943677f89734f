/** Who makes onboarding links: who works on cases. */
import type { RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  open: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer', 'compliance_director', 'developer'],
  /** A customer has no role: the token of the link says what it may. */
  link: [],
} as const satisfies RoleSets;
