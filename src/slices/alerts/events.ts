/** Events that alerts send. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'aml.alert.created': {
    partition: 'tenant',
    says: 'An alert was raised: its ids, severity and source, and no name.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
