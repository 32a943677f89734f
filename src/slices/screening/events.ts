/** Events that screening sends. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'sanctions.screening.completed': {
    partition: 'tenant',
    says: 'A screening was answered: its verdict and the ids of its hits.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
