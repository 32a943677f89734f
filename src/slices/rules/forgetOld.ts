/**
 * What rules hold in memory is bounded by time: a transaction is evaluated for four hundred days
 * after it happened, by windows of four hundred days. What is older than both together, when one
 * comes, is in no window any more. Times of receipt decide, and no clock: so a restart forgets what
 * was forgotten before it.
 */
import { type RuleEngine, TOO_LATE_MS } from './ruleEngine.ts';
import { DAY_MS } from './spans.ts';
import type { StoredRuleAlert } from './tables.ts';

const HELD_MS = 2 * TOO_LATE_MS + DAY_MS;

/** What is held of a tenant. */
export interface HeldWindows {
  readonly engine: RuleEngine;
  readonly stored: Map<string, StoredRuleAlert>;
  /** Time of receipt at which it last forgot. */
  prunedAt: number;
}

/** Once a day of receipt. */
export function forgetOld(held: HeldWindows, receivedAt: number): void {
  if (receivedAt < held.prunedAt + DAY_MS) return;
  held.prunedAt = receivedAt;
  const horizon = receivedAt - HELD_MS;
  held.engine.prune(horizon);
  for (const [id, { lastAt }] of held.stored) if (lastAt < horizon) held.stored.delete(id);
}
