/** Limits of re-screening. */
import type { LimitRow } from '#core/kernel';

/** Customers of one call. */
export const SUBJECTS_PER_CALL_MAX = 10_000;
/** Bytes of one call. */
export const SUBJECTS_BYTES_MAX = 1024 * 1024;
/** Customers who come together from which on those who come alone are screened before them. */
export const BULK_FROM = 10_000;
/** Customers of one chunk: one entry in the chain. */
export const CHUNK_CUSTOMERS = 10_000;
/** Changes of a chunk's commit: a chunk ends early where there are more. */
export const CHUNK_CHANGES_MAX = 900;
/** Changed entries of all lists beyond which everybody is screened whole. */
export const DELTA_ENTRIES_MAX = 50_000;
/** Findings that a worker holds of all tenants, 42 to 85 bytes each; one tenant may have more. */
export const FINDINGS_HELD_MAX = 2_000_000;
/** Chunks of a batch after which an entry says how many of its subjects were taken over. */
export const ENROLLED_CHUNKS_PER_ENTRY = 100;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'body-invalid', max: SUBJECTS_PER_CALL_MAX, what: 'Monitored subjects of one call' },
];
