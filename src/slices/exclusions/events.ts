/** Events that exclusions send. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'sanctions.exclusion.ended': {
    partition: 'tenant',
    says: 'An exclusion holds no more: expired, revoked, or the listed party has changed.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
