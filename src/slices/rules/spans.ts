/**
 * Lengths of time and the beginnings of days and months. A span is ISO 8601 in weeks, days, hours,
 * minutes and seconds: a day is 24 hours, since a window slides over the line of time. What depends
 * on a calendar (today, this month) begins at midnight of the tenant's zone.
 */

const SPAN = /^P(?:(\d{1,3})W|(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,6})S)?)?)$/;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Milliseconds of a day of a span. */
export const DAY_MS = 24 * HOUR_MS;

/** Milliseconds; undefined where it is no span of these units. */
export function spanMs(text: string): number | undefined {
  const [matched, weeks, days, hours, minutes, seconds] = SPAN.exec(text) ?? [];
  if (matched === undefined || matched === 'P' || matched.endsWith('T')) return undefined;
  return (
    Number(weeks ?? 0) * 7 * DAY_MS +
    Number(days ?? 0) * DAY_MS +
    Number(hours ?? 0) * HOUR_MS +
    Number(minutes ?? 0) * MINUTE_MS +
    Number(seconds ?? 0) * SECOND_MS
  );
}

/** What of a calendar a window may begin with. */
export const CALENDAR_UNITS = ['day', 'month'] as const;
/** One of CALENDAR_UNITS. */
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

/** Says when the day or month of an instant began in a zone. */
export class Calendar {
  readonly #zone: string;
  readonly #format: Intl.DateTimeFormat;
  /** The last answers: instants come in order, so most are of the same day. */
  readonly #known = new Map<CalendarUnit, { from: number; to: number }>();

  constructor(zone: string) {
    this.#zone = zone;
    this.#format = new Intl.DateTimeFormat('en-GB', {
      day: '2-digit',
      hour: '2-digit',
      hourCycle: 'h23',
      minute: '2-digit',
      month: '2-digit',
      second: '2-digit',
      timeZone: zone,
      year: 'numeric',
    });
  }

  /** The first instant of the day or month. */
  startOf(unit: CalendarUnit, at: number): number {
    const known = this.#known.get(unit);
    if (known !== undefined && at >= known.from && at < known.to) return known.from;
    const [year, month, day] = this.#dateAt(at);
    const first = unit === 'day' ? day : 1;
    const from = this.#midnight(year, month, first);
    const to =
      unit === 'day'
        ? this.#midnight(year, month, first + 1)
        : this.#midnight(year, month + 1, first);
    this.#known.set(unit, { from, to });
    return from;
  }

  #dateAt(at: number): readonly [year: number, month: number, day: number] {
    if (this.#zone === 'UTC') {
      const date = new Date(at);
      return [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
    }
    const wall = new Date(this.#wallAt(at));
    return [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()];
  }

  /** What clocks of the zone show, as if it were UTC. */
  #wallAt(at: number): number {
    const of = new Map(this.#format.formatToParts(at).map(({ type, value }) => [type, value]));
    const part = (type: Intl.DateTimeFormatPartTypes) => Number(of.get(type));
    return Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
  }

  /** The first instant whose date is this one; where clocks skip midnight, the first after it. */
  #midnight(year: number, month: number, day: number): number {
    const wall = Date.UTC(year, month, day);
    if (this.#zone === 'UTC') return wall;
    const offsets = [-DAY_MS, DAY_MS].map((by) => this.#wallAt(wall + by) - (wall + by));
    const candidates = [...new Set(offsets)].map((offset) => wall - offset).sort((a, b) => a - b);
    const found = candidates.find(
      (at) => this.#wallAt(at) >= wall && this.#wallAt(at - 1_000) < wall,
    );
    return found ?? candidates[0] ?? wall;
  }
}
