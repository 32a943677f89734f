/** What entries say of transactions. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'aml.customer_facts.recorded': {
    says: 'Facts of customers were recorded: their numbers, and the Merkle root over them.',
  },
  'aml.rates.published': {
    says: 'A version of exchange rates was published: its number and the digest of its content.',
  },
  'aml.transactions.recorded': {
    says: 'A segment of transactions was taken: their numbers, and the Merkle root over them.',
  },
  'aml.transactions.advised': {
    says: 'A caller who waited was told what is advised of the transactions that it sent.',
  },
  'aml.transactions.file_ended': {
    says: 'A file of transactions was taken, or has failed: how many of its rows became what.',
  },
  'aml.transactions.file_known': {
    says: 'A file of transactions was sent that has an ingest already.',
  },
  'aml.transactions.file_received': {
    says: 'A file of transactions was received: its length and digest.',
  },
  'aml.transactions.known': {
    says: 'A body of transactions was sent of which nothing was new.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
