/** Limits of one screening. */
import type { LimitRow } from '#core/kernel';

export const NAME_CODE_POINTS_MAX = 512;
export const TRANSLITERATIONS_MAX = 20;
export const LISTS_MAX = 20;
export const SUBJECT_REF_CHARS_MAX = 128;
/** Code points of a name and its further spellings that one token of the rate limits pays for. */
export const TOKEN_CODE_POINTS_MAX = 512;
/** Hits that are explained for as many further tokens as their query costs. */
export const EXPLAINED_PER_TOKEN = 10;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'body-invalid', max: NAME_CODE_POINTS_MAX, what: 'Name to screen, code points' },
  { beyond: 'body-invalid', max: TRANSLITERATIONS_MAX, what: 'Further spellings of a name' },
  {
    beyond: 'body-invalid',
    max: SUBJECT_REF_CHARS_MAX,
    what: 'The caller’s id of a customer, characters',
  },
  { beyond: 'body-invalid', max: LISTS_MAX, what: 'Lists named in one screening' },
  {
    beyond: 'rate-limited',
    max: TOKEN_CODE_POINTS_MAX,
    what: 'Name and further spellings for one token of the rate limits, code points',
  },
  {
    beyond: 'rate-limited',
    max: EXPLAINED_PER_TOKEN,
    what: 'Hits explained for as many tokens of the rate limits as their query costs',
  },
];
