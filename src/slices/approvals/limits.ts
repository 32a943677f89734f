/** Limits of requests for a second signature. */
import type { LimitRow } from '#core/kernel';

/** Requests of one tenant that wait for their signers. */
export const OPEN_REQUESTS_MAX = 200;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'state-conflict', max: OPEN_REQUESTS_MAX, what: 'Open approvals of a tenant' },
];
