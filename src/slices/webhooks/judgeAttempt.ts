/**
 * What becomes of a delivery after an attempt (interface.md 3.4): the table of answers, states and
 * Retry-After, as one pure function. Time comes in, nothing else does.
 */
import type { EpochMs } from '#platform/clock';
import { RATE_LIMIT_WAITS_MAX } from './limits.ts';
import type { DeliveryStatus, FailureReason, WebhookDelivery } from './tables.ts';

/** How an attempt ended: with an answer of the endpoint, or without one. */
export type AttemptOutcome =
  | { readonly code: number; readonly retryAfterMs?: number }
  | { readonly fault: FailureReason };

/** The state after it. */
export interface Judgement {
  readonly status: DeliveryStatus;
  readonly deliveryAttempt: number;
  readonly rateLimitWaits: number;
  readonly failureReason?: FailureReason;
  readonly nextAttemptAt?: EpochMs;
  /** The attempt's own. */
  readonly attemptReason?: FailureReason;
  /** The endpoint said that it will never be there again. */
  readonly isGone: boolean;
  /** It asked to wait, and is waited for: no failure. */
  readonly isWait?: true;
}

const S = 1_000;
const HOUR_MS = 3_600 * S;
/** Milliseconds after an attempt, by its number from 1 (interface.md 6.1); eight in all. */
export const RETRY_DELAYS_MS: readonly number[] = [1, 5, 30, 120, 600, 3_600, 21_600].map(
  (seconds) => seconds * S,
);
/** From the first attempt on. */
export const DELIVERY_MS_MAX = 24 * HOUR_MS;
/** Retry-After up to here is a wait as another; beyond it the delivery is RATE_LIMITED. */
const RETRY_AFTER_MS_MAX = HOUR_MS;
const RATE_LIMIT_MS_MIN = S;

type Counts = Pick<
  WebhookDelivery,
  'deliveryAttempt' | 'firstAttemptAt' | 'isTest' | 'rateLimitWaits'
>;

/** `now`: when it ended. The delivery is as it was before. */
export function judgeAttempt(delivery: Counts, outcome: AttemptOutcome, now: EpochMs): Judgement {
  const { deliveryAttempt, rateLimitWaits } = delivery;
  const counted = { deliveryAttempt: deliveryAttempt + 1, isGone: false, rateLimitWaits };
  if ('code' in outcome && outcome.code >= 200 && outcome.code < 300) {
    return { ...counted, status: 'DELIVERED' };
  }
  const reason = 'fault' in outcome ? outcome.fault : reasonOf(outcome.code);
  const failed = (failureReason: FailureReason) => ({
    ...counted,
    attemptReason: reason,
    failureReason,
    isGone: 'code' in outcome && outcome.code === 410,
    status: 'FAILED' as const,
  });
  if (delivery.isTest || isFinal(outcome)) return failed(reason);
  if (isRateLimit(outcome)) return afterRateLimit(delivery, outcome.retryAfterMs, now);
  const delayMs = RETRY_DELAYS_MS[deliveryAttempt];
  if (delayMs === undefined) return failed('exhausted');
  const askedMs = askedDelay(outcome);
  const nextAttemptAt = (now + Math.max(delayMs, askedMs)) as EpochMs;
  if (nextAttemptAt >= lastInstant(delivery, now)) return failed('expired-24h');
  const waits = { failureReason: reason, nextAttemptAt, status: 'RETRYING' as const };
  return { ...counted, ...waits, attemptReason: reason };
}

/** A 429 that names a time does not count as an attempt. */
function afterRateLimit(delivery: Counts, retryAfterMs: number, now: EpochMs): Judgement {
  const { deliveryAttempt } = delivery;
  const rateLimitWaits = delivery.rateLimitWaits + 1;
  const reason = 'rate-limited' as const;
  const same = { attemptReason: reason, failureReason: reason, isGone: false, rateLimitWaits };
  const nextAttemptAt = (now + Math.max(retryAfterMs, RATE_LIMIT_MS_MIN)) as EpochMs;
  const isOver =
    rateLimitWaits > RATE_LIMIT_WAITS_MAX || nextAttemptAt >= lastInstant(delivery, now);
  if (isOver) return { ...same, deliveryAttempt, status: 'FAILED' };
  const status = retryAfterMs <= RETRY_AFTER_MS_MAX ? 'RETRYING' : 'RATE_LIMITED';
  return { ...same, deliveryAttempt, isWait: true, nextAttemptAt, status };
}

/** It has had its day, and nothing more is sent of it. */
export const hasExpired = (
  { firstAttemptAt }: Pick<Counts, 'firstAttemptAt'>,
  now: EpochMs,
): boolean => firstAttemptAt !== undefined && now >= firstAttemptAt + DELIVERY_MS_MAX;

const lastInstant = ({ firstAttemptAt }: Counts, now: EpochMs): number =>
  (firstAttemptAt ?? now) + DELIVERY_MS_MAX;

const isRateLimit = (
  outcome: AttemptOutcome,
): outcome is { readonly code: 429; readonly retryAfterMs: number } =>
  'code' in outcome && outcome.code === 429 && outcome.retryAfterMs !== undefined;

/** A 503 may ask for up to an hour. */
const askedDelay = (outcome: AttemptOutcome): number =>
  'code' in outcome && outcome.code === 503
    ? Math.min(outcome.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)
    : 0;

/** No further attempt could end otherwise. */
function isFinal(outcome: AttemptOutcome): boolean {
  if ('fault' in outcome) return outcome.fault === 'ssrf-blocked' || outcome.fault === 'mtls';
  const { code } = outcome;
  return code >= 400 && code < 500 && code !== 408 && code !== 429;
}

function reasonOf(code: number): FailureReason {
  if (code === 429) return 'rate-limited';
  if (code === 408) return 'timeout';
  if (code >= 300 && code < 400) return 'redirect';
  if (code >= 400 && code < 500) return 'http-4xx';
  if (code >= 500 && code < 600) return 'http-5xx';
  return 'response-malformed';
}

const SECONDS_MAX = 10 ** 9;

/**
 * Milliseconds of a Retry-After header (RFC 9110, 10.2.3): seconds, or a date. Undefined for what
 * is neither. A date that has passed asks for no wait.
 */
export function readRetryAfter(header: string | undefined, now: EpochMs): number | undefined {
  const text = header?.trim() ?? '';
  if (/^[0-9]{1,10}$/.test(text)) return Math.min(Number(text), SECONDS_MAX) * S;
  // A date alone: Date.parse would take a year, or a number with a sign.
  if (!/^[A-Z][a-z]{2,8},? [ -~]{10,40}$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
