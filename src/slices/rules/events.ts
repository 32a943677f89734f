/** Events that rules send. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus. */
export const events = {
  'aml.rules.evaluated': {
    partition: 'tenant',
    says: 'A part of the log was evaluated: its numbers, and how many alerts came of it.',
  },
  'aml.rules.published': {
    partition: 'tenant',
    says: 'Another version of a rule is in force: rule, version and content hash.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
