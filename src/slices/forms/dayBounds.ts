/** Bounds of days that a definition names: a day, or one from today (`today-18y`). */
import { isDay } from '#core/conditions';

const FROM_TODAY = /^today(?:([+-])(\d{1,3})([ymd]))?$/;

/** Whether it is a bound. */
export const isDayBound = (value: unknown): value is string =>
  typeof value === 'string' && (FROM_TODAY.test(value) || isDay(value));

/** The day that a bound means today. A month that has no such day ends the day before. */
export function boundDay(bound: string, today: string): string {
  const found = FROM_TODAY.exec(bound);
  if (found === null) return bound;
  const [, sign, count, unit] = found;
  const by = count === undefined ? 0 : Number(count) * (sign === '-' ? -1 : 1);
  const [year = 0, month = 1, day = 1] = today.split('-').map(Number);
  if (unit === 'd' || by === 0) return dayText(year, month - 1, day + by);
  const months = month - 1 + (unit === 'm' ? by : 0);
  const years = year + (unit === 'y' ? by : 0);
  const lastDay = new Date(Date.UTC(years, months + 1, 0)).getUTCDate();
  return dayText(years, months, Math.min(day, lastDay));
}

const dayText = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** Whether a day, or a part of one, lies within; parts compare by what they say. */
export function isWithin(
  value: string,
  { max, min }: { readonly max?: string | undefined; readonly min?: string | undefined },
  today: string,
): { readonly isEarly: boolean; readonly isLate: boolean } {
  const of = (bound: string): string => boundDay(bound, today).slice(0, value.length);
  return {
    isEarly: min !== undefined && value < of(min),
    isLate: max !== undefined && value > of(max),
  };
}
