/**
 * Dates of birth as numbers, and how far they agree (decisions 2.4): 1 exact, 0.5 in part, 0 not.
 *
 * A date is yyyymmdd with 00 for an unknown month or day; a list's range is two of them. Dates
 * agree in part when the year agrees and a side lacks month or day, when month and day are swapped,
 * or when the query's range of months contains the date. A list range that contains the query's
 * date agrees in part.
 */
import { scoreMonths } from './native/dates.ts';

/** A published date or range, both ends yyyymmdd; `from` equals `to` for one date. */
export interface DateSpan {
  readonly from: number;
  readonly to: number;
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

/**
 * YYYY, YYYY-MM or YYYY-MM-DD → yyyymmdd, with 00 for what is missing. Undefined for anything else;
 * days are checked to be 1..31 only, not against the month.
 */
export function parsePartialDate(text: string): number | undefined {
  if (text.length !== 4 && text.length !== 7 && text.length !== 10) return undefined;
  const high = twoDigits(text, 0);
  const low = twoDigits(text, 2);
  const month = text.length >= 7 && text[4] === '-' ? twoDigits(text, 5) : 0;
  const day = text.length === 10 && text[7] === '-' ? twoDigits(text, 8) : 0;
  if (high < 0 || low < 0 || month < 0 || month > 12 || day < 0 || day > 31) return undefined;
  if ((text.length >= 7 && month === 0) || (text.length === 10 && day === 0)) return undefined;
  return (high * 100 + low) * 10_000 + month * 100 + day;
}

/** A list's date, or a range `from/to` of two dates; undefined where either cannot be read. */
export function parseDateSpan(text: string): DateSpan | undefined {
  const slash = text.indexOf('/');
  const from = parsePartialDate(slash < 0 ? text : text.slice(0, slash));
  const to = slash < 0 ? from : parsePartialDate(text.slice(slash + 1));
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** `YYYY-MM:YYYY-MM` → its first and last month as yyyymm00; undefined for anything else. */
export function parseMonthRange(text: string): DateSpan | undefined {
  if (text.length !== 15 || text[7] !== ':') return undefined;
  const from = parsePartialDate(text.slice(0, 7));
  const to = parsePartialDate(text.slice(8));
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** How far a full or partial date of the query agrees with one published date. */
export { scoreDates } from './native/dates.ts';

/**
 * How far the query's range of months agrees with one published date or range: 0.5 where they
 * overlap, else 0.
 */
export function scoreMonthRange(range: DateSpan, from: number, to: number): number {
  return scoreMonths(range.from, range.to, from, to);
}

/** Full dates that differ from a full one by one digit, or by a year (re-ranker 1.1); none else. */
export function datesNear(date: number): number[] {
  if (date % 100 === 0 || date % 10_000 < 100) return [];
  const near = new Set([date - 10_000, date + 10_000]);
  for (let place = 1; place <= 10_000_000; place *= 10) {
    const rest = date - (Math.floor(date / place) % 10) * place;
    for (let digit = 0; digit < 10; digit++) near.add(rest + digit * place);
  }
  near.delete(date);
  return [...near].filter((one) => isDate(one));
}

function isDate(date: number): boolean {
  const month = Math.floor(date / 100) % 100;
  const day = date % 100;
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}
