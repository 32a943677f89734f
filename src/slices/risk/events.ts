/** Events that risk sends: ids and levels, no facts (decisions 7.6). */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'risk.evaluation.published': {
    partition: 'tenant',
    says: 'A client was evaluated for the first time, on request, or to another level.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
