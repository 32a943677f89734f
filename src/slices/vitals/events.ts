/** Events that vitals send. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus. */
export const events = {
  'operations.alert.closed': {
    partition: 'installation',
    says: 'What was wrong with the installation is over.',
  },
  'operations.alert.opened': {
    partition: 'installation',
    says: 'Something is wrong with the installation: its code, and what it is about.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
