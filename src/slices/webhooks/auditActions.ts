/** What entries say of endpoints, their secrets, and every attempt. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'webhook.endpoint.created': { says: 'An endpoint was registered.' },
  'webhook.endpoint.changed': {
    says: 'An endpoint was changed: by a person, or disabled because it is gone or failing.',
  },
  'webhook.endpoint.failing': { says: 'Three attempts in a row have failed at an endpoint.' },
  'webhook.endpoint.recovered': { says: 'An endpoint that was failing has taken a delivery.' },
  'webhook.endpoint.disabling': {
    says: 'An endpoint without success for four days will be disabled in a day.',
  },
  'webhook.endpoint.moved': { says: 'An endpoint answers that it has moved for good.' },
  'webhook.endpoint.opened': {
    says: 'A person has opened an endpoint for events that few may know of.',
  },
  'webhook.endpoint.closed': {
    says: 'A person has closed an endpoint for events that few may know of.',
  },
  'webhook.endpoint.removed': { says: 'An endpoint was removed.' },
  'webhook.secret.rotated': { severity: 'NOTICE', says: 'An endpoint got a new secret.' },
  'webhook.secret.revealed': { severity: 'NOTICE', says: 'A rotated secret was shown, once.' },
  'webhook.secret.revoked': {
    severity: 'NOTICE',
    says: 'A former secret was ended before its time.',
  },
  'webhook.tls.changed': {
    severity: 'NOTICE',
    says: 'Client certificate or authority of an endpoint were set or taken away.',
  },
  'webhook.tls.requested': {
    severity: 'NOTICE',
    says: 'A key was made for an endpoint, and a request for its certificate.',
  },
  'webhook.certificate.expiring': { says: 'The client certificate of an endpoint ends soon.' },
  'webhook.attempts': {
    says: 'Attempts at deliveries: event, endpoint, answer and secret version of each.',
  },
  'webhook.replayed': { says: 'Deliveries were ordered to be sent again.' },
  'webhook.replay.ended': {
    says: 'All deliveries of an order of replays are on their way, or why not.',
  },
  'webhook.tested': { says: 'A test event was ordered.' },
  'webhook.delivery.viewed': { says: 'A delivery was read with its payload.' },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
