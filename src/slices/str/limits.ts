/** Limits of reports to the authority. */
import type { LimitRow } from '#core/kernel';

const MIB = 1024 * 1024;

/** Characters of a narrative, as code points. */
export const NARRATIVE_CHARS_MIN = 50;
export const NARRATIVE_CHARS_MAX = 10_000;
/** Transactions of one report. */
export const TRANSACTIONS_MAX = 500;
/** Persons and organisations beside the subject. */
export const COUNTERPARTIES_MAX = 200;
export const INDICATORS_MAX = 50;
export const ATTACHMENTS_MAX = 20;
/** Bytes of one file, and of all files of a report together. */
export const ATTACHMENT_BYTES_MAX = 5 * MIB;
export const ATTACHMENTS_BYTES_MAX = 20 * MIB;
/** Bytes of a body that drafts or changes a report. */
export const DRAFT_BYTES_MAX = MIB;
/** Bytes of an FIU's schema. */
export const XSD_BYTES_MAX = 4 * MIB;
/** Bytes of a receipt. */
export const RECEIPT_BYTES_MAX = 5 * MIB;
/** Faults that one answer lists. */
export const FAULTS_MAX = 500;
/** For how long a link to a package is good. */
export const LINK_MS = 5 * 60_000;
/** Business days after which an upload that nobody confirmed is reminded of. */
export const REMINDER_BUSINESS_DAYS = 3;
/** Years for which a report is kept after it was acknowledged or, unfiled, last changed. */
export const KEPT_YEARS = 10;
/** Submissions of one report: each but the last was refused. */
export const SUBMISSIONS_MAX = 50;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'body-invalid', max: NARRATIVE_CHARS_MAX, what: 'Characters of a report’s narrative' },
  { beyond: 'body-invalid', max: TRANSACTIONS_MAX, what: 'Transactions of a report' },
  { beyond: 'body-invalid', max: COUNTERPARTIES_MAX, what: 'Counterparties of a report' },
  { beyond: 'state-conflict', max: ATTACHMENTS_MAX, what: 'Attachments of a report' },
  { beyond: 'body-too-large', max: ATTACHMENT_BYTES_MAX, what: 'Bytes of an attachment' },
  {
    beyond: 'body-too-large',
    max: ATTACHMENTS_BYTES_MAX,
    what: 'Bytes of a report’s attachments together',
  },
];
