/** What entries say of conditions and messages. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'notification.alert.opened': { says: 'An alert of operation began: code, subject, digest.' },
  'notification.alert.acknowledged': { says: 'Somebody takes care of an alert of operation.' },
  'notification.alert.closed': { says: 'An alert of operation is over, and why.' },
  'notification.ticket.opened': { says: 'A ticket was opened: code, subject, digest.' },
  'notification.ticket.acknowledged': { says: 'Somebody takes care of a ticket.' },
  'notification.ticket.closed': { says: 'A ticket was closed by what mended it.' },
  'notification.told': { says: 'People were told of something that is no state.' },
  'notification.message.sent': { says: 'A mail server or the operator’s hook took a message.' },
  'notification.message.failed': { says: 'A message was given up, and why.' },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
