/** What entries say of forms: ids, versions, hashes and names of fields. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'form.created': { says: 'A form was made, with the draft of its first version.' },
  'form.version.drafted': { says: 'A version of a form was drafted.' },
  'form.version.saved': { says: 'A draft was replaced; signatures of it are void.' },
  'form.version.discarded': { says: 'A draft was taken away.' },
  'form.version.signed': { says: 'One of two persons has signed a draft.' },
  'form.published': {
    says: 'Two persons have signed a version: it is active, and the former one archived.',
    severity: 'NOTICE',
  },
  'form.submission.saved': { says: 'A draft of what a customer fills in was saved: no values.' },
  'form.submission.received': { says: 'A customer’s form was received whole: no values.' },
  'form.submission.deleted': {
    says: 'What a customer filled in was deleted: the time of its case is over.',
  },
  'form.submission.viewed': { says: 'Somebody has read what a customer filled in.' },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
