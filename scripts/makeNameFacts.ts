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
import { codesOf, EDIT, editCost } from '../src/engine/reranker2/editCost.ts';
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
/** Entities of which a spelling was seen beside another one. */
const SPELLING_ENTITIES_MIN = 4;
/** Sightings of a spelling of one Arabic word, and its share of all of that word. */
const SPELLING_SEEN_MIN = 3;
const SPELLING_SHARE_MIN = 0.02;
/** Edits per letter between two spellings of one name. */
const SPELLING_EDITS_MAX = 0.36;
/** Words that are rarer are left to their letters. */
const SPELLING_RARITY_MAX = 13 * BIT;
const PAIRED_WORDS_MAX = 6;
/** Names of their own that lists give one party side by side. */
const NOT_SPELLINGS = new Set(['bashar bashir', 'abdul abdullah']);

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

function isSpeltAlike(a: string, b: string): boolean {
  const most = EDIT * Math.max(a.length, b.length) * SPELLING_EDITS_MAX;
  const isAsLong = Math.abs(a.length - b.length) <= 2;
  return isAsLong && a.charAt(0) === b.charAt(0) && editCost(codesOf(a), codesOf(b), most) <= most;
}

/** Pairs of words that stand in the same place of two names of one entity, each once an entity. */
function pairsOf({ akas, primary_name }: ListEntity): ReadonlySet<string> {
  const names = [primary_name, ...akas].map((name) => foldName(name, 'person').latin.split(' '));
  const pairs = new Set<string>();
  for (const one of names) {
    if (one.length < 2 || one.length > PAIRED_WORDS_MAX) continue;
    for (const other of names) {
      const left = one.filter((word) => !other.includes(word));
      const right = other.filter((word) => !one.includes(word));
      const [a, b] = [left[0] ?? '', right[0] ?? ''];
      if (left.length === 1 && right.length === 1 && a < b) pairs.add(`${a} ${b}`);
    }
  }
  return pairs;
}

async function pairsOnLists(): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const source of Object.keys(LISTS) as ListSource[]) {
    for (const entity of await entitiesOf(source)) {
      if (entity.schema !== 'Person') continue;
      for (const pair of pairsOf(entity)) counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
  }
  return counts;
}

/** Pairs of usual spellings of one Arabic word. */
function pairsOfArabic(): ReadonlySet<string> {
  const bags = new Map<string, Map<string, number>>();
  for (const line of linesOf('matching/transliteration/wd_arabic_80.tsv.xz')) {
    const [latin = '', arabic = '', count = '1'] = line.split('\t');
    const word = foldName(latin, 'person').latin;
    if (!/^[a-z]{3,}$/.test(word)) continue;
    const bag = bags.get(arabic) ?? new Map<string, number>();
    bag.set(word, (bag.get(word) ?? 0) + Number(count));
    bags.set(arabic, bag);
  }
  const pairs = new Set<string>();
  for (const bag of bags.values()) {
    const all = [...bag.values()].reduce((sum, count) => sum + count, 0);
    const usual = [...bag]
      .filter(([, count]) => count >= SPELLING_SEEN_MIN && count >= all * SPELLING_SHARE_MIN)
      .map(([word]) => word)
      .sort();
    usual.forEach((a, at) => {
      for (const b of usual.slice(at + 1)) pairs.add(`${a} ${b}`);
    });
  }
  return pairs;
}

/** Classes around the commonest spelling: each member was seen beside it, none is in two. */
async function spellings(person: Counts): Promise<string[]> {
  const partners = new Map<string, Set<string>>();
  const link = (a: string, b: string) =>
    partners.set(a, (partners.get(a) ?? new Set<string>()).add(b));
  const arabic = pairsOfArabic();
  for (const [pair, count] of await pairsOnLists()) {
    const [a = '', b = ''] = pair.split(' ');
    // One word of Arabic stands for many names of other languages, so lists must agree.
    if (
      count < (arabic.has(pair) ? 2 : SPELLING_ENTITIES_MIN) ||
      a.length < 4 ||
      b.length < 4 ||
      NOT_SPELLINGS.has(pair)
    )
      continue;
    if (!/^[a-z]+ [a-z]+$/.test(pair) || !isSpeltAlike(a, b)) continue;
    if (Math.min(person.rarityOf(a), person.rarityOf(b)) > SPELLING_RARITY_MAX) continue;
    link(a, b);
    link(b, a);
  }
  const count = (word: string) => person.words.get(word) ?? 0;
  const byCount = [...partners.keys()].sort((a, b) => count(b) - count(a) || (a < b ? -1 : 1));
  const taken = new Set<string>();
  return byCount.flatMap((head) => {
    if (taken.has(head)) return [];
    const members = [...(partners.get(head) ?? [])].filter((word) => !taken.has(word)).sort();
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
  spellings: await spellings(person),
};
writeFileSync(OUT, `${JSON.stringify(table)}\n`);
console.log(`${person.names} persons, ${entity.names} others, ${table.spellings.length} classes`);
