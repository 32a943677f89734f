/**
 * Makes config/tables/nameFacts.json, what re-ranker 2 knows of single words: how rare they are
 * among names of persons and of companies, which given names are men's or women's, which are short
 * for others, and which are one name in several spellings. Run by hand when the data changes
 * (`TEST_DATA_DIR=… node scripts/makeNameFacts.ts`): scores follow from the table, so a change is a
 * new version of the re-ranker.
 */
import { writeFileSync } from 'node:fs';
import type { ListEntity } from '#slices/lists';
import { foldName } from '../src/engine/foldName.ts';
import { codesOf, EDIT, editCost, headCost } from '../src/engine/reranker2/editCost.ts';
import {
  entitiesOf,
  fieldsOf,
  LISTS,
  type ListSource,
  linesOf,
  realNames,
} from './reranker2/dataFolder.ts';

const OUT = new URL('../config/tables/nameFacts.json', import.meta.url);
/** Rarity is in twelfths of a bit (wordFacts.ts), here in steps of a third of a bit. */
const BIT = 12;
const STEP = 4;
const RAREST = 17 * BIT;
/** Sources that are not names of persons or companies as people write them. */
const LEFT_OUT = new Set(['zh_company', 'listed_etfs', 'listed_funds']);
const WORD_UNITS_MAX = 24;
/** Entities of which a spelling was seen beside another one, where nothing else is known. */
const SPELLING_ENTITIES_MIN = 5;
/** The same where both are usual spellings of the same Arabic words. */
const SPELLING_ARABIC_MIN = 2;
/** Sightings of a word with its Arabic origin, and how much of them two spellings share. */
const ORIGIN_SEEN_MIN = 3;
const ORIGIN_SHARED_MIN = 0.12;
/** Share of the entities of the rarer word that have the other beside it. */
const SPELLING_OF_RARER_MIN = 0.08;
/** Edits per letter between two spellings of one name. */
const SPELLING_EDITS_MAX = 0.36;
/** Words that are rarer are left to their letters. */
const SPELLING_RARITY_MAX = 13 * BIT;
const PAIRED_WORDS_MAX = 8;
/** Names of one entity that are compared with each other. */
const PAIRED_NAMES_MAX = 24;
/** Names of their own that lists give one party side by side. */
const NOT_SPELLINGS = new Set([
  'ahmad muhammad',
  'ahmed mohammed',
  'ahmad mohammad',
  'ahmed mohamed',
  'mahmud muhammad',
  'bashar bashir',
  'abdallah abdul',
  'abdul abdullah',
  'abdullah allah',
  'khaled walid',
  'khalid walid',
  'ojsc pjsc',
  'offshore shore',
  'iran iranian',
  'korea korean',
  'fond fund',
]);

class Counts {
  names = 0;
  readonly words = new Map<string, number>();

  add(name: string, weight = 1): void {
    const { latin } = foldName(name, 'person');
    this.names += weight;
    for (const word of new Set(latin.split(' '))) {
      if (word.length < 2 || word.length > WORD_UNITS_MAX || !/^[a-z]+$/.test(word)) continue;
      this.words.set(word, (this.words.get(word) ?? 0) + weight);
    }
  }

  rarityOf(word: string): number {
    const share = (this.names + 1) / ((this.words.get(word) ?? 0) + 1);
    return Math.min(RAREST, Math.round((BIT * Math.log2(share)) / STEP) * STEP);
  }

  /** Words by rarity; the rarest are left out. */
  classes(rarest: number): Record<string, string> {
    const classes = new Map<number, string[]>();
    for (const word of [...this.words.keys()].sort()) {
      const rarity = this.rarityOf(word);
      if (rarity < rarest) classes.set(rarity, [...(classes.get(rarity) ?? []), word]);
    }
    const sorted = [...classes].sort(([a], [b]) => a - b);
    return Object.fromEntries(sorted.map(([rarity, words]) => [String(rarity), words.join(' ')]));
  }
}

function countNames(): { readonly person: Counts; readonly entity: Counts } {
  const person = new Counts();
  const entity = new Counts();
  for (const { kind, name, source } of realNames()) {
    if (LEFT_OUT.has(source)) continue;
    if (kind === 'org') entity.add(name);
    else person.add(name);
    if (kind === 'alias' && source.startsWith('ofac')) entity.add(name, 0.5);
  }
  return { entity, person };
}

function genders(): { readonly male: string; readonly female: string } {
  const seen = new Map<string, Set<string>>();
  for (const line of linesOf('names/common-forenames-by-country.csv').slice(1)) {
    const fields = fieldsOf(line);
    const gender = fields[9] ?? '';
    const { latin } = foldName(fields[11] ?? '', 'person');
    if (!/^[a-z]{2,}$/.test(latin) || !/^[MF]$/.test(gender)) continue;
    seen.set(latin, (seen.get(latin) ?? new Set<string>()).add(gender));
  }
  const of = (gender: string) =>
    [...seen]
      .filter(([, genders]) => genders.size === 1 && genders.has(gender))
      .map(([name]) => name)
      .sort()
      .join(' ');
  return { female: of('F'), male: of('M') };
}

function nicknames(): string[] {
  const sets = new Map<string, Set<string>>();
  const add = (name: string, short: string) => {
    if (name === short || !/^[a-z]+$/.test(name) || !/^[a-z]+$/.test(short)) return;
    sets.set(name, (sets.get(name) ?? new Set<string>()).add(short));
  };
  for (const line of linesOf('matching/nicknames.csv').slice(1)) {
    const [name = '', , short = ''] = line.split(',');
    add(name.trim(), short.trim());
  }
  for (const line of linesOf('matching/nama/givenname_nicknames.csv')) {
    const [name = '', ...shorts] = line.split(',');
    for (const short of shorts) add(name.trim(), short.trim());
  }
  return [...sets].sort(([a], [b]) => (a < b ? -1 : 1)).map(([n, s]) => [n, ...s].join(' '));
}

/** Words by their Arabic origins, most frequent first: what tells Hassan from Hussein. */
class ArabicOrigins {
  readonly #origins = new Map<string, Map<string, number>>();

  constructor() {
    for (const line of linesOf('matching/transliteration/wd_arabic_80.tsv.xz')) {
      const [latin = '', arabic = '', count = '1'] = line.split('\t');
      this.#add(foldName(latin, 'person').latin, arabic.replaceAll(' ', ''), Number(count));
    }
    for (const line of linesOf('matching/google_ar2en.txt')) {
      const [arabic = '', latin = ''] = line.split('\t');
      this.#add(foldName(latin.replaceAll("'", ''), 'person').latin, arabic, 1);
    }
  }

  #add(word: string, arabic: string, count: number): void {
    if (!/^[a-z]{3,}$/.test(word)) return;
    const bag = this.#origins.get(word) ?? new Map<string, number>();
    const origin = foldName(arabic, 'person').native;
    bag.set(origin, (bag.get(origin) ?? 0) + count);
    this.#origins.set(word, bag);
  }

  /** Share of the rarer word's sightings that have an origin in common; undefined: unknown. */
  shared(a: string, b: string): number | undefined {
    const [one, other] = [this.#origins.get(a), this.#origins.get(b)];
    if (one === undefined || other === undefined) return undefined;
    const sum = (bag: ReadonlyMap<string, number>) => [...bag.values()].reduce((x, y) => x + y, 0);
    if (Math.min(sum(one), sum(other)) < ORIGIN_SEEN_MIN) return undefined;
    let shared = 0;
    for (const [origin, count] of one) {
      shared += Math.min(count / sum(one), (other.get(origin) ?? 0) / sum(other));
    }
    return shared;
  }
}

function costOf(a: string, b: string): number {
  const most = EDIT * Math.max(a.length, b.length) * SPELLING_EDITS_MAX;
  const cost = editCost(codesOf(a), codesOf(b), most) + headCost(codesOf(a), codesOf(b));
  return cost <= most && Math.abs(a.length - b.length) <= 3 ? cost : Number.POSITIVE_INFINITY;
}

/** Words of two names that stand for each other: each the other's best partner, and no third's. */
function partners(one: readonly string[], other: readonly string[]): [string, string][] {
  const left = one.filter((word) => !other.includes(word));
  const right = other.filter((word) => !one.includes(word));
  return left.flatMap((a): [string, string][] => {
    const costs = right.map((b) => costOf(a, b));
    const least = Math.min(...costs);
    if (least === Number.POSITIVE_INFINITY) return [];
    const b = right[costs.indexOf(least)] ?? '';
    const isBest = left.every((word) => word === a || costOf(word, b) > least);
    return isBest ? [[a, b]] : [];
  });
}

/** Pairs of words that stand for each other in two names of one entity, each once an entity. */
function pairsOf(
  { akas, primary_name }: ListEntity,
  reading: 'person' | 'entity',
): ReadonlySet<string> {
  const names = [primary_name, ...akas]
    .map((name) => foldName(name, reading).latin.split(' '))
    .filter((words) => words.length >= 2 && words.length <= PAIRED_WORDS_MAX);
  const pairs = new Set<string>();
  names.slice(0, PAIRED_NAMES_MAX).forEach((one, at) => {
    for (const other of names.slice(at + 1, PAIRED_NAMES_MAX)) {
      for (const [a, b] of partners(one, other)) pairs.add(a < b ? `${a} ${b}` : `${b} ${a}`);
    }
  });
  return pairs;
}

/** Entities by pair of words and by word, on all lists. */
interface ListCounts {
  readonly pairs: ReadonlyMap<string, number>;
  readonly words: ReadonlyMap<string, number>;
}

async function countsOnLists(schema: ListEntity['schema']): Promise<ListCounts> {
  const pairs = new Map<string, number>();
  const words = new Map<string, number>();
  const bump = (counts: Map<string, number>, key: string) =>
    counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const source of Object.keys(LISTS) as ListSource[]) {
    for (const entity of await entitiesOf(source)) {
      if (entity.schema !== schema) continue;
      const reading = schema === 'Person' ? 'person' : 'entity';
      const names = [entity.primary_name, ...entity.akas];
      const own = names.flatMap((name) => foldName(name, reading).latin.split(' '));
      for (const word of new Set(own)) bump(words, word);
      for (const pair of pairsOf(entity, reading)) bump(pairs, pair);
    }
  }
  return { pairs, words };
}

/** Whether two words that lists give for one entity are one name. */
function isOneName(pair: string, { pairs, words }: ListCounts, by: Evidence): boolean {
  const [a = '', b = ''] = pair.split(' ');
  const count = pairs.get(pair) ?? 0;
  const rarer = Math.min(words.get(a) ?? 0, words.get(b) ?? 0);
  if (count < rarer * SPELLING_OF_RARER_MIN) return false;
  if (!/^[a-z]{4,} [a-z]{4,}$/.test(pair) || NOT_SPELLINGS.has(pair)) return false;
  if (Math.min(by.counts.rarityOf(a), by.counts.rarityOf(b)) > SPELLING_RARITY_MAX) return false;
  const shared = by.origins?.shared(a, b);
  if (shared !== undefined && shared < ORIGIN_SHARED_MIN) return false;
  return count >= (shared === undefined ? SPELLING_ENTITIES_MIN : SPELLING_ARABIC_MIN);
}

interface Evidence {
  readonly counts: Counts;
  readonly origins?: ArabicOrigins;
}

/** Classes around the commonest spelling: each member was seen beside it, none is in two. */
async function spellings(schema: ListEntity['schema'], by: Evidence): Promise<string[]> {
  const partnersOf = new Map<string, Set<string>>();
  const link = (a: string, b: string) =>
    partnersOf.set(a, (partnersOf.get(a) ?? new Set<string>()).add(b));
  const counts = await countsOnLists(schema);
  for (const pair of counts.pairs.keys()) {
    const [a = '', b = ''] = pair.split(' ');
    if (!isOneName(pair, counts, by)) continue;
    link(a, b);
    link(b, a);
  }
  const count = (word: string) => by.counts.words.get(word) ?? 0;
  const byCount = [...partnersOf.keys()].sort((a, b) => count(b) - count(a) || (a < b ? -1 : 1));
  const taken = new Set<string>();
  return byCount.flatMap((head) => {
    if (taken.has(head)) return [];
    const members = [...(partnersOf.get(head) ?? [])].filter((word) => !taken.has(word)).sort();
    if (members.length === 0) return [];
    for (const word of [head, ...members]) taken.add(word);
    return [[head, ...members].join(' ')];
  });
}

const { entity, person } = countNames();
const table = {
  comment: 'Words of names: rarity in twelfths of a bit, by which they are listed; see the script.',
  licenses: {
    frequencies:
      'Counted over Chadwick register (ODC-BY 1.0), Wikidata labels (CC0-1.0), Chinese and ' +
      'Japanese name corpora (Apache-2.0), listed companies (MIT, PDDL), OFAC (public domain), ' +
      'UN, EU (Decision 2011/833/EU) and UK (OGL 3.0) lists',
    genders: 'sigpwned/popular-names-by-country-dataset, CC0-1.0',
    nicknames: 'carltonnorthern/nicknames, Apache-2.0; rootsdev/nama, MIT',
    spellings: 'Counted over the lists above and Wikidata labels (CC0-1.0)',
  },
  person: person.classes(16 * BIT),
  entity: entity.classes(13 * BIT),
  ...genders(),
  nicknames: nicknames(),
  spellings: await spellings('Person', { counts: person, origins: new ArabicOrigins() }),
  entitySpellings: await spellings('Company', { counts: entity }),
};
writeFileSync(OUT, `${JSON.stringify(table)}\n`);
console.log(
  `${person.names} persons, ${entity.names} others, classes:`,
  table.spellings.length,
  table.entitySpellings.length,
);
