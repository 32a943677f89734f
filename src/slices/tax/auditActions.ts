/** What entries say of tax reporting. Each names the digest of the record as it became. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'tcr.accounts.taken': {
    says: 'Accounts came into the book of an institution and period: how many, and its digest.',
  },
  'tcr.classification.made': {
    says: 'A holder was classified for FATCA and CRS: the tables, and the digest of the result.',
  },
  'tcr.classification.rested': {
    says: 'Nothing is awaited any more of a holder who was erased: no sweep looks at it again.',
  },
  'tcr.classification.superseded': {
    says: 'A later classification of the same holder took the place of one.',
  },
  'tcr.declaration.cancelled': {
    says: 'A declaration of which nothing was on file was cancelled, with the reason.',
  },
  'tcr.declaration.created': { says: 'A declaration was made: what it reports, and to whom.' },
  'tcr.declaration.generated': {
    says: 'A declaration was generated, or was found wrong: digests of accounts and of its XML.',
  },
  'tcr.declaration.generation_dropped': {
    says: 'An order to generate a declaration ended without a trace in it: it was not awaited.',
  },
  'tcr.declaration.generation_ordered': { says: 'The XML of a declaration was ordered anew.' },
  'tcr.channel.configured': {
    says: 'How an institution files was configured: keys, certificates and the place.',
  },
  'tcr.declaration.answered': {
    says: 'The authority has answered a message: what that means for the declaration.',
  },
  'tcr.declaration.deposit_failed': {
    says: 'The channel has refused a package for good, and nothing had left the house.',
  },
  'tcr.declaration.deposit_noted': { says: 'How far the deposit of a package is (its journal).' },
  'tcr.declaration.packaged': { says: 'A message was signed and encrypted: the package’s digest.' },
  'tcr.declaration.package_read': { says: 'Somebody read a package of a declaration.' },
  'tcr.declaration.receipt_noted': { says: 'A receipt of a message was noted by a person.' },
  'tcr.declaration.submission_ordered': { says: 'Somebody ordered that a declaration be filed.' },
  'tcr.declaration.submitted': { says: 'Every message of a declaration is with the authority.' },
  'tcr.filing.ended': {
    says: 'The order to file a message has ended: it waits to be carried, or is not awaited.',
  },
  'tcr.notification.received': {
    says: 'An answer of an authority was received: its digest, its code, and what it changed.',
  },
  'tcr.notification.settled': {
    says: 'An answer that had waited for its message was applied to it: what it changed.',
  },
  'tcr.declaration.xml_read': { says: 'Somebody read the XML of a declaration.' },
  'tcr.ffi_list.imported': {
    says: 'The FFI list of the IRS was brought in: the day of its publication, and its digest.',
  },
  'tcr.form.changed': {
    says: 'A change of circumstances has made a form incorrect: until when a new one is awaited.',
  },
  'tcr.form.ending': { says: 'People were told that a form ends soon: in how many days.' },
  'tcr.form.expired': { says: 'The last day of a form is over: the holder has none any more.' },
  'tcr.form.received': {
    says: 'A form or self-certification of a holder was received, with its state and digest.',
  },
  'tcr.form.rested': {
    says: 'Nothing is due for now of a form that was looked at, or whose holder was erased.',
  },
  'tcr.form.revoked': { says: 'Somebody revoked a form: it counts no more.' },
  'tcr.form.superseded': { says: 'A later form of the same holder took the place of one.' },
  'tcr.form.viewed': { says: 'Somebody read a form of a holder.' },
  'tcr.holder.erased': {
    says: 'The data key of a holder was destroyed: nobody reads any more what was classified.',
  },
  'tcr.import.ended': {
    says: 'A file of accounts was taken to its end, or failed; its rejected rows by their digest.',
  },
  'tcr.import.received': { says: 'A file of accounts was received, by its digest.' },
  'tcr.reporting_fi.stated': { says: 'An institution that reports was stated, or stated anew.' },
  'tcr.classification.viewed': { says: 'Somebody read what a holder was classified by.' },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
