/**
 * Pairs of which registers say what they are: spellings of family and given names that genealogists
 * hold for one name or not (Ancestry), and two people of one register who are born on different
 * days and whose names differ by a letter or two. They teach what an edit means.
 */
import { pick, type Random, seededRandom } from '../../bench/random.ts';
import { codesOf, EDIT, editCost } from '../../src/engine/reranker2/editCost.ts';
import { fieldsOf, linesOf } from './dataFolder.ts';
import type { Pair } from './trainingPairs.ts';

const VARIANTS = 500;
const NEAR_PEOPLE = 400;
const NEAR_COST = 2 * EDIT;
/** Names less alike than this are not taken for one another by any scorer. */
const VARIANT_COST = 3 * EDIT;

interface Variant {
  readonly one: string;
  readonly other: string;
  readonly isSame: boolean;
}

function costOf(one: string, other: string): number {
  return editCost(codesOf(one), codesOf(other), VARIANT_COST);
}

function variants(file: string, random: Random): Variant[] {
  const rows = linesOf(file)
    .slice(1)
    .flatMap((line): [number, Variant][] => {
      const [bad = '', ...fields] = fieldsOf(line);
      const [one = '', other = ''] = fields.filter((field) => field !== '');
      const isWord = /^[a-z]{4,}$/.test(one) && /^[a-z]{4,}$/.test(other) && one !== other;
      if (!isWord || costOf(one, other) > VARIANT_COST) return [];
      return [[random(), { isSame: bad !== '1', one, other }]];
    })
    .sort(([a], [b]) => a - b)
    .map(([, variant]) => variant);
  return [true, false].flatMap((isSame) =>
    rows.filter((row) => row.isSame === isSame).slice(0, VARIANTS),
  );
}

interface Person {
  readonly given: string;
  readonly family: string;
  readonly born: string;
}

function nearPeople(people: readonly Person[], random: Random): Pair[] {
  const found: [number, Pair][] = [];
  const add = (one: Person, other: Person) => {
    const isNear = (a: string, b: string) => a !== b && costOf(a, b) <= NEAR_COST;
    const isOther =
      (one.family === other.family && isNear(one.given.toLowerCase(), other.given.toLowerCase())) ||
      (one.given === other.given && isNear(one.family.toLowerCase(), other.family.toLowerCase()));
    if (!isOther || one.born === other.born) return;
    const name = ({ family, given }: Person) => `${given} ${family}`;
    const pair = { a: name(one), b: name(other), isSame: false, schema: 'Person' as const };
    found.push([random(), { ...pair, sort: 'register' }]);
  };
  for (const key of ['family', 'given'] as const) {
    for (const group of Map.groupBy(people, (one) => one[key]).values()) {
      const some = group.slice(0, 40);
      some.forEach((one, at) => {
        for (const other of some.slice(at + 1)) add(one, other);
      });
    }
  }
  return found
    .sort(([a], [b]) => a - b)
    .slice(0, NEAR_PEOPLE)
    .map(([, pair]) => pair);
}

/** All of them, from one seed. */
export function registerPairs(seed: number): Pair[] {
  const random = seededRandom(seed);
  const people = linesOf('lists/other/us_legislators_historical.csv.xz')
    .slice(1)
    .map((line): Person => {
      const [family = '', given = '', , , , , born = ''] = fieldsOf(line);
      return { born, family, given };
    })
    .filter(({ born, family, given }) => born !== '' && family !== '' && given !== '');
  const schema = 'Person' as const;
  const families = variants('matching/AncestrySurnamePairs.csv.xz', random);
  const givens = variants('matching/AncestryGivennamePairs.csv.xz', random);
  return [
    ...families.map(({ isSame, one, other }): Pair => {
      const { given } = pick(random, people);
      return { a: `${given} ${one}`, b: `${given} ${other}`, isSame, schema, sort: 'variants' };
    }),
    ...givens.map(({ isSame, one, other }): Pair => {
      const { family } = pick(random, people);
      return { a: `${one} ${family}`, b: `${other} ${family}`, isSame, schema, sort: 'variants' };
    }),
    ...nearPeople(people, random),
  ];
}
