/** Events that the slice sends. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus. */
export const events = {
  'aml.transactions.recorded': {
    partition: 'tenant',
    says: 'Transactions were taken into the log: the ingest and the numbers, and no content.',
  },
  'aml.transactions.file_ended': {
    partition: 'tenant',
    says: 'A file of transactions was taken, or has failed: the ingest and its figures.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
