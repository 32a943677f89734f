/** Problems of cases. */
import { type CodesOf, type ProblemRows, SEE_ERRORS } from '#core/kernel';

/** Folded into the table of an installation by src/app/sliceRows.ts. */
export const problems = {
  'case-unknown': {
    status: 404,
    title: 'Unknown case',
    meaning: 'There is no case, document or decision of that id.',
    remedy: 'Use an id of `GET /v1/kyc/cases`.',
    exit: 'notFound',
  },
  'case-open-exists': {
    status: 409,
    title: 'Open case exists',
    meaning: 'A case of this reference is not decided yet; `detail` names it.',
    remedy: 'Go on with that case, or cancel it.',
  },
  'workflow-unknown': {
    status: 422,
    title: 'Unknown workflow',
    meaning: 'The tenant has no workflow of that code, or it is not for this type of subject.',
    remedy: 'Use a code of `GET /v1/kyc/workflows`.',
  },
  'workflow-invalid': {
    status: 422,
    title: 'Workflow invalid',
    meaning: 'The workflow contradicts itself.',
    remedy: SEE_ERRORS,
  },
  'subject-invalid': {
    status: 422,
    title: 'Subject invalid',
    meaning: 'A member of the subject has no meaning: a country or a day that there is not.',
    remedy: SEE_ERRORS,
  },
  'subject-unknown': {
    status: 404,
    title: 'Unknown customer',
    meaning: 'No case is of a customer of this reference.',
    remedy: 'Use the `external_ref` of a case.',
    exit: 'notFound',
  },
  'subject-erased': {
    status: 409,
    title: 'Subject erased',
    meaning: 'The personal data of this customer was erased.',
    remedy: 'Open a case under a new reference.',
  },
  'consent-text-unknown': {
    status: 422,
    title: 'Unknown text of consent',
    meaning: 'The digest that was given is not that of the version’s other consents.',
    remedy: 'Give the version and the digest of the text that the customer has read.',
  },
  'documents-full': {
    status: 409,
    title: 'Too many documents',
    meaning: 'The case has as many documents as a case may have.',
    remedy: 'Decide with those, or open a new case.',
  },
  'document-withheld': {
    status: 409,
    title: 'Document withheld',
    meaning:
      'The bytes are not given out: they were infected, or no scanner found them clean where the ' +
      'tenant has `kyc.scan_required`.',
    remedy: 'Ask the customer for another document, or set up the scanner (`CLAMD_URL`).',
  },
  'reason-required': {
    status: 422,
    title: 'Reason required',
    meaning: 'A decision needs a code and a reason of ten characters or more.',
    remedy: SEE_ERRORS,
  },
  'risk-prohibited': {
    status: 409,
    title: 'Risk prohibited',
    meaning: 'The risk policy prohibits customers of this risk: no decision approves the case.',
    remedy: 'Reject the case, or correct the facts that the evaluation names.',
  },
  'email-template-unknown': {
    status: 422,
    title: 'Unknown mail template',
    meaning: 'The workflow has no template of that name, or a rejection was given none.',
    remedy: 'Use a name of the workflow’s `email_templates`.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
