/** Limits of requests for a second signature. */
import type { LimitRow } from '#core/kernel';

/** Requests of one tenant that wait for their signers. */
export const OPEN_REQUESTS_MAX = 200;

/** Entries of one action since the asking that are looked at when a request is signed. */
export const ENTRIES_SINCE_MAX = 10_000;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'state-conflict', max: OPEN_REQUESTS_MAX, what: 'Open approvals of a tenant' },
  {
    beyond: 'state-conflict',
    max: ENTRIES_SINCE_MAX,
    what: 'Approvals of a tenant that end alike while one waits to be signed',
  },
];
