/** Who drafts risk policies, who evaluates clients, and who reads both. */
import type { RolePair, RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  draft: ['compliance_officer', 'compliance_director'],
  approve: ['compliance_director', 'dsi_admin'],
  /** Who gives a client a level; what lowers is signed by another one of them. */
  override: ['mlro', 'compliance_officer', 'compliance_director'],
  publish: ['admin'],
  /** For whom reports to the authority exist. */
  reported: ['mlro', 'compliance_officer', 'compliance_director'],
  read: ['mlro', 'compliance_officer', 'compliance_director', 'dsi_admin', 'auditor', 'admin'],
  /** As those who work on cases. */
  evaluate: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'developer',
  ],
  readClients: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'developer',
    'auditor',
  ],
  distribution: ['mlro', 'compliance_officer', 'compliance_director', 'auditor', 'admin'],
  replay: ['agent_l2', 'mlro', 'auditor'],
} as const satisfies RoleSets;

/** The two who lower the level of a client: either of them may begin. */
export const OVERRIDE_ROLE_PAIR: RolePair = { first: roles.override, second: roles.override };
