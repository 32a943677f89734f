/** Events that ingestion sends. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'service.sanctions.lists.updated': {
    partition: 'source',
    says: 'A run put a new version of a list in force.',
  },
  'sanctions.list.reindexed': {
    partition: 'source',
    says: 'An index of a list was built, with a new version or anew.',
  },
  'service.sanctions.schedule.updated': {
    partition: 'source',
    says: 'The schedule of a source was changed, or it was disabled.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
