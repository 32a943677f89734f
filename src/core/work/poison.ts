/**
 * Poison jobs: work that kills its worker, begun and never ended, again and again. A row's tries
 * show it, since they are counted when it is taken and not when it fails.
 *
 * A suspect is tried with nothing beside it (room.ts). Otherwise the work beside it would be begun
 * as often, and be given up as well. If it was begun more often than its plan allows, it is given
 * up without another try.
 */
import type { RetryPlan } from './retryPlan.ts';

/** How a row that was just taken may be worked on. */
export type Danger = 'none' | 'suspect' | 'spent';

/** The danger of a row; `tries` includes the one that begins now. */
export function dangerOf(
  { suspectTries = Number.POSITIVE_INFINITY, triesMax }: RetryPlan,
  tries: number,
): Danger {
  if (tries > triesMax) return 'spent';
  return tries > suspectTries ? 'suspect' : 'none';
}
