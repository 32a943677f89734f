/** What entries say of transactions. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'aml.transactions.recorded': {
    says: 'A segment of transactions was taken: their numbers, and the Merkle root over them.',
  },
  'aml.transactions.known': {
    says: 'A body of transactions was sent of which nothing was new.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
