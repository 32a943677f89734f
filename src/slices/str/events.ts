/** Events that reports send: ids and states. Who is told of them is decided by webhooks. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.2). */
export const events = {
  'aml.str.submitted': {
    partition: 'tenant',
    says: 'A report was submitted: its id, its state, when.',
  },
  'aml.str.acknowledged': {
    partition: 'tenant',
    says: 'The authority has acknowledged a report: its id, its state, when.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
