/**
 * DatePeriod to the partial ISO dates and ranges of list format v1. The format gives the first and
 * the last day that a date may mean: a year is its 1 January to its 31 December.
 */
import { partialDate } from '../../partialDates.ts';
import { childOf, childText, type XmlRecord } from '../../recordBuilder.ts';

export interface ReadPeriod {
  /** YYYY, YYYY-MM, YYYY-MM-DD or `from/to` of such. */
  readonly date: string;
  readonly isApproximate: boolean;
}

/** Undefined where it cannot be read: no such day, the end before the start. */
export function readPeriod(period: XmlRecord): ReadPeriod | undefined {
  const start = childOf(period, 'Start');
  const end = childOf(period, 'End');
  const days: string[] = [];
  for (const boundary of [start, end]) {
    for (const name of ['From', 'To']) {
      const day = readDay(childOf(boundary, name));
      if (day === '') return undefined;
      if (day !== undefined) days.push(day);
    }
  }
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined || from > to) return undefined;
  const isApproximate = [start, end].some((boundary) =>
    /^(?:true|1)$/.test(boundary?.attributes.get('Approximate') ?? ''),
  );
  return { date: rangeOf(from, to), isApproximate };
}

/** Undefined where there is none, '' where it is no day; month and day are 0 where unknown. */
export function readDay(point: XmlRecord | undefined): string | undefined {
  if (!point) return undefined;
  // A part that is no number is unknown, and a day without its month is useless.
  const [year, month, day] = [partOf(point, 'Year'), partOf(point, 'Month'), partOf(point, 'Day')];
  return partialDate({ year, month, day: month === 0 ? 0 : day }) ?? '';
}

const partOf = (point: XmlRecord, name: string): number => Number(childText(point, name)) || 0;

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
