/** Who looks companies up. */
import type { RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  lookUp: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'developer',
  ],
} as const satisfies RoleSets;
