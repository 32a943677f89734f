/**
 * Names of real people who are on no list, and of listed companies: what is found for them is a
 * false alarm. Names that a list has, in any order of their words, are left out.
 */
import { seededRandom } from '../../bench/random.ts';
import { foldName } from '../../src/engine/foldName.ts';
import { realNames } from './dataFolder.ts';
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
