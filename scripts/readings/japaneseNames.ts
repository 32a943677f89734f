/**
 * Family and given names of Japan with their readings in Latin letters (Hepburn as passports have
 * it, long vowels not marked), in the order in which they are likely.
 */
import { readFileSync } from 'node:fs';
import { realNames } from '../reranker2/dataFolder.ts';

/** Reading → names that have it, separated by spaces; readings in order of likelihood. */
export interface JapaneseNames {
  readonly surnames: Record<string, string>;
  readonly given: Record<string, string>;
}

/** People of the corpus who have a given name, where it is kept. */
const GIVEN_SEEN_MIN = 2;
const READINGS_MAX = 5;

const rowsOf = (file: string): string[][] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.trim().split(','));

/** Long vowels are written short: passports do, and the comparison doubles no vowel. */
function short(romaji: string): string {
  return romaji
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/ou/g, 'o')
    .replace(/oo/g, 'o')
    .replace(/uu/g, 'u');
}

/** How many people of the world's Latin names have each given name. */
function latinCounts(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { name, source } of realNames()) {
    if (source !== 'wikidata_en') continue;
    for (const word of name.toLowerCase().split(/[\s-]+/)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}

/** Given names as written, by how many people of the corpus have them. */
function givenCounts(surnames: ReadonlySet<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { name, source } of realNames()) {
    if (source !== 'ja_person') continue;
    const chars = [...name];
    const length = [3, 2, 1].find((count) => surnames.has(chars.slice(0, count).join('')));
    const given = length === undefined ? '' : chars.slice(length).join('');
    if (given !== '') counts.set(given, (counts.get(given) ?? 0) + 1);
  }
  return counts;
}

function byReading(rows: readonly (readonly [string, string])[]): Record<string, string> {
  const found = new Map<string, string[]>();
  for (const [reading, name] of rows) found.set(reading, [...(found.get(reading) ?? []), name]);
  return Object.fromEntries([...found].map(([reading, names]) => [reading, names.join(' ')]));
}

/** The names of the data set in `folder` that people have. */
export function japaneseNames(folder: string): JapaneseNames {
  const surnames = rowsOf(`${folder}/last_name_org.csv`).map(
    ([name = '', , , romaji = '']) => [short(romaji), name] as const,
  );
  const known = new Set(surnames.map(([, name]) => name));
  const people = givenCounts(known);
  const latin = latinCounts();
  const readings = new Map<string, Set<string>>();
  for (const gender of ['man', 'woman']) {
    for (const [, romaji = '', ...names] of rowsOf(`${folder}/first_name_${gender}_org.csv`)) {
      for (const name of names) {
        if ((people.get(name) ?? 0) < GIVEN_SEEN_MIN) continue;
        readings.set(name, (readings.get(name) ?? new Set<string>()).add(short(romaji)));
      }
    }
  }
  const likely = (reading: string) => latin.get(reading) ?? 0;
  const kept = [...readings].flatMap(([name, all]) =>
    [...all]
      .sort((a, b) => likely(b) - likely(a) || (a < b ? -1 : 1))
      .slice(0, READINGS_MAX)
      .map((reading) => [reading, name] as const),
  );
  const inOrder = kept.sort(
    ([a, one], [b, other]) =>
      likely(b) - likely(a) || (a < b ? -1 : a > b ? 1 : one < other ? -1 : 1),
  );
  return { given: byReading(inOrder), surnames: byReading(surnames) };
}
