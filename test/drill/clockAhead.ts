/**
 * Loaded before a process's own code: its wall clock is ahead by CLOCK_AHEAD_MS, as on a host whose
 * clock was set wrongly. Its monotonic clock runs as ever.
 */
const RealDate = Date;
const aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);

class AheadDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(AheadDate.now());
    else super(...(given as [number]));
  }

  static override now(): number {
    return RealDate.now() + aheadMs;
  }
}

globalThis.Date = AheadDate as DateConstructor;
