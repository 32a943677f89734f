/** Limits of cases. */
import type { LimitRow } from '#core/kernel';

const MIB = 1024 * 1024;

export const EXTERNAL_REF_CHARS_MAX = 128;
/** Officers, and beneficial owners, of a business. */
export const PEOPLE_MAX = 100;
/** Consents of a case, withdrawals included. */
export const CONSENTS_MAX = 100;
export const DOCUMENTS_MAX = 30;
export const REASON_CHARS_MIN = 10;
export const REASON_CHARS_MAX = 4_000;
/** Bytes of a body that opens or changes a case. */
export const CASE_BYTES_MAX = MIB / 4;
/** Versions of a workflow. */
export const WORKFLOW_VERSIONS_MAX = 1_000;
/** Corrections of a customer that wait for a second person. */
export const CHANGES_WAITING_MAX = 50;
/** Days after which what an expired case was given is deleted. */
export const EXPIRED_KEPT_DAYS = 90;
/** Days for which the whole text of a document is kept. */
export const TEXT_KEPT_DAYS = 90;
/** Characters of a zone that comes with a document. */
export const ZONE_CHARS_MAX = 256;
/** One look of a person at a case is an entry; further ones within this time are not. */
export const VIEW_MS = 3_600_000;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'body-invalid', max: EXTERNAL_REF_CHARS_MAX, what: 'Characters of `external_ref`' },
  { beyond: 'state-conflict', max: CONSENTS_MAX, what: 'Consents of a case' },
  { beyond: 'documents-full', max: DOCUMENTS_MAX, what: 'Documents of a case' },
  {
    beyond: 'state-conflict',
    max: CHANGES_WAITING_MAX,
    what: 'Corrections of a customer that wait',
  },
  { beyond: 'body-invalid', max: PEOPLE_MAX, what: 'Officers or owners of a business’s case' },
];

/** Verdicts of biometrics that a case takes. */
export const VERDICTS_MAX = 100;
