/** On which days, and at which times of a day, a Quartz expression fires. All of it is UTC. */
import type { DayRule, QuartzCron } from './quartz.ts';

export const DAY_MS = 86_400_000;
const DAY_SECONDS = 86_400;
const SATURDAY = 6;

/** Days since 1970-01-01. */
export type DayNumber = number;

export function isFireDay(cron: QuartzCron, day: DayNumber): boolean {
  const date = new Date(day * DAY_MS);
  const month = date.getUTCMonth() + 1;
  if (!cron.months.has(month)) return false;
  const dayOfMonth = date.getUTCDate();
  const last = new Date(Date.UTC(date.getUTCFullYear(), month, 0)).getUTCDate();
  const on = { dayOfMonth, last, weekday: date.getUTCDay() };
  return cron.days.some((rule) => holds(rule, on));
}

interface MonthDay {
  readonly dayOfMonth: number;
  /** Days that its month has. */
  readonly last: number;
  readonly weekday: number;
}

function holds(rule: DayRule, on: MonthDay): boolean {
  switch (rule.kind) {
    case 'date':
      return on.dayOfMonth === rule.date;
    case 'nearest':
      return on.dayOfMonth === nearestWeekday(rule.date, on);
    case 'last': {
      const date = on.last - rule.offset;
      return on.dayOfMonth === (rule.isNearest ? nearestWeekday(date, on) : date);
    }
    case 'weekday':
      return on.weekday === rule.weekday;
    case 'nth':
      return on.weekday === rule.weekday && Math.ceil(on.dayOfMonth / 7) === rule.nth;
    case 'lastWeekday':
      return on.weekday === rule.weekday && on.dayOfMonth + 7 > on.last;
  }
}

/** Friday for a Saturday and Monday for a Sunday, but never in another month. */
function nearestWeekday(date: number, on: MonthDay): number | undefined {
  if (date < 1 || date > on.last) return undefined;
  const weekday = (((on.weekday + date - on.dayOfMonth) % 7) + 7) % 7;
  if (weekday === SATURDAY) return date > 1 ? date - 1 : date + 2;
  if (weekday === 0) return date < on.last ? date + 1 : date - 2;
  return date;
}

/** Seconds since midnight, ascending: the same on every day of fires. */
export function* fireTimes({ hours, minutes, seconds }: QuartzCron): Generator<number> {
  for (const hour of hours) {
    for (const minute of minutes) {
      for (const second of seconds) yield hour * 3_600 + minute * 60 + second;
    }
  }
}

/** The shortest time between a fire of one and a fire of the other, in seconds. */
export interface Gap {
  readonly seconds: number;
  /** The day of the earlier fire: an example to show. */
  readonly day: DayNumber;
}

/**
 * The shortest time between fires of two expressions, or of one: `a` and `b` are then the same
 * object. Exact over `days`. The times are the same on all days, so each pair of times is compared
 * once, and then the days are searched for one that has both.
 */
export function shortestGap(
  a: QuartzCron,
  b: QuartzCron,
  days: { readonly from: DayNumber; readonly count: number },
): Gap | undefined {
  const timesA = [...fireTimes(a)];
  const timesB = a === b ? timesA : [...fireTimes(b)];
  const inOneDay = a === b ? closestOfOne(timesA) : closestOfTwo(timesA, timesB);
  const overMidnight = (before: number[], after: number[]): number =>
    DAY_SECONDS - (before.at(-1) ?? 0) + (after[0] ?? 0);
  const gaps = { ab: overMidnight(timesA, timesB), ba: overMidnight(timesB, timesA) };
  let shortest: Gap | undefined;
  const consider = (seconds: number, day: DayNumber): void => {
    if (seconds < (shortest?.seconds ?? Infinity)) shortest = { day, seconds };
  };
  let isA = isFireDay(a, days.from);
  let isB = isFireDay(b, days.from);
  for (let day = days.from; day < days.from + days.count; day++) {
    const isNextA = isFireDay(a, day + 1);
    const isNextB = a === b ? isNextA : isFireDay(b, day + 1);
    if (isA && isB) consider(inOneDay, day);
    if (isA && isNextB) consider(gaps.ab, day);
    if (isB && isNextA) consider(gaps.ba, day);
    [isA, isB] = [isNextA, isNextB];
  }
  return shortest;
}

function closestOfOne(times: readonly number[]): number {
  let closest = Infinity;
  for (let index = 1; index < times.length; index++) {
    closest = Math.min(closest, (times[index] ?? 0) - (times[index - 1] ?? 0));
  }
  return closest;
}

/** Both ascending: whichever is behind moves on. */
function closestOfTwo(a: readonly number[], b: readonly number[]): number {
  let closest = Infinity;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const difference = (a[i] ?? 0) - (b[j] ?? 0);
    closest = Math.min(closest, Math.abs(difference));
    if (difference < 0) i++;
    else j++;
  }
  return closest;
}
