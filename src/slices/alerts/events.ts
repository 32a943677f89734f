/** Events that alerts send. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'aml.alert.created': {
    partition: 'tenant',
    says: 'An alert was raised: its ids, severity and source, and no name.',
  },
  'aml.alerts.altered': {
    partition: 'tenant',
    says: 'Alerts of a tenant are not what was signed; an entry of its chain names them.',
  },
  'aml.alerts.restored': {
    partition: 'tenant',
    says: 'All alerts of a tenant that were compared are what was signed again.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
