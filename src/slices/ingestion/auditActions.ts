/** Audit actions of sources, their runs and their schedules. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  SANCTIONS_RUN_STARTED: { severity: 'INFO', says: 'The schedule started a run of a source.' },
  SANCTIONS_MANUAL_TRIGGER: { severity: 'NOTICE', says: 'Somebody started a run of a source.' },
  SANCTIONS_SOURCE_FETCHED: {
    severity: 'INFO',
    says: 'The file of a source was read to its end: its digest and counts.',
  },
  'aml.list.ingested': {
    severity: 'INFO',
    says: 'A file became a new version of a list: what it added, updated and removed.',
  },
  SANCTIONS_LIST_PUBLISHED: {
    severity: 'INFO',
    says: 'A new version of a list came in force: its digests and blobs.',
  },
  SANCTIONS_LIST_SKIPPED: { severity: 'INFO', says: 'A run found the version that is in force.' },
  SANCTIONS_LIST_FAILED: { severity: 'ALERT', says: 'A run failed; the list is what it was.' },
  SANCTIONS_INDEX_REBUILT: {
    severity: 'NOTICE',
    says: 'The index of a version in force was built anew.',
  },
  SANCTIONS_SCHEDULE_CHANGED: {
    severity: 'NOTICE',
    says: 'A source or its schedule was changed under dual control.',
  },
  SANCTIONS_SOURCE_DISABLED: {
    severity: 'ALERT',
    says: 'A source that fired too often was disabled.',
  },
  SANCTIONS_SHRINK_APPROVED: {
    severity: 'NOTICE',
    says: 'Two persons let a list lose more entities than a run may take.',
  },
  SANCTIONS_SNAPSHOT_DOWNLOADED: {
    severity: 'NOTICE',
    says: 'Somebody downloaded a snapshot of a list.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
