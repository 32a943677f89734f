/**
 * The answer of an operation with an Idempotency-Key as the record that is written with its effect:
 * given again byte for byte (decisions 1.2).
 */
import type { IdempotencyRecord } from '#core/audit';
import type { Clock } from '#platform/clock';
import type { IdempotencyClaim } from './operation.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
}

export function storedAnswer(
  claim: IdempotencyClaim,
  answer: Answer,
  clock: Pick<Clock, 'now'>,
): IdempotencyRecord {
  return {
    answer: { ...answer, contentType: 'application/json', kind: 'body' },
    createdAt: clock.now(),
    fingerprint: claim.fingerprint,
    scope: claim.scope,
  };
}

/** For rules that commit an answer with their effect; empty without a claim. */
export const keptUnder = (
  claim: IdempotencyClaim | undefined,
  clock: Pick<Clock, 'now'>,
): { readonly idempotency?: (answer: Answer) => IdempotencyRecord } =>
  claim === undefined ? {} : { idempotency: (answer) => storedAnswer(claim, answer, clock) };
