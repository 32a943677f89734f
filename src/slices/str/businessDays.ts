/** Days on which an authority's desk is open: Monday to Friday, in UTC. */
import type { EpochMs } from '#platform/clock';

const DAY_MS = 24 * 3_600_000;
const SATURDAY = 6;
const SUNDAY = 0;

/** The same time of day, so many business days on. */
export function afterBusinessDays(from: EpochMs, days: number): EpochMs {
  let at: number = from;
  for (let left = days; left > 0; ) {
    at += DAY_MS;
    const weekday = new Date(at).getUTCDay();
    if (weekday !== SATURDAY && weekday !== SUNDAY) left--;
  }
  return at as EpochMs;
}
