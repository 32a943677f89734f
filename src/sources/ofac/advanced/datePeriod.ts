/**
 * DatePeriod to the partial ISO dates and ranges of list format v1. The format gives the first and
 * the last day that a date may mean: a year is its 1 January to its 31 December.
 */
import { partialDate } from '../../partialDates.ts';
import { childOf, childText, type XmlRecord } from '../../xml/index.ts';

export interface ReadPeriod {
  /** YYYY, YYYY-MM, YYYY-MM-DD or `from/to` of such. */
  readonly date: string;
  readonly isApproximate: boolean;
}

/** Undefined where it cannot be read: no such day, the end before the start. */
export function readPeriod(period: XmlRecord): ReadPeriod | undefined {
  const start = childOf(period, 'Start');
  const end = childOf(period, 'End');
  const days = [start, end].flatMap((boundary) => [
    readDay(childOf(boundary, 'From')),
    readDay(childOf(boundary, 'To')),
  ]);
  if (days.includes('')) return undefined;
  const known = days.filter((day) => day !== undefined);
  const [from, to] = [known[0], known.at(-1)];
  if (from === undefined || to === undefined || from > to) return undefined;
  const isApproximate = [start, end].some((boundary) =>
    /^(?:true|1)$/.test(boundary?.attributes.get('Approximate') ?? ''),
  );
  return { date: rangeOf(from, to), isApproximate };
}

/** Undefined where there is none, '' where it is no day; month and day are 0 where unknown. */
export function readDay(point: XmlRecord | undefined): string | undefined {
  if (!point) return undefined;
  const [year, month, day] = ['Year', 'Month', 'Day'].map((name) => Number(childText(point, name)));
  // What is no number is unknown, and a day without its month tells nothing.
  const known = { year: year || 0, month: month || 0, day: (month && day) || 0 };
  return partialDate(known) ?? '';
}

function rangeOf(from: string, to: string): string {
  if (from === to) return from;
  const isYears = from.endsWith('-01-01') && to.endsWith('-12-31');
  const [first, last] = isYears ? [from.slice(0, 4), to.slice(0, 4)] : [from, to];
  if (first === last) return first;
  const isMonth = from.endsWith('-01') && from.slice(0, 7) === to.slice(0, 7) && isMonthEnd(to);
  return isMonth ? from.slice(0, 7) : `${first}/${last}`;
}

function isMonthEnd(date: string): boolean {
  const next = new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000);
  return next.toISOString().endsWith('-01T00:00:00.000Z');
}
