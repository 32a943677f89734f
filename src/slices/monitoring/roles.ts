/** Who may send transactions, and who may see them. */
import type { RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  /** Systems that book payments, and those who answer for the monitoring. */
  ingest: ['developer', 'compliance_officer'],
  facts: ['developer', 'compliance_officer'],
  rates: ['compliance_officer', 'developer'],
  read: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer', 'compliance_director', 'auditor'],
  /** What those who send see again: how far a file is, and the rates in force. */
  follow: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'auditor',
    'developer',
  ],
} as const satisfies RoleSets;
