/** Events of requests about personal data: ids and dates, for the people who answer them. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'privacy.request.changed': {
    partition: 'tenant',
    says: 'A request about personal data came in, or has another state or deadline.',
  },
  'privacy.erasure.approved': {
    partition: 'tenant',
    says: 'An erasure was approved; `retained_until` where a duty keeps a part under a pseudonym.',
  },
  'privacy.request.reminder': {
    partition: 'tenant',
    says: 'A request about personal data is due in some days, today, or is overdue.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
