/**
 * Dates of six digits. Expiries are of this century; a birth is the latest date that is not after
 * today. Parts that nobody knows are fillers or X (ICAO 9303-3, 4.8).
 */

const DATE = /^(\d\d)(\d\d|<<|XX)(\d\d|<<|XX)$/;
/** Older than anybody. */
const AGE_YEARS_MAX = 120;
const CENTURY = 100;

/** YYYY-MM-DD, or as much of it as is known; undefined where it is no date. */
export const expiryDate = (text: string): string | undefined => dateIn(text, 2_000);

/** As `expiryDate`. */
export function birthDate(text: string, today: string): string | undefined {
  const year = Number(today.slice(0, 4));
  const century = year - (year % CENTURY);
  const latest = [century, century - CENTURY]
    .map((base) => dateIn(text, base))
    .find((date) => date !== undefined && date <= today.slice(0, date.length));
  const isAged = latest !== undefined && year - Number(latest.slice(0, 4)) > AGE_YEARS_MAX;
  return isAged ? undefined : latest;
}

function dateIn(text: string, century: number): string | undefined {
  const [, yy = '', month = '', day = ''] = DATE.exec(text) ?? [];
  if (yy === '') return undefined;
  const year = String(century + Number(yy));
  if (!isKnown(month)) return isKnown(day) ? undefined : year;
  const isMonth = Number(month) >= 1 && Number(month) <= 12;
  if (!isKnown(day)) return isMonth ? `${year}-${month}` : undefined;
  const date = `${year}-${month}-${day}`;
  const parsed = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(parsed) || new Date(parsed).toISOString().slice(0, 10) !== date
    ? undefined
    : date;
}

const isKnown = (part: string): boolean => /^\d\d$/.test(part);
