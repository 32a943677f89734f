/** Limits of exclusions. */
import type { LimitRow } from '#core/kernel';
import { EXCLUSIONS_PER_SUBJECT_MAX } from '#slices/screening';

/** Exclusions of a tenant that are proposed or active: each is in the memory of every process. */
export const EXCLUSIONS_MAX = 10_000;
/** Shortest reason in words. */
export const REASON_CHARS_MIN = 20;
/** Longest reason in words. */
export const REASON_CHARS_MAX = 2_000;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'exclusion-invalid', max: EXCLUSIONS_MAX, what: 'Open exclusions of a tenant' },
  {
    beyond: 'exclusion-invalid',
    max: EXCLUSIONS_PER_SUBJECT_MAX,
    what: 'Open exclusions of a subject',
  },
];
