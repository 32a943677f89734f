/** Events that forms send: ids and versions, no values. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus. */
export const events = {
  'form.published': { partition: 'tenant', says: 'A version of a form has become the active one.' },
  'form.submission.received': {
    partition: 'tenant',
    says: 'A customer’s form was received whole: its ids, no values.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
