/** Who takes requests in, who decides them, and who reads them. */
import type { RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  ask: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer', 'compliance_director'],
  /** Corrections of who a subject is: the second person. */
  decideChange: ['agent_l2', 'mlro', 'compliance_officer', 'compliance_director'],
  decide: ['compliance_officer', 'compliance_director', 'admin'],
  /** A legal hold: who asks for it, or that it be lifted. */
  hold: ['compliance_director'],
  /** Who confirms that, and who reads it. */
  confirmHold: ['compliance_director', 'compliance_officer'],
  /** Each with a second one of them. */
  openVault: ['compliance_officer', 'compliance_director', 'data_protection_officer'],
  read: ['compliance_officer', 'compliance_director', 'admin', 'auditor'],
} as const satisfies RoleSets;
