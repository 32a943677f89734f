/**
 * Names in other scripts: how often their own party is first, in lists that have only the other
 * script. The lists are words of Wikidata labels, people of the UN list, and other people of the
 * world beside them.
 */
import type { IndexEntity } from '#engine';
import { type Random, seededRandom } from '../../bench/random.ts';
import { hasArabic } from '../../src/engine/arabicVariants.ts';
import { realNames } from './dataFolder.ts';
import { byName, indexEntities, ListRun } from './listRun.ts';
import { isLatin } from './noise.ts';
import {
  kanjiWords,
  type Language,
  latinEntities,
  type ScriptProbe,
  type ScriptWord,
  scriptWords,
  twoWordProbes,
} from './scriptWords.ts';
import { type Planted, type Seeker, shareFrom, shareOf } from './seeker.ts';

const SEED = 29;
const MATCH = 0.92;
/** Other people in the list of whole names. */
const OTHERS = 10_000;
const LANGUAGES: Readonly<Record<string, Language>> = {
  Han: 'chinese',
  Hangul: 'korean',
  Hebrew: 'hebrew',
};

interface Probes {
  readonly label: string;
  readonly run: ListRun;
  readonly probes: readonly ScriptProbe[];
}

/** Indexes and queries, made once for all versions. */
export class ScriptRuns {
  readonly #words: readonly Probes[];
  readonly #arabic: Arabic;

  private constructor(words: readonly Probes[], arabic: Arabic) {
    this.#words = words;
    this.#arabic = arabic;
  }

  /** `count` queries of each kind, from the data of TEST_DATA_DIR. */
  static async read(count: number): Promise<ScriptRuns> {
    const random = seededRandom(SEED);
    const others = otherPeople(random);
    const words = Object.entries(LANGUAGES).flatMap(([label, language]) => {
      const seen = scriptWords(language, 2);
      const all = scriptWords(language, 1);
      return [
        wordProbes(`word of another script, first: ${label}`, seen, all, count, random),
        nameProbes(
          `name of another script, first: ${label}`,
          twoWordProbes(seen, count, random),
          others,
        ),
      ];
    });
    const { family, given } = kanjiWords();
    const kanji = [
      wordProbes(
        'word of another script, first: kanji',
        [...family, ...given],
        [...family, ...given],
        count,
        random,
      ),
      nameProbes(
        'name of another script, first: kanji',
        familyProbes(family, given, count, random),
        others,
      ),
    ];
    return new ScriptRuns([...words, ...kanji], await arabicRuns(count, random));
  }

  /** Adds the figures of one version. */
  figures(seeker: Seeker, figures: Map<string, number>): void {
    for (const { label, probes, run } of this.#words) {
      const share = shareOf(probes, (probe) => isFirst(seeker, run, probe));
      figures.set(label, share);
    }
    const { back, single, whole } = this.#arabic;
    const first = ({ probes, run }: Probes) =>
      shareOf(probes, (probe) => isFirst(seeker, run, probe));
    figures.set('Arabic single name to Latin, first', first(single));
    figures.set('Arabic single name from Latin, first', first(back));
    for (const { label, queries, run } of whole) {
      const own = seeker.ownScores(run, queries);
      figures.set(`Arabic whole name, first: ${label}`, seeker.firstShare(run, queries));
      figures.set(`Arabic whole name, found from .92: ${label}`, shareFrom(own, MATCH));
      figures.set(`Arabic whole name, found from .60: ${label}`, shareFrom(own, 0.6));
    }
  }
}

function isFirst(seeker: Seeker, run: ListRun, { query, right }: ScriptProbe): boolean {
  const found = seeker.search(run, byName(query, { schema: 'Person' }));
  const own = found.find(({ matchedName }) => right.has(matchedName));
  return own !== undefined && own.finalScore === found[0]?.finalScore;
}

function sample<T>(items: readonly T[], count: number, random: Random): T[] {
  const keyed = items.map((item) => [random(), item] as const);
  return keyed
    .sort(([a], [b]) => a - b)
    .slice(0, count)
    .map(([, item]) => item);
}

function otherPeople(random: Random): string[] {
  const names: string[] = [];
  for (const { name, source } of realNames()) {
    if (source === 'wikidata_en' && isLatin(name) && name.includes(' ')) names.push(name);
  }
  return sample(names, OTHERS, random);
}

function wordProbes(
  label: string,
  words: readonly ScriptWord[],
  listed: readonly ScriptWord[],
  count: number,
  random: Random,
): Probes {
  const run = new ListRun(latinEntities(listed.flatMap(({ latin }) => latin)));
  const probes = sample(words, count, random).map(({ latin, native }) => ({
    query: native,
    right: new Set(latin),
  }));
  return { label, probes, run };
}

function nameProbes(
  label: string,
  probes: readonly (ScriptProbe & { readonly latin: string })[],
  others: readonly string[],
): Probes {
  const names = [...others, ...probes.map(({ latin }) => latin)];
  return { label, probes, run: new ListRun(latinEntities(names)) };
}

/** Each family once: a list of one family's members would be told apart by readings alone. */
function familyProbes(
  family: readonly ScriptWord[],
  given: readonly ScriptWord[],
  count: number,
  random: Random,
) {
  return sample(family, count, random).flatMap((one) => twoWordProbes(given, 1, random, [one]));
}

interface Whole {
  readonly label: string;
  readonly run: ListRun;
  readonly queries: readonly Planted[];
}

interface Arabic {
  readonly single: Probes;
  readonly back: Probes;
  readonly whole: readonly Whole[];
}

async function arabicRuns(count: number, random: Random): Promise<Arabic> {
  const words = scriptWords('arabic', 2);
  const all = scriptWords('arabic', 1);
  const single = wordProbes('single', words, all, count, random);
  const natives = new Map<string, Set<string>>();
  for (const { latin, native } of all) {
    for (const word of latin) {
      natives.set(word, (natives.get(word) ?? new Set<string>()).add(native));
    }
  }
  const seen = [...new Set(words.flatMap(({ latin }) => latin.slice(0, 1)))];
  const back = {
    label: 'back',
    probes: sample(seen, count, random).map((query) => ({
      query,
      right: natives.get(query) ?? new Set<string>(),
    })),
    run: new ListRun(latinEntities(all.map(({ native }) => native))),
  };
  return { back, single, whole: wholeNames(await indexEntities(['UN_SC'])) };
}

/** People of the UN list by their Arabic names against their Latin ones, and back. */
function wholeNames(entities: readonly IndexEntity[]): Whole[] {
  const people = entities.filter(({ schema }) => schema === 'Person');
  const isArabic = (name: string) => name.split(' ').every((word) => hasArabic(word));
  const both = people.filter(({ names }) => names.some(isArabic) && names.some(isLatin));
  const only = (is: (name: string) => boolean) =>
    people
      .map((entity) => ({ ...entity, names: entity.names.filter(is) }))
      .filter(({ names }) => names.length > 0);
  const queries = (is: (name: string) => boolean) =>
    both.map(({ id, names }) => ({
      id,
      raw: byName(names.find(is) ?? '', { schema: 'Person' }),
    }));
  return [
    { label: 'to Latin', queries: queries(isArabic), run: new ListRun(only(isLatin)) },
    { label: 'from Latin', queries: queries(isLatin), run: new ListRun(only(isArabic)) },
  ];
}
