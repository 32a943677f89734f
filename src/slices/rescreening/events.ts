/** Events that re-screening sends. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'sanctions.monitoring.changed': {
    partition: 'tenant',
    says: 'Customers were added to those that are watched, or changed; they are screened at once.',
  },
  'sanctions.rescreening.completed': {
    partition: 'tenant',
    says: 'All watched customers were compared with a version of the lists: counts, and no name.',
  },
  'sanctions.rescreening.different': {
    partition: 'tenant',
    says: 'A full pass has found what the passes before it should have found: how much.',
  },
  'sanctions.rescreening.late': {
    partition: 'tenant',
    says: 'Customers are not compared for hours with versions of lists that are in force.',
  },
  'sanctions.rescreening.delisted': {
    partition: 'tenant',
    says: 'A listed party that a customer was a hit of is on the list no more, or another one.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
