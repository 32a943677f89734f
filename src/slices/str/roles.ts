/**
 * Who works on reports. Which reports one sees is decided report by report (visibility.ts): a role
 * that is named here opens the operation, and no report.
 */
import type { Role, RoleSets } from '#core/identity';

/** The sets of roles that this slice's operations name. */
export const roles = {
  draft: ['agent_l1', 'agent_l2', 'compliance_officer', 'mlro'],
  read: [
    'agent_l1',
    'agent_l2',
    'compliance_officer',
    'mlro',
    'data_protection_officer',
    'auditor',
    'admin',
  ],
  validate: ['data_protection_officer'],
  file: ['compliance_officer'],
  package: ['compliance_officer', 'admin', 'auditor'],
  profiles: ['agent_l1', 'agent_l2', 'compliance_officer', 'mlro', 'auditor', 'admin'],
} as const satisfies RoleSets;

/** Those for whom a report that was filed exists (interface.md, 4.2). */
export const FILED_ROLES: readonly Role[] = ['compliance_officer', 'admin', 'auditor'];
