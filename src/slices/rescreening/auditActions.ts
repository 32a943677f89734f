/** What entries say of re-screening. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  SANCTIONS_MONITORING_CHANGED: {
    says: 'Customers were added to those that are watched, changed or removed: their digests.',
  },
  SANCTIONS_MONITORING_TAKING: {
    says: 'Subjects of a batch that was ordered with `monitor` are being taken over: how many are.',
  },
  SANCTIONS_MONITORING_TAKEN: {
    says: 'All subjects of a batch that was ordered with `monitor` are watched: how many.',
  },
  SANCTIONS_MONITORING_FAILED: {
    severity: 'ALERT',
    says: 'Subjects of a batch that was ordered with `monitor` could not all be watched: why.',
  },
  SANCTIONS_MONITORING_ALTERED: {
    severity: 'ALERT',
    says: 'Rows of customers, or of what was found of them, are not what was signed: which.',
  },
  SANCTIONS_RESCREENING_STARTED: {
    says: 'Customers begin to be compared with lists: the versions, and those of before.',
  },
  SANCTIONS_RESCREENED: {
    says: 'Customers were compared: the Merkle root over who they are and what came of it.',
  },
  SANCTIONS_RESCREENING_COMPLETED: {
    says: 'All customers were compared with these versions, and what was found.',
  },
  SANCTIONS_RESCREENING_DIFFERENT: {
    severity: 'ALERT',
    says: 'A full pass has found what the passes before it should have found: how much.',
  },
  SANCTIONS_RESCREENING_LATE: {
    severity: 'ALERT',
    says: 'Customers are not compared for hours with versions of lists that are in force.',
  },
  SANCTIONS_RESCREENING_FAILED: {
    severity: 'ALERT',
    says: 'A run has ended before all customers were compared.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
