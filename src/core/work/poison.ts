/**
 * Work that kills its worker: begun and never ended, again and again. A row's tries tell of it,
 * since they are counted when it is taken and not when it fails.
 *
 * Suspected, it is tried with nothing beside it (room.ts): else what runs beside it would be begun
 * as often as it is, and be given up as well. Begun more often than its plan allows, it is given up
 * without another try.
 */
import type { RetryPlan } from './retryPlan.ts';

/** How a row that was just taken may be worked on. */
export type Danger = 'none' | 'suspect' | 'spent';

/** `tries` includes the one that begins now. */
export function dangerOf(
  { suspectTries = Number.POSITIVE_INFINITY, triesMax }: RetryPlan,
  tries: number,
): Danger {
  if (tries > triesMax) return 'spent';
  return tries > suspectTries ? 'suspect' : 'none';
}
