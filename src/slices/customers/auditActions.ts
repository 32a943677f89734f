/** What entries say of cases: ids, states, codes and digests. Reasons in words are sealed. */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'kyc.case.created': { says: 'A case was opened.' },
  'kyc.case.changed': { says: 'Members of a case were changed: their names, no values.' },
  'kyc.case.viewed': { says: 'A person read a case: at most once an hour for each.' },
  'kyc.case.checked': { says: 'The checks of a case were made: what each came to.' },
  'kyc.case.decision_proposed': { says: 'A decision waits for a second person.' },
  'kyc.case.decision_declined': { says: 'The second person did not confirm a decision.' },
  'kyc.case.decision_made': { says: 'A case was approved or rejected.', severity: 'NOTICE' },
  'kyc.case.documents_requested': { says: 'The customer was asked for further documents.' },
  'kyc.case.canceled': { says: 'A case was ended without a decision.' },
  'kyc.case.expired': { says: 'The customer did not give what a case waited for.' },
  'kyc.case.inputs_deleted': {
    says: 'What the customer had given for an expired case was deleted.',
  },
  'kyc.case.listed': {
    says: 'The customer of an undecided case has come onto a list: people decide it.',
    severity: 'NOTICE',
  },
  'kyc.case.rated': { says: 'The level of a client has changed: the case has the tier of it.' },
  'kyc.case.reopened': { says: 'A decided case is looked at again.', severity: 'NOTICE' },
  'kyc.case.superseded': { says: 'A later case of the same customer was decided.' },
  'kyc.consent.given': { says: 'A customer has agreed: to what, by which text.' },
  'kyc.consent.withdrawn': { says: 'A customer has withdrawn a consent.' },
  'kyc.document.uploaded': { says: 'A document was stored: its kind and digest.' },
  'kyc.document.viewed': { says: 'Somebody has fetched a document.' },
  'kyc.document.read': { says: 'A document was scanned and read: by which engine.' },
  'kyc.document.deleted': { says: 'Bytes of a document were destroyed: infected, or expired.' },
  'kyc.biometric.liveness_score': { says: 'A provider has posted a biometric verdict.' },
  'kyc.mail.sent': { says: 'A customer was written to: by which template, no address.' },
  'kyc.mail.failed': { says: 'A mail to a customer is not tried again: why.', severity: 'NOTICE' },
  'case.reassigned': { says: 'Somebody else works on a case.' },
  'kyc.workflow.changed': { says: 'A workflow has a new version.', severity: 'NOTICE' },
  'kyc.subject.created': { says: 'A customer is known by a reference: a data key was made.' },
  'kyc.subject.change_asked': {
    says: 'Somebody asks that a customer be corrected: which members, no values.',
  },
  'kyc.subject.change_declined': { says: 'The second person declined a correction.' },
  'kyc.subject.rectified': {
    says: 'A customer was corrected in all cases; what stood there before is in the open part.',
    severity: 'NOTICE',
  },
  'kyc.case.erased': { says: 'What a case knows of its customer was destroyed.' },
  'kyc.case.pseudonymised': {
    says: 'A case names its customer no more: a pseudonym stands there while a duty lasts.',
  },
  'kyc.subject.pseudonymised': {
    says: 'A customer stands under a pseudonym; who it is lies in the identity vault.',
    severity: 'NOTICE',
  },
  'kyc.subject.erased': {
    says: 'The data key of a customer was destroyed.',
    severity: 'NOTICE',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
