/** Who works on tax reporting. */
import type { RoleSets } from '#core/identity';

const WORK = [
  'agent_l1',
  'agent_l2',
  'compliance_officer',
  'compliance_director',
  'admin',
] as const;

/** The sets of roles that this slice's operations name. */
export const roles = {
  classify: WORK,
  cure: ['agent_l2', 'compliance_officer'],
  accounts: ['agent_l2', 'compliance_officer'],
  cancel: ['compliance_officer', 'compliance_director', 'admin'],
  /** What leaves the house, and what comes back. */
  file: ['compliance_officer', 'compliance_director', 'admin'],
  declare: ['agent_l2', 'compliance_officer', 'compliance_director', 'admin'],
  institutions: ['admin', 'compliance_director'],
  read: [...WORK, 'auditor'],
  /** Names, tax numbers and balances of everybody in a book. */
  readAccounts: ['agent_l2', 'compliance_officer', 'auditor'],
  /** The same, as the authority has it. */
  readXml: ['compliance_officer', 'compliance_director', 'auditor'],
} as const satisfies RoleSets;
