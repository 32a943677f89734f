/** Audit actions of the resolution of lists. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  SANCTIONS_LISTS_RESOLVED: {
    severity: 'INFO',
    says: 'Which entries of the lists in force are one was worked out.',
  },
  SANCTIONS_ENTRIES_SEPARATED: {
    severity: 'NOTICE',
    says: 'A person said that two entries are not one.',
  },
  SANCTIONS_ENTRIES_REJOINED: {
    severity: 'NOTICE',
    says: 'A person took back that two entries are not one.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
