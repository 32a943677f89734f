/** Who writes, signs and reads forms. */
import type { RolePair, RoleSets } from '#core/identity';

/** The two signers of a version. */
export const FORM_ROLE_PAIR: RolePair = {
  first: ['compliance_officer', 'compliance_director'],
  second: ['admin', 'dsi_admin'],
};

/** The sets of roles that this slice's operations name. */
export const roles = {
  change: ['admin', 'compliance_officer'],
  publish: ['compliance_officer', 'compliance_director', 'admin', 'dsi_admin'],
  read: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'dsi_admin',
    'auditor',
    'admin',
    'developer',
  ],
  /** Who works on cases. */
  submit: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'developer',
  ],
  submissions: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'auditor',
  ],
} as const satisfies RoleSets;
