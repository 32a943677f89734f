/**
 * Log-linear histograms of two digits: 0 to 99 each for itself, then steps of a tenth of the
 * decade's length. Adding is one count, and a quantile is off by a tenth at the most, downwards.
 */

/** How often each value came, by its first two digits. */
export type Histogram = Readonly<Record<string, number>>;

/** The value with zeros behind its first two digits; not below 0. */
export function twoDigits(value: number): number {
  const whole = Math.max(0, Math.round(value));
  const step = 10 ** Math.max(0, String(whole).length - 2);
  return Math.floor(whole / step) * step;
}

/** Counts a value, or several that are equal. */
export function addTo(histogram: Record<string, number>, value: number, count = 1): void {
  const name = String(twoDigits(value));
  histogram[name] = (histogram[name] ?? 0) + count;
}

/** Absent where nothing was measured. */
export type Quantiles = Readonly<Record<'p50' | 'p95' | 'p99', number>> | undefined;

/** From the counts, the least first. */
export function quantilesOf(histogram: Histogram): Quantiles {
  const steps = Object.entries(histogram)
    .map(([value, count]) => [Number(value), count] as const)
    .toSorted(([a], [b]) => a - b);
  const total = steps.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return undefined;
  const at = (share: number): number => {
    let left = Math.min(total - 1, Math.floor(total * share));
    for (const [value, count] of steps) {
      if (left < count) return value;
      left -= count;
    }
    return 0;
  };
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
