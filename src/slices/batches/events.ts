/** Events that batches send. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'sanctions.batch.progress': {
    partition: 'tenant',
    says: 'A chunk of a batch was screened: how many of its subjects are done.',
  },
  'aml.batch.monitored': {
    partition: 'tenant',
    says: 'A batch has ended well whose subjects are to be watched from then on: its id.',
  },
  'aml.batch.completed': {
    partition: 'tenant',
    says: 'A batch has ended well: its figures, and where its reports are.',
  },
  'aml.batch.failed': {
    partition: 'tenant',
    says: 'A batch could not be done: why, as a code.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
