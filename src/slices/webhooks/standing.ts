/**
 * How an endpoint fares, by what its record says: the counts are written by several workers, so
 * what of them still counts is told by the times beside them.
 */
import type { EpochMs } from '#platform/clock';
import type { WebhookEndpoint } from './tables.ts';

/** What says how an endpoint fares. */
export type Standing = Pick<
  WebhookEndpoint,
  'consecutiveFailures' | 'enabledAt' | 'failingSince' | 'lastFailureAt' | 'lastSuccessAt'
>;

/**
 * Failures in a row, and since when: none where the last success, or a person who enabled the
 * endpoint again, came after the first of them.
 */
export function failuresOf(endpoint: Standing): {
  readonly failures: number;
  readonly failingSince?: EpochMs;
} {
  const { consecutiveFailures = 0, enabledAt = 0, failingSince, lastSuccessAt = 0 } = endpoint;
  const isOver = (failingSince ?? 0) < enabledAt || (failingSince ?? 0) <= lastSuccessAt;
  if (failingSince === undefined || isOver) return { failures: 0 };
  return { failingSince, failures: consecutiveFailures };
}
