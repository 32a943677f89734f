/** Dates as publishers know them, to the partial dates and ranges of list format v1. */

/** YYYY, YYYY-MM or YYYY-MM-DD, as far as known; undefined where there is no such day. */
export function partialDate(parts: {
  readonly year: number;
  readonly month?: number;
  readonly day?: number;
}): string | undefined {
  const { year, month = 0, day = 0 } = parts;
  if (![year, month, day].every(Number.isInteger)) return undefined;
  if (year < 1000 || year > 9999 || month > 12 || month < 0) return undefined;
  if (month < 1) return day < 1 ? String(year) : undefined;
  const yearMonth = `${year}-${String(month).padStart(2, '0')}`;
  if (day < 1) return yearMonth;
  const date = `${yearMonth}-${String(day).padStart(2, '0')}`;
  if (day <= 28) return date;
  const time = Date.parse(`${date}T00:00:00Z`);
  // Date.parse takes 31 February as a day in March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date) return undefined;
  return date;
}

/** `from/to`, or the one where they are the same; undefined where they are the wrong way round. */
export function dateRange(from: string | undefined, to: string | undefined): string | undefined {
  if (from === undefined || to === undefined || from > to) return undefined;
  return from === to ? from : `${from}/${to}`;
}

const ISO = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:[T+-].*|Z)?$/;

/** `1964`, `1964-01`, `1964-01-31`, and with a time or an offset after it. */
export function isoPartialDate(text: string): string | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [, year, month = '0', day = '0'] = match;
  return partialDate({ year: Number(year), month: Number(month), day: Number(day) });
}

const DAY_FIRST = /^(\d{1,2}|dd)[/.-](\d{1,2}|mm)[/.-](\d{4})(?:\s.*|T.*)?$/i;

/** `31/01/1964`, with zeros or letters for unknown parts: `00/00/1964`, `dd/mm/1964`. */
export function dayFirstDate(text: string): string | undefined {
  const match = DAY_FIRST.exec(text);
  if (!match) return undefined;
  const [, day = '', month = '', year] = match;
  return partialDate({ year: Number(year), month: Number(month) || 0, day: Number(day) || 0 });
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WORDS = /^(?:(\d{1,2})\s+)?([A-Za-z]{3,9})\.?\s+(\d{4})$/;

/** `Nov. 1973`, `3 August 1961`. */
export function wordedDate(text: string): string | undefined {
  const match = WORDS.exec(text.trim());
  if (!match) return undefined;
  const [, day = '0', name = '', year] = match;
  const month = MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
  return month === 0 ? undefined : partialDate({ year: Number(year), month, day: Number(day) });
}

const ABOUT = /^(?:circa|ca?\.|approximately|approx\.?|about|around) ?(?=\d|[A-Z])/i;
/** `10/mm/1946`, `07/00/1976`: a day without its month. */
const MONTHLESS = /^\d{1,2}[/.-](?:00?|mm)[/.-](\d{4})$/i;
const ISO_MONTHLESS = /^(\d{4})-00-\d{2}$/;
const MONTH_FIRST = /^(\d{1,2})[/.](\d{4})$/;

/**
 * A date of birth in whichever of these forms, as far as it is sure; `isAbout` where the text says
 * more than the date, or that it is not sure: of `10/mm/1946` the year, of `circa 1949` the year.
 */
export function birthDate(published: string): {
  readonly date: string | undefined;
  readonly isAbout: boolean;
} {
  const spaced = published.replace(/\s+/g, ' ').trim();
  const text = spaced.replace(ABOUT, '');
  const [, month, year] = MONTH_FIRST.exec(text) ?? [];
  const whole =
    dayFirstDate(text) ??
    isoPartialDate(text) ??
    wordedDate(text) ??
    partialDate({ month: Number(month), year: Number(year) });
  if (whole !== undefined) return { date: whole, isAbout: text !== spaced };
  const known = MONTHLESS.exec(text)?.[1] ?? ISO_MONTHLESS.exec(text)?.[1];
  return { date: partialDate({ year: Number(known) }), isAbout: true };
}
