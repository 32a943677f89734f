/** What a worker of a test runs by: a log that says nothing, and a clock on which it waits less. */
import type { RateLimiter } from '#core/identity';
import type { Clock, EpochMs } from '#platform/clock';

const quiet = (): void => {};
export const quietLog = {
  debug: quiet,
  error: quiet,
  info: quiet,
  isDebug: () => false,
  warn: quiet,
};

/** So many times faster from now on: leases and pauses are shorter by it. */
export function fastClock({ now, monotonicMs }: Clock, timesFaster: number): Clock {
  const start = now();
  return {
    monotonicMs: () => monotonicMs() * timesFaster,
    now: () => (start + (now() - start) * timesFaster) as EpochMs,
  };
}

/** Allows all: of a worker whose rates are not what a test is about. */
export const freeLimiter: RateLimiter = {
  take: async () => ({ allowed: true, counter: 'local', states: [] }),
};
