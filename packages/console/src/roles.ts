/**
 * Roles that see a part of the console: those of the operation that it asks, which a test holds
 * them to. The operations' own modules lead to all of the service, so they cannot be loaded here.
 */
export const MAY = {
  approve: ['mlro', 'compliance_officer', 'compliance_director', 'dsi_admin', 'auditor', 'admin'],
  evidence: ['agent_l2', 'mlro', 'compliance_officer', 'compliance_director', 'auditor', 'admin'],
  exclude: ['agent_l2', 'mlro', 'compliance_officer', 'compliance_director'],
  readExclusions: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'auditor',
  ],
  readAlerts: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'auditor',
    'admin',
  ],
  readBatches: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'admin',
    'developer',
    'auditor',
  ],
  readLists: [
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
  readScreenings: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'auditor',
    'admin',
  ],
  replay: ['agent_l2', 'mlro', 'auditor'],
  screen: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'admin',
    'developer',
  ],
  workOnAlerts: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer', 'compliance_director'],

  // Cases
  assignCases: ['agent_l2', 'mlro', 'compliance_officer', 'compliance_director'],
  confirmCases: ['agent_l2', 'mlro', 'compliance_officer'],
  decideCases: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer'],
  readCases: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'developer',
    'auditor',
    'admin',
  ],
  seeDocuments: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'auditor',
  ],
  workOnCases: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'developer',
  ],

  // Transactions and rules
  changeRules: ['compliance_officer', 'compliance_director'],
  publishRules: ['compliance_officer', 'compliance_director', 'dsi_admin'],
  readRules: [
    'compliance_officer',
    'compliance_director',
    'agent_l2',
    'mlro',
    'dsi_admin',
    'auditor',
  ],
  readTransactions: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'auditor',
  ],
  sendTransactions: ['developer', 'compliance_officer'],

  // Reports to the authority: which of them exist for a person is decided one by one, by the API.
  draftReports: ['agent_l1', 'agent_l2', 'compliance_officer', 'mlro'],
  fileReports: ['compliance_officer'],
  readReports: [
    'agent_l1',
    'agent_l2',
    'compliance_officer',
    'mlro',
    'data_protection_officer',
    'auditor',
    'admin',
  ],
  validateReports: ['data_protection_officer'],
} as const;

/** Who decides a case of a tier, and who looks at a decided one again. */
export const DECIDES_TIER = {
  high: ['agent_l2', 'mlro', 'compliance_officer'],
  low: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer'],
  standard: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer'],
  very_high: ['mlro', 'compliance_officer'],
} as const;
export const REOPENS = ['agent_l2', 'mlro', 'compliance_officer'] as const;
