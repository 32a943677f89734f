/**
 * Time is passed as an argument (STYLE: a test fixes it, a seed replays it). `now` is the wall
 * clock and may jump; `monotonicMs` never goes back and is for durations.
 */
declare const epochMs: unique symbol;
/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number & { readonly [epochMs]: true };

export interface Clock {
  now(): EpochMs;
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => Date.now() as EpochMs,
  monotonicMs: () => performance.now(),
};

/** RFC 3339 UTC with milliseconds: the one form of every timestamp on the wire. */
export function toTimestamp(at: EpochMs): string {
  return new Date(at).toISOString();
}
