/**
 * Names of real people who are on no list, and of listed companies: what is found for them is a
 * false alarm. Names that a list has, in any order of their words, are left out.
 */
import { pick, seededRandom } from '../../bench/random.ts';
import { foldName } from '../../src/engine/foldName.ts';
import { linesOf, realNames } from './dataFolder.ts';
import { isLatin } from './noise.ts';
import { parties } from './trainingPairs.ts';

/** Clean names by where they come from. */
export interface CleanNames {
  readonly us: readonly string[];
  readonly global: readonly string[];
  readonly companies: readonly string[];
  /** In their own scripts. */
  readonly korean: readonly string[];
  readonly chinese: readonly string[];
  readonly japanese: readonly string[];
  readonly hebrew: readonly string[];
}

const SOURCES: Readonly<Record<string, keyof CleanNames>> = {
  chadwick: 'us',
  ja_person: 'japanese',
  listed_equities: 'companies',
  sec: 'companies',
  us_congress: 'us',
  wikidata_en: 'global',
  wikidata_hebrew: 'hebrew',
  wikidata_korean: 'korean',
  zh_person: 'chinese',
};

function keyOf(name: string): string {
  return foldName(name, 'person').latin.split(' ').sort().join(' ');
}

/** `count` clean names of each kind, by the seed. */
export async function cleanNames(count: number, seed: number): Promise<CleanNames> {
  const listed = new Set((await parties()).flatMap(({ names }) => names.map(keyOf)));
  const random = seededRandom(seed);
  const kept: Record<keyof CleanNames, [number, string][]> = {
    chinese: [],
    companies: [],
    global: [],
    hebrew: [],
    japanese: [],
    korean: [],
    us: [],
  };
  for (const { name, source } of realNames()) {
    const kind = SOURCES[source];
    if (kind === undefined) continue;
    const place = random();
    if (kind !== 'companies' && isLatin(name) && !name.includes(' ')) continue;
    kept[kind].push([place, name]);
  }
  const pickOf = (kind: keyof CleanNames) =>
    kept[kind]
      .sort(([a], [b]) => a - b)
      .slice(0, count + Math.ceil(count / 10))
      .map(([, name]) => name)
      .filter((name) => !listed.has(keyOf(name)))
      .slice(0, count);
  return {
    chinese: pickOf('chinese'),
    companies: pickOf('companies'),
    global: pickOf('global'),
    hebrew: pickOf('hebrew'),
    japanese: pickOf('japanese'),
    korean: pickOf('korean'),
    us: pickOf('us'),
  };
}

const ARABIC = /^[\u0621-\u064a]{2,}$/;
/** Sightings of a given name that many people have. */
const GIVEN_SEEN_MIN = 4;

/**
 * `count` invented customers in Arabic script: the first words of listed people's names and common
 * ones of Wikidata as given and fathers' names, and family names with the article. Names that a
 * list has are left out.
 */
export async function arabicNames(count: number, seed: number): Promise<string[]> {
  const native = (await parties()).flatMap(({ names }) => names.filter((name) => !isLatin(name)));
  const listed = new Set(native.map(keyOf));
  const given = native.flatMap((name) => name.split(' ').slice(0, 2).filter(isWord));
  const family: string[] = [];
  for (const line of linesOf('matching/transliteration/wd_arabic_80.tsv.xz')) {
    const [, letters = '', seen = '1'] = line.split('\t');
    const word = letters.replaceAll(' ', '');
    if (!isWord(word)) continue;
    if (word.startsWith('ال') && word.length > 4) family.push(word);
    else if (Number(seen) >= GIVEN_SEEN_MIN) given.push(word);
  }
  const random = seededRandom(seed);
  const found: string[] = [];
  while (found.length < count) {
    const fathers = random() < 0.5 ? [pick(random, given)] : [];
    const name = [pick(random, given), ...fathers, pick(random, family)].join(' ');
    if (!listed.has(keyOf(name))) found.push(name);
  }
  return found;
}

const isWord = (word: string): boolean => ARABIC.test(word);
