/** Limits of requests about personal data. */
import type { LimitRow } from '#core/kernel';

/** Days within which a request is answered. */
export const DUE_DAYS = 30;
/** Calendar months by which that is extended, once. */
export const EXTENSION_MONTHS = 2;
/** Days before the deadline on which people are reminded; then once a day. */
export const REMINDER_DAYS = [10, 3, 0] as const;
/** Shortest reason of an extension. */
export const EXTENSION_REASON_CHARS_MIN = 50;
/** Longest text that a person writes. */
export const TEXT_CHARS_MAX = 2_000;
/** Shortest reason of a change of flags, and of a refusal. */
export const REASON_CHARS_MIN = 10;
/** Open requests of a tenant. */
export const OPEN_REQUESTS_MAX = 10_000;
/** Milliseconds for which an ended request is kept: that it was answered must be shown. */
export const REQUEST_KEPT_MS = 5 * 365 * 24 * 3_600_000;

/** Milliseconds for which an archive is there once its request is completed. */
export const ARCHIVE_KEPT_MS = 30 * 24 * 3_600_000;
/** Milliseconds for which a link to an archive is good. */
export const ARCHIVE_LINK_MS = 30 * 60_000;
/** Bytes of one document of an archive: it is in memory. */
export const ARCHIVE_FILE_BYTES_MAX = 64 * 1024 * 1024;

/** Milliseconds for which a plan may be approved. */
export const PLAN_MS = 24 * 3_600_000;
/** Milliseconds after which an erasure that another request holds back is looked at again. */
export const HELD_BACK_MS = 3_600_000;
/** Milliseconds within which the second person opens what the first one has asked for. */
export const VAULT_ASKED_MS = 24 * 3_600_000;
/** Milliseconds for which a legal hold may be placed at once. */
export const HOLD_MS_MAX = 30 * 365.25 * 24 * 3_600_000;
/** Longest retention that a tenant may set, in years. */
export const RETENTION_YEARS_MAX = 30;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'privacy-request-invalid', max: OPEN_REQUESTS_MAX, what: 'Open privacy requests' },
];
