/** What entries say of reads of the trail, and of events that subscribers do not get. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'audit.event.viewed': {
    says: 'Somebody looked at one event with its open members: `target` is its id.',
  },
  'service.event.dropped': {
    says: 'An administrator dropped an event that was set aside: its subscriber never does it.',
    severity: 'NOTICE',
  },
  'service.subscriber.removed': {
    says: 'An administrator removed a subscriber, with the events that waited for it.',
    severity: 'NOTICE',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
