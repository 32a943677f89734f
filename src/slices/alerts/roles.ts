/** Who may see alerts, work on them, and stand above those who do. */
import type { RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  read: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'auditor',
    'admin',
  ],
  work: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer', 'compliance_director'],
  /** Assign to others, confirm what others propose, say that a match is one. */
  supervise: ['agent_l2', 'mlro', 'compliance_officer', 'compliance_director'],
  reopen: ['mlro'],
} as const satisfies RoleSets;
