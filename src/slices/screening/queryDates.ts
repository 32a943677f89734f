/**
 * Dates of a query: a day, a month or a year of birth, and a range of months. A fault is one of two
 * kinds: a wrong form, or a year, month or day out of range.
 *
 * Years are 1000 to 2999: any other is a date of another calendar or a placeholder for "unknown",
 * which would find no one.
 */
import type { Violation } from '#core/kernel';

export const QUERY_YEARS = '1000 to 2999';
/** A pattern of JSON Schema; days are checked against the calendar as well. */
export const PARTIAL_DATE_PATTERN = '^[12][0-9]{3}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$';
export const MONTH_RANGE_PATTERN = '^[12][0-9]{3}-(0[1-9]|1[0-2]):[12][0-9]{3}-(0[1-9]|1[0-2])$';

const PARTIAL_DATE = new RegExp(PARTIAL_DATE_PATTERN);
const MONTH_RANGE = new RegExp(MONTH_RANGE_PATTERN);
/** The form by digits alone. */
const DATE_FORM = /^([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?$/;
const RANGE_FORM = /^([0-9]{4})-([0-9]{2}):([0-9]{4})-([0-9]{2})$/;

const YEAR = `a year from ${QUERY_YEARS}`;
const MONTH = 'a month from 01 to 12';
const DAY = 'a day from 01 to 31';

export type DateFault = Omit<Violation, 'pointer'>;

/** What is wrong with a date; undefined where nothing is. */
export function partialDateFault(text: string): DateFault | undefined {
  // Ten million rows pass here, and hardly one of them is wrong.
  if (PARTIAL_DATE.test(text) && (text.length < 10 || isInCalendar(text))) return undefined;
  const [, year, month, day] = DATE_FORM.exec(text) ?? [];
  if (year === undefined) return formFault('expected YYYY-MM-DD, YYYY-MM or YYYY');
  const hasYear = isYear(year);
  const hasMonth = month === undefined || isMonth(month);
  const parts = [...(hasYear ? [] : [YEAR]), ...(hasMonth ? [] : [MONTH])];
  if (day !== undefined) {
    const isWhole = hasYear && hasMonth;
    const days = isWhole ? daysInMonth(text) : 31;
    if (!(Number(day) >= 1 && Number(day) <= days)) {
      parts.push(isWhole ? `a day of the calendar, 01 to ${days} in that month` : DAY);
    }
  }
  return { code: 'range', detail: `expected ${parts.join(', ')}` };
}

/** What is wrong with a range of months; undefined where nothing is. */
export function monthRangeFault(text: string): DateFault | undefined {
  if (MONTH_RANGE.test(text)) return monthOrderFault(text);
  const [, firstYear, firstMonth, lastYear, lastMonth] = RANGE_FORM.exec(text) ?? [];
  if (firstYear === undefined) return formFault('expected YYYY-MM:YYYY-MM');
  const hasYears = isYear(firstYear) && isYear(lastYear);
  const hasMonths = isMonth(firstMonth) && isMonth(lastMonth);
  const parts = [...(hasYears ? [] : [YEAR]), ...(hasMonths ? [] : [MONTH])];
  return { code: 'range', detail: `expected ${parts.join(', ')}` };
}

/** Checks a range whose form is right. */
function monthOrderFault(range: string): DateFault | undefined {
  if (range.slice(0, 7) <= range.slice(8)) return undefined;
  return formFault('expected the first month not after the last');
}

const formFault = (detail: string): DateFault => ({ code: 'format', detail });

const isYear = (digits = ''): boolean => digits >= '1000' && digits <= '2999';
const isMonth = (digits = ''): boolean => digits >= '01' && digits <= '12';

function isInCalendar(date: string): boolean {
  const day = Number(date.slice(8));
  return day <= 28 || day <= daysInMonth(date);
}

const daysInMonth = (date: string): number =>
  new Date(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)), 0)).getUTCDate();
