/** Events that cases send: ids and states, no values (decisions 7.6). */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus. */
export const events = {
  'kyc.case.created': { partition: 'tenant', says: 'A case was opened: its ids and its workflow.' },
  'kyc.case.decided': {
    partition: 'tenant',
    says: 'A case was approved or rejected, by a person or by the service.',
  },
  'bio.verdict.published': {
    partition: 'tenant',
    says: 'A provider of biometrics has posted its verdict for a case.',
  },
  'document.uploaded': {
    partition: 'tenant',
    says: 'A document of a case was stored: its ids, its kind and its digest.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
