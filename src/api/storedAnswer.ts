/**
 * The answer of an operation with an Idempotency-Key as the record that is written with its effect:
 * given again byte for byte (decisions 1.2).
 */
import type { IdempotencyRecord } from '#core/audit';
import type { Clock } from '#platform/clock';
import type { IdempotencyClaim } from './operation.ts';

export function storedAnswer(
  claim: IdempotencyClaim,
  answer: { readonly status: number; readonly body: string },
  clock: Pick<Clock, 'now'>,
): IdempotencyRecord {
  return {
    answer: { ...answer, contentType: 'application/json', kind: 'body' },
    createdAt: clock.now(),
    fingerprint: claim.fingerprint,
    scope: claim.scope,
  };
}
