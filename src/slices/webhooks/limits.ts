/** Limits of endpoints and of what is sent to them. */
import type { LimitRow } from '#core/kernel';

export const ENDPOINTS_MAX = 10;
export const EVENT_NAMES_MAX = 64;
export const URL_CHARS_MAX = 2_048;
export const DESCRIPTION_CHARS_MAX = 255;

/** Milliseconds of one attempt, over all of its hops. */
export const ATTEMPT_MS_MAX = 30_000;
export const REDIRECTS_MAX = 3;
export const RESPONSE_BYTES_KEPT = 1_024;
export const ATTEMPTS_KEPT_MAX = 20;
/** Answers of 429 that one delivery waits for. */
export const RATE_LIMIT_WAITS_MAX = 200;

/** Attempts under way at once. */
export const IN_FLIGHT_ENDPOINT_MAX = 32;
export const IN_FLIGHT_TENANT_MAX = 200;
export const IN_FLIGHT_WORKER_MAX = 1_000;

/** Deliveries that one order sends again. */
export const BULK_REPLAY_MAX = 100_000;

export const MESSAGE_BYTES_MAX = 64 * 1_024;

/** Rows of docs/limits.md. */
export const limits: readonly LimitRow[] = [
  { beyond: 'webhook-limit', max: ENDPOINTS_MAX, what: 'Webhook endpoints of a tenant' },
];
