/**
 * What entries say of reports. They exist for compliance officers, administrators and auditors
 * alone: the trail of everybody else has no row of them.
 */
import type { ActionRows, ActionsOf } from '#core/audit';

/** Listed in docs/audit-actions.md. */
export const auditActions = {
  'str.drafted': { says: 'A report was drafted: the digest of its content.' },
  'str.changed': {
    says: 'What a report says was changed; a validation that it had is void.',
  },
  'str.subject.linked': {
    says: 'A report has come to be about a customer, whom the digest of their reference names.',
  },
  'str.viewed': { says: 'Somebody read a report, or a file of it.' },
  'str.validation_requested': {
    says: 'A report waits for a data protection officer.',
  },
  'str.validated': {
    says: 'A data protection officer has validated a report: the signature, and the checklist.',
  },
  'str.returned': {
    says: 'A data protection officer has returned a report to its author.',
  },
  'str.submitted': {
    says: 'A report was submitted: digests of content, XML, package and schema.',
    severity: 'NOTICE',
  },
  'str.sent': { says: 'A package has left for the authority.' },
  'str.acknowledged': {
    says: 'The authority has acknowledged a report.',
    severity: 'NOTICE',
  },
  'str.refused': {
    says: 'The authority has refused a report: it can be changed and submitted again.',
    severity: 'NOTICE',
  },
  'str.erased': {
    says: 'The time for which a report is kept is over: its data key was destroyed.',
  },
  'str.profile.imported': {
    says: 'The profile of an FIU was loaded: digests of its schema, as published and as mended.',
  },
  'str.channel.changed': {
    says: 'The way to an FIU’s goAML Web was configured, or switched.',
  },
} as const satisfies ActionRows;

declare module '#core/audit' {
  interface AuditActions extends ActionsOf<typeof auditActions> {}
}
