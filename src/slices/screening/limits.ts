/** Limits of one screening. */
import type { LimitRow } from '#core/kernel';

export const NAME_CODE_POINTS_MAX = 512;
export const TRANSLITERATIONS_MAX = 20;
export const LISTS_MAX = 20;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'body-invalid', max: NAME_CODE_POINTS_MAX, what: 'Name to screen, code points' },
  { beyond: 'body-invalid', max: TRANSLITERATIONS_MAX, what: 'Further spellings of a name' },
  { beyond: 'body-invalid', max: LISTS_MAX, what: 'Lists named in one screening' },
];
