/**
 * The release date of a national list: the date that its titles call the update's (`Mise à jour :
 * 12/03/2026`), else their latest one that is not part of a law's name (`Loi n° 2015-26 du 7 août
 * 2015`), else the latest date of listing. A file with none is refused: the person who imports it
 * writes the date above the heading.
 */
import { DomainError } from '#core/kernel';
import { datesWithin, readDate } from './dates.ts';
import type { Table } from './tables.ts';

/** Folded as `plain` does. If words of both kinds stand before a date, the nearest counts. */
const UPDATE = [
  ...['a jour', 'actualise', 'arretee?s? (?:au|a la date|le)', 'version', 'edition'],
  ...['updated?', 'as of', 'as at', '(?:[وبل]?ال|لل|[وبل])?(?:تحديث|تحيين|محين|محدث)'],
];
/** Whole words: `loi` is no part of `emploi`. */
const LAW = [
  ...['lois?', 'decrets?', 'arretes?', 'decisions?', 'resolutions?', 'circulaires?', 'ordonnance'],
  ...['journal officiel', 'jort', 'law', 'act', 'decree', 'order', 'regulation', 'gazette'],
  '(?:[وبل]?ال|لل|[وبل])?(?:قانون|امر|مرسوم|قرار|منشور|رائد)',
];
const UPDATE_WORDS = wordsOf(UPDATE, '');
const LAW_WORDS = wordsOf(LAW, '(?!\\p{L})');

export function releaseDateOf(file: {
  readonly titles: readonly string[];
  readonly tables: readonly Table[];
}): string {
  const dates = file.titles.flatMap(titleDates).filter(({ date }) => date.length === 10);
  const date =
    latest(dates.filter(({ kind }) => kind === 'update')) ??
    latest(dates.filter(({ kind }) => kind === undefined)) ??
    latest(file.tables.flatMap(listingDates));
  if (date !== undefined) return date;
  const detail = 'no release date: write one above the heading, as `Mise à jour : 12/03/2026`';
  throw new DomainError('list-damaged', { detail });
}

interface Dated {
  readonly date: string;
}

function titleDates(title: string): (Dated & { readonly kind: 'law' | 'update' | undefined })[] {
  return datesWithin(title).map(({ before, date }) => {
    const words = plain(before);
    const update = lastIndex(words, UPDATE_WORDS);
    const law = lastIndex(words, LAW_WORDS);
    // `arrêté au` also matches the word for a decree, at the same place.
    if (update >= 0 && update >= law) return { date, kind: 'update' };
    return { date, kind: law >= 0 ? 'law' : undefined };
  });
}

function listingDates({ roles, rows }: Table): Dated[] {
  const column = roles.indexOf('listedOn');
  return rows
    .map(({ cells, fault }) => (fault === undefined ? readDate(cells[column] ?? '') : undefined))
    .filter((date) => date?.length === 10)
    .map((date = '') => ({ date }));
}

const latest = (dates: readonly Dated[]): string | undefined =>
  dates
    .map(({ date }) => date)
    .sort()
    .at(-1);

function lastIndex(text: string, words: RegExp): number {
  let last = -1;
  for (const { index } of text.matchAll(words)) last = index;
  return last;
}

function wordsOf(words: readonly string[], end: string): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${words.join('|')})${end}`, 'gu');
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .replace(/[أإآ]/g, 'ا')
    .replace(/\s+/g, ' ');
}
