/** Events that policies send. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'sanctions.policy.updated': {
    partition: 'tenant',
    says: 'Another policy is in force: its version and the ids of who signed it.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
