/** What webhooks tell other slices: state of endpoints and deliveries that people are told of. */
import type { TopicRows, TopicsOf } from '#core/kernel';

/** Topics of the bus (interface.md 6.4). */
export const events = {
  'webhooks.delivery.failed': {
    partition: 'tenant',
    says: 'A delivery has failed for good, and why.',
  },
  'webhooks.endpoint.failing': {
    partition: 'tenant',
    says: 'Three attempts in a row have failed at an endpoint; told again after a success only.',
  },
  'webhooks.endpoint.disabling': {
    partition: 'tenant',
    says: 'An endpoint without success for four days will be disabled, and when.',
  },
  'webhooks.endpoint.moved': {
    partition: 'tenant',
    says: 'An endpoint answers 301 or 308: its URL has to be changed. Told once a URL.',
  },
  'webhooks.certificate.expiring': {
    partition: 'tenant',
    says: 'An endpoint’s client certificate ends in 30, 7 or 1 days, or has ended (0).',
  },
  'webhooks.endpoint.recovered': {
    partition: 'tenant',
    says: 'An endpoint that was failing has taken a delivery.',
  },
  'webhooks.endpoint.disabled': {
    partition: 'tenant',
    says: 'An endpoint was disabled, because it is gone or failed for too long.',
  },
} as const satisfies TopicRows;

declare module '#core/kernel' {
  interface BusTopics extends TopicsOf<typeof events> {}
}
