/** Limits of policies. */
import type { LimitRow } from '#core/kernel';

/** Shortest justification for a sanctions list that is screened no more. */
export const SWITCHED_OFF_CHARS_MIN = 100;
/** Longest justification, and longest comment of a signature. */
export const JUSTIFICATION_CHARS_MAX = 4_000;
/** How long a lone signature waits for the second one. */
export const SIGNED_MS = 7 * 24 * 3_600_000;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'body-invalid', max: JUSTIFICATION_CHARS_MAX, what: 'Characters of a justification' },
];
