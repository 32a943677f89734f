/** Events that re-screening sends. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'sanctions.rescreening.completed': {
    partition: 'tenant',
    says: 'All watched customers were compared with a version of the lists: counts, and no name.',
  },
  'sanctions.rescreening.delisted': {
    partition: 'tenant',
    says: 'A listed party that a customer was a hit of is on the list no more, or another one.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
