/** Days as reports and forms have them: `YYYY-MM-DD`, in UTC. */
import { type EpochMs, toTimestamp } from '#platform/clock';

const DAY_MS = 24 * 3_600_000;

/** The day of an instant, in UTC. */
export const dayOf = (at: EpochMs): string => toTimestamp(at).slice(0, 10);

/** The instant at which a day begins. */
export const startOf = (day: string): EpochMs => Date.parse(`${day}T00:00:00Z`) as EpochMs;

/** `YYYY-MM-DD` so many days later. */
export const daysAfter = (day: string, days: number): string =>
  dayOf((startOf(day) + days * DAY_MS) as EpochMs);
