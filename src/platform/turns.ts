/**
 * Turns of the event loop, for work that comes in small pieces and many of them: whoever does it
 * gives way to all else after a few milliseconds.
 */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from './clock.ts';

const TURN_MS = 5;

/** To be awaited between two pieces: gives way once the last turn has lasted long enough. */
export function turnsOf(clock: Pick<Clock, 'monotonicMs'>): () => Promise<void> {
  let sinceMs = clock.monotonicMs();
  return async () => {
    if (clock.monotonicMs() - sinceMs < TURN_MS) return;
    await setImmediate();
    sinceMs = clock.monotonicMs();
  };
}
