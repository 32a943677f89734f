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
  'privacy.erasure.planned': {
    says: 'What an erasure would come to was put together: `plan_sha256` is its digest.',
  },
  'privacy.erasure.repeated': {
    says: 'A backup has brought an erased person back: the erasure is done again.',
    severity: 'NOTICE',
  },
  'privacy.identity.vaulted': {
    says: 'Who is to be erased was put into the identity vault, before anything else.',
  },
  'privacy.request.pseudonymised': {
    says: 'A request names its person no more: a pseudonym stands there.',
  },
  'privacy.subject.erased': {
    says: 'A person was erased: the receipt, by stores, and until when a duty keeps what.',
    severity: 'NOTICE',
  },
  'privacy.hold.changed': {
    says: 'A legal hold was asked for, placed or lifted, as `state` says; null: it is forgotten.',
    severity: 'NOTICE',
  },
  'privacy.vault.asked': {
    says: 'Somebody asks to see who stands behind a pseudonym.',
    severity: 'NOTICE',
  },
  'privacy.vault.opened': {
    says: 'A second person has seen who stands behind a pseudonym.',
    severity: 'NOTICE',
  },
  'privacy.vault.destroyed': {
    says: 'The last duty was over: nobody finds out any more whom a pseudonym stands for.',
  },
  'privacy.subject.flags_changed': {
    says: 'Processing of a subject was restricted or opposed, or is so no more.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
