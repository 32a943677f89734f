/** What entries say of requests and flags. Each names the digest of the record as it became. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'privacy.request.received': { says: 'A request for access or erasure came in.' },
  'privacy.request.identity_checked': {
    says: 'Somebody says whether the requester has proved who he is.',
  },
  'privacy.request.extended': { says: 'The deadline of a request was extended by two months.' },
  'privacy.request.reminded': {
    says: 'People were reminded of a request: `days_left` says how many days are left.',
    severity: 'NOTICE',
  },
  'privacy.request.approved': { says: 'A person approved what is done for a request.' },
  'privacy.request.refused': { says: 'A request was refused; `ground` says on which ground.' },
  'privacy.archive.built': { says: 'What is held of a person was put into an archive.' },
  'privacy.archive.downloaded': { says: 'Somebody downloaded an archive.' },
  'privacy.archive.passphrase_told': { says: 'The passphrase of an archive was told, once.' },
  'privacy.archive.removed': { says: 'An archive and its key were removed.' },
  'privacy.subject.flags_changed': {
    says: 'Processing of a subject was restricted or opposed, or is so no more.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
