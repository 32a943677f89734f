/** Who may see rules, who changes and signs them, and who suppresses. */
import type { RolePair, RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  read: ['compliance_officer', 'compliance_director', 'agent_l2', 'mlro', 'dsi_admin', 'auditor'],
  /** Among those who see rules: who may also see transactions. */
  readPayments: ['compliance_officer', 'compliance_director', 'agent_l2', 'mlro', 'auditor'],
  change: ['compliance_officer', 'compliance_director'],
  publish: ['compliance_officer', 'compliance_director', 'dsi_admin'],
  suppress: ['agent_l2', 'mlro', 'compliance_officer', 'compliance_director'],
} as const satisfies RoleSets;

/** A rule is signed by one of compliance and one of DSI. */
export const RULE_ROLE_PAIR: RolePair = {
  first: ['compliance_officer', 'compliance_director'],
  second: ['dsi_admin'],
};
