/**
 * Token buckets of this process alone, used while Redis is unavailable, and for what is limited
 * before any work: the arithmetic of tokenBuckets.lua on the monotonic clock. A bucket that is full
 * again is dropped, so the map holds only callers of the last few seconds. Past `entriesMax` the
 * oldest are dropped, an error in the caller's favour.
 */
import type { Bucket, BucketState, RateDecision } from '#core/identity';
import type { Clock } from '#platform/clock';

const ENTRIES_MAX = 100_000;
const SLACK_MS = 0.001;

export function createLocalBuckets(clock: Clock, entriesMax = ENTRIES_MAX) {
  /** Key → the instant at which the bucket will be full. Insertion order is age of last use. */
  const fullAt = new Map<string, number>();

  const forgetFull = (nowMs: number): void => {
    for (const [key, at] of fullAt) {
      if (at <= nowMs || fullAt.size >= entriesMax) fullAt.delete(key);
      else return;
    }
  };

  const stateOf = (bucket: Bucket, nowMs: number): BucketState => {
    const intervalMs = 1_000 / bucket.refillPerSecond;
    const debtMs = Math.max((fullAt.get(bucket.key) ?? nowMs) - nowMs, 0);
    const roomMs = bucket.capacity * intervalMs - debtMs;
    return {
      bucket,
      remaining: Math.max(0, Math.floor((roomMs + SLACK_MS) / intervalMs)),
      waitMs: Math.max(0, intervalMs - roomMs - SLACK_MS),
      fullInMs: debtMs,
    };
  };

  return {
    take(buckets: readonly Bucket[]): RateDecision {
      const nowMs = clock.monotonicMs();
      forgetFull(nowMs);
      const allowed = buckets.every((bucket) => stateOf(bucket, nowMs).waitMs === 0);
      if (allowed) {
        for (const { key, refillPerSecond } of buckets) {
          const at = Math.max(fullAt.get(key) ?? nowMs, nowMs) + 1_000 / refillPerSecond;
          fullAt.delete(key);
          fullAt.set(key, at);
        }
      }
      const states = buckets.map((bucket) => stateOf(bucket, nowMs));
      return { allowed, states, counter: 'local' };
    },
    /** Undoes one `take` of the bucket. */
    giveBack({ key, refillPerSecond }: Bucket): void {
      const at = fullAt.get(key);
      // In place: a bucket's age is that of its last use.
      if (at !== undefined) fullAt.set(key, at - 1_000 / refillPerSecond);
    },
    get size(): number {
      return fullAt.size;
    },
  };
}
