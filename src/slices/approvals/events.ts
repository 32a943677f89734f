/** What approvals tells others. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'approvals.requested': {
    partition: 'tenant',
    says: 'A person asked for a change that another one has to sign.',
  },
  'approvals.decided': {
    partition: 'tenant',
    says: 'A request has ended: applied, rejected, withdrawn, expired or stale.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
