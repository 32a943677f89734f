/** Audit actions of batches. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'aml.batch.created': { says: 'A batch was ordered.' },
  'aml.batch.started': { says: 'Work on a batch began: all that decides what it will find.' },
  'aml.batch.chunk.screened': { says: 'A chunk was screened: the Merkle root of its results.' },
  'aml.batch.completed': {
    says: 'A batch has ended well: its figures and the digests of its reports.',
  },
  'aml.batch.reports.reissued': {
    says: 'Reports of a batch were written again, without those who were erased.',
  },
  'aml.batch.reports.omitted': {
    says: 'After an erasure no reports were written: the batch had none, or they could not be.',
  },
  'aml.batch.failed': { says: 'A batch has failed, and why.' },
  'aml.batch.canceled': { says: 'A batch was canceled.' },
  'aml.batch.hit.decided': { says: 'A person decided a hit.' },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
