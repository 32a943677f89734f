/**
 * Token buckets of this process alone, used while Redis is unavailable, and for what is limited
 * before any work: the arithmetic of tokenBuckets.lua on the monotonic clock. A bucket that is full
 * again is dropped, so the map holds only callers of the last few seconds. Past `entriesMax` the
 * oldest are dropped, an error in the caller's favour.
 */
import { type Bucket, type BucketState, type RateDecision, tokensFrom } from '#core/identity';
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

  const stateOf = (bucket: Bucket, nowMs: number, wanted: number): BucketState => {
    const intervalMs = 1_000 / bucket.refillPerSecond;
    const debtMs = Math.max((fullAt.get(bucket.key) ?? nowMs) - nowMs, 0);
    const roomMs = bucket.capacity * intervalMs - debtMs;
    return {
      bucket,
      remaining: Math.max(0, Math.floor((roomMs + SLACK_MS) / intervalMs)),
      waitMs: Math.max(0, wanted * intervalMs - roomMs - SLACK_MS),
      fullInMs: debtMs,
    };
  };

  return {
    take(buckets: readonly Bucket[], further?: number): RateDecision {
      const nowMs = clock.monotonicMs();
      forgetFull(nowMs);
      const asked = buckets.map((bucket) => ({ bucket, ...tokensFrom(bucket, further) }));
      const allowed = asked.every(
        ({ bucket, taken }) => stateOf(bucket, nowMs, taken).waitMs === 0,
      );
      if (allowed) {
        for (const { bucket, taken } of asked) {
          const { key, refillPerSecond } = bucket;
          const at = Math.max(fullAt.get(key) ?? nowMs, nowMs) + (taken * 1_000) / refillPerSecond;
          fullAt.delete(key);
          fullAt.set(key, at);
        }
      }
      const states = asked.map(({ bucket, wanted }) =>
        stateOf(bucket, nowMs, allowed ? 1 : wanted),
      );
      return { allowed, counter: 'local', states };
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
