/** Events that tax reporting sends: ids and states, no values (decisions 7.6). */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus. */
export const events = {
  'tcr.declaration.generated': {
    partition: 'tenant',
    says: 'The XML of a declaration is there and valid: its id.',
  },
  'tcr.declaration.submitted': {
    partition: 'tenant',
    says: 'Every message of a declaration is with the authority: its id.',
  },
  'tcr.form.ending': {
    partition: 'tenant',
    says: 'A form of a holder ends in 90 or 30 days, or today: its id, type and last day.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
