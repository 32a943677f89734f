/**
 * Dates as Tunisian texts write them: `12/03/1980`, `12 mars 1980`, `1980`, `12 مارس 1980`, with
 * the month names of Tunisia and of the east, and either kind of digits. Day comes first.
 */
import { partialDate } from '../partialDates.ts';
import { trimEnds } from '../trimEnds.ts';

const MONTHS: readonly (readonly string[])[] = [
  ['janvier', 'jan', 'january', 'جانفي', 'يناير'],
  ['fevrier', 'fev', 'feb', 'february', 'فيفري', 'فبراير'],
  ['mars', 'mar', 'march', 'مارس'],
  ['avril', 'avr', 'apr', 'april', 'افريل', 'ابريل'],
  ['mai', 'may', 'ماي', 'مايو'],
  ['juin', 'jun', 'june', 'جوان', 'يونيو'],
  ['juillet', 'juil', 'jul', 'july', 'جويليه', 'يوليو'],
  ['aout', 'aou', 'aug', 'august', 'اوت', 'اغسطس'],
  ['septembre', 'sept', 'sep', 'september', 'سبتمبر'],
  ['octobre', 'oct', 'october', 'اكتوبر'],
  ['novembre', 'nov', 'november', 'نوفمبر'],
  ['decembre', 'dec', 'december', 'ديسمبر'],
];
const NUMERIC = /^(?:(\d{1,2})[/.-])?(?:(\d{1,2})[/.-])?(\d{4})$/;
const ISO = /^(\d{4})-(\d{2})(?:-(\d{2}))?(?:t.*)?$/;
const WORDED = /^(?:(\d{1,2})(?:er)? )?(\p{L}+)\.? (\d{4})$/u;
const IN_TEXT = /\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|\d{4}-\d{2}-\d{2}|\d{1,2}(?:er)? \p{L}+ \d{4}/gu;

/** YYYY, YYYY-MM or YYYY-MM-DD; undefined where it cannot be read. */
export function readDate(text: string): string | undefined {
  const plain = plainText(text);
  const iso = ISO.exec(plain);
  if (iso) return toDate(iso[1], iso[2], iso[3]);
  const numeric = NUMERIC.exec(plain);
  if (numeric) {
    // `03/1980`: where there is one part before the year, it is the month.
    const [, first, second, year] = numeric;
    return second === undefined ? toDate(year, first) : toDate(year, second, first);
  }
  const worded = WORDED.exec(plain);
  if (!worded) return undefined;
  const month = MONTHS.findIndex((names) => names.includes(worded[2] ?? '')) + 1;
  return month === 0 ? undefined : toDate(worded[3], String(month), worded[1]);
}

/** The first full date within a text, and the text without it. */
export function dateWithin(
  text: string,
): { readonly date: string; readonly rest: string } | undefined {
  const plain = westernDigits(text);
  const [match] = plain.matchAll(IN_TEXT);
  const date = match ? readDate(match[0]) : undefined;
  if (!match || date === undefined) return undefined;
  const rest = `${plain.slice(0, match.index)} ${plain.slice(match.index + match[0].length)}`;
  return { date, rest: trimEnds(rest, ',;:–-').replace(/\s+/g, ' ') };
}

/** Every full date within a text, with the text between it and the one before. */
export function datesWithin(
  text: string,
): readonly { readonly date: string; readonly before: string }[] {
  const plain = westernDigits(text);
  let end = 0;
  return [...plain.matchAll(IN_TEXT)].flatMap((match) => {
    const date = readDate(match[0]);
    if (date === undefined) return [];
    const before = plain.slice(end, match.index);
    end = match.index + match[0].length;
    return [{ before, date }];
  });
}

function toDate(year?: string, month?: string, day?: string): string | undefined {
  return partialDate({ year: Number(year), month: Number(month ?? 0), day: Number(day ?? 0) });
}

function plainText(text: string): string {
  return westernDigits(text)
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .normalize('NFKC')
    .replace(/[أإآ]/g, 'ا')
    .replaceAll('ة', 'ه')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Arabic-Indic and extended ones. */
export function westernDigits(text: string): string {
  return text
    .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0));
}
