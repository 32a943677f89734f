/** Events that sanctions send. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus. */
export const events = {
  'sanctions.chain.acknowledged': {
    partition: 'tenant',
    says: 'Two persons acknowledged a broken event of a chain: its seq and the alert about it.',
  },
  'sanctions.chain.broken': {
    partition: 'tenant',
    says: 'An event of a chain is not what was signed: its seq and the alert about it.',
  },
  'sanctions.replay.different': {
    partition: 'tenant',
    says: 'A screening that was repeated has another result than its event.',
  },
  'sanctions.replay.settled': {
    partition: 'tenant',
    says: 'A screening that was repeated with another result is identical again.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
