/** What entries say of troubles; they are in the platform's chain. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  OPERATIONAL_ALERT_CLOSED: { says: 'What was wrong with the installation is over.' },
  OPERATIONAL_ALERT_OPENED: {
    severity: 'NOTICE',
    says: 'Something is wrong with the installation: its code, and what it is about.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
