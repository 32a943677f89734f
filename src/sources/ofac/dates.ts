/**
 * OFAC's dates of birth, e.g. `05 Jan 1970`, `Jan 1970`, `1970`, `circa 1975`, `1960 to 1965`,
 * `05 Jan 1970 to 07 Feb 1971`, to the partial ISO dates and ranges of list format v1.
 * A date that is about right is still the best that is known: `circa` is dropped here and noted by
 * the mapper beside the text as published.
 */
import { dateRange, wordedDate } from '../partialDates.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH_BY_NAME: ReadonlyMap<string, string> = new Map(
  MONTHS.map((name, index) => [name, String(index + 1).padStart(2, '0')]),
);
const CIRCA = /^(?:circa|approximately|about|c\.|ca\.)\s*/i;
const YEAR = /^\d{4}$/;
/** One more than a range has. */
const PARTS_MAX = 3;
const DECADE = /^(\d{3})0s$/;

/** YYYY, YYYY-MM, YYYY-MM-DD or `from/to` of such; undefined where it cannot be read. */
export function parseOfacDate(text: string): string | undefined {
  const isDigit = text.charCodeAt(0) < 0x3a;
  const plain = isDigit ? text.trim() : text.trim().replace(CIRCA, '');
  // Most are a single date, which no range is taken for.
  const single = parseSingle(plain);
  if (single !== undefined) return single;
  const decade = DECADE.exec(plain);
  if (decade) return `${decade[1]}0/${decade[1]}9`;
  const parts = plain.split(/\sto\s|[-–]/, PARTS_MAX);
  if (parts.length === 1) return undefined;
  const [from, to] = parts.map((part) => parseSingle(part.trim().replace(CIRCA, '')));
  return parts.length === 2 ? dateRange(from, to) : undefined;
}

/** `05 Jan 1970`, as most of them are, without a regular expression. */
function parseDay(text: string): string | undefined {
  if (text.length !== 11 || text[2] !== ' ' || text[6] !== ' ') return undefined;
  const month = MONTH_BY_NAME.get(text.slice(3, 6));
  const day = 10 * digit(text, 0) + digit(text, 1);
  const isYear = digit(text, 7) + digit(text, 8) + digit(text, 9) + digit(text, 10) >= 0;
  if (month === undefined || !isYear || !(day >= 1 && day <= 28)) return undefined;
  return `${text.slice(7)}-${month}-${text.slice(0, 2)}`;
}

/** NaN where it is none. */
function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 0x30;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}

function parseSingle(text: string): string | undefined {
  const plain = parseDay(text);
  if (plain !== undefined) return plain;
  return YEAR.test(text) ? text : wordedDate(text);
}
