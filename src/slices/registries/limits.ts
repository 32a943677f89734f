/** Limits of registries. */
import type { LimitRow } from '#core/kernel';

const MIB = 1024 * 1024;

/** Companies of one file; they are sorted in memory. */
export const COMPANIES_MAX = 200_000;
/** Bytes of that file. */
export const FILE_BYTES_MAX = 64 * MIB;
/** Companies, and names, of one blob of an extract. */
export const PART_COMPANIES = 1_000;
export const PART_NAMES = 5_000;
export const CANDIDATES_MAX = 20;
export const NAME_CHARS_MAX = 200;
/** Names that share a word with the one looked for, beside those that have all of its words. */
export const NAMES_LOOKED_AT_MAX = 20_000;
export const CACHE_HOURS_MAX = 24 * 30;
export const CACHE_HOURS = 24;
/** One call of a registry, and how often it is made. */
export const CALL_MS_MAX = 10_000;
export const CALLS_MAX = 2;
export const ANSWER_BYTES_MAX = 2 * MIB;
/** Failures after which a registry is left alone, and for how long. */
export const FAILURES_MAX = 5;
export const REST_MS = 60_000;
/** For how long what a registry has said is kept. */
export const KEPT_YEARS = 10;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'registry-file-invalid', max: COMPANIES_MAX, what: 'Companies of a registry’s file' },
];
