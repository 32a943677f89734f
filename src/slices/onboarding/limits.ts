/** Limits of onboarding. */
import { SESSION_REQUESTS_MAX, SESSION_UPLOADS_MAX } from '#core/identity';
import type { LimitRow } from '#core/kernel';

/** How long a link is good, to the millisecond. */
export const SESSION_MS = 30 * 60_000;
/** How long after its end a link may be changed for a fresh one. */
export const REGENERATE_MS = 7 * 24 * 3_600_000;
/** Fresh links that customers ask for, for a case in a day. */
export const REGENERATIONS_MAX = 3;
/** Within this time. */
export const DAY_MS = 24 * 3_600_000;
/** What a link must have left for a mail that is tried again to bring it once more. */
export const SESSION_LEFT_MS = 10 * 60_000;
export const RETURN_URL_CHARS_MAX = 2_048;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'session-expired', max: SESSION_MS / 60_000, what: 'Minutes of an onboarding link' },
  { beyond: 'rate-limited', max: SESSION_REQUESTS_MAX, what: 'Requests of an onboarding session' },
  { beyond: 'rate-limited', max: SESSION_UPLOADS_MAX, what: 'Uploads of an onboarding session' },
];
