/** Who works on cases (customers.md 2.4). */
import type { Role, RoleSets } from '#core/identity';
import type { RiskTier } from './words.ts';

/** The sets of roles that this slice's operations name. */
export const roles = {
  work: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer', 'compliance_director', 'developer'],
  read: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'developer',
    'auditor',
    'admin',
  ],
  documents: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'auditor',
  ],
  decide: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer'],
  confirm: ['agent_l2', 'mlro', 'compliance_officer'],
  assign: ['agent_l2', 'mlro', 'compliance_officer', 'compliance_director'],
  biometrics: ['developer'],
  workflows: ['admin'],
} as const satisfies RoleSets;

/** For whom the record has no `subject`. */
export const WITHOUT_SUBJECT: Role = 'admin';

/** Who decides a case of a tier. A case without one counts as standard. */
export const DECIDERS: Readonly<Record<RiskTier, readonly Role[]>> = {
  low: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer'],
  standard: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer'],
  high: ['agent_l2', 'mlro', 'compliance_officer'],
  very_high: ['mlro', 'compliance_officer'],
};

/** Who reopens a case. */
export const REOPENERS: readonly Role[] = ['agent_l2', 'mlro', 'compliance_officer'];
