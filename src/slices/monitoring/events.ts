/** Events that the slice sends. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus. */
export const events = {
  'aml.transactions.recorded': {
    partition: 'tenant',
    says: 'Transactions were taken into the log: the ingest and the numbers, and no content.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
