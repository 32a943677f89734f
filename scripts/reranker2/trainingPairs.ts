/**
 * Pairs of names of which it is known whether they are one party's: real aliases, names of other
 * parties that look alike, and seeded changes. Pairs that a search of the lists retrieves for names
 * of real people are made where the model is trained (trainReranker2.ts).
 */
import jaroWinkler from 'jaro-winkler';
import { pick, type Random, seededRandom } from '../../bench/random.ts';
import { foldName } from '../../src/engine/foldName.ts';
import { codesOf, EDIT, editCost } from '../../src/engine/reranker2/editCost.ts';
import { entitiesOf, fieldsOf, LISTS, type ListSource, linesOf, realNames } from './dataFolder.ts';
import { isLatin, sameCompany, samePerson } from './noise.ts';

/** One pair with its label and where it comes from. */
export interface Pair {
  readonly schema: 'Person' | 'Company' | 'Other';
  readonly a: string;
  readonly b: string;
  readonly isSame: boolean;
  readonly sort: string;
}

interface Party {
  readonly schema: Pair['schema'];
  readonly names: readonly string[];
}

const ALIASES_MAX = 4_200;
const MINED = { Company: 1_500, Other: 150, Person: 2_200 } as const;
const MINED_AMONG = 2_500;
const PERSONS = 5_400;
const COMPANIES = 3_600;

const folded = (name: string): string => foldName(name, 'person').latin;

/** Whether words are at most two edits apart, whatever letters. */
function isNear(a: string, b: string): boolean {
  return (
    a === b ||
    (Math.min(a.length, b.length) >= 4 && editCost(codesOf(a), codesOf(b), 2 * EDIT) <= 2 * EDIT)
  );
}

export async function parties(): Promise<Party[]> {
  const all: Party[] = [];
  for (const source of Object.keys(LISTS) as ListSource[]) {
    for (const { akas, primary_name, schema } of await entitiesOf(source)) {
      const names = [...new Set([primary_name, ...akas])].filter((name) => name.trim() !== '');
      const kind = schema === 'Person' || schema === 'Company' ? schema : 'Other';
      all.push({ names, schema: kind });
    }
  }
  return all;
}

/** Names of one party that a reader would take for one: their words have partners. */
function aliasPairs(all: readonly Party[], random: Random): Pair[] {
  const pairs: Pair[] = [];
  for (const { names, schema } of all) {
    for (let turn = 0; turn < 2 && names.length > 1; turn++) {
      const [a, b] = [pick(random, names), pick(random, names)];
      if (folded(a) === folded(b)) continue;
      const isScript = isLatin(a) !== isLatin(b);
      if (!isScript && !(isLatin(a) && looksAlike(a, b))) continue;
      pairs.push({
        a,
        b,
        isSame: true,
        schema,
        sort: isScript ? 'alias in another script' : 'alias',
      });
    }
  }
  return shuffled(pairs, random).slice(0, ALIASES_MAX);
}

/** Whether each word of the shorter name has a partner in the other, whatever any scorer says. */
export function looksAlike(a: string, b: string): boolean {
  const [one, other] = [folded(a).split(' '), folded(b).split(' ')];
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  const hasPartners = short.every((word) => long.some((partner) => isNear(word, partner)));
  if (hasPartners && (short.length > 1 || long.length === 1)) return true;
  return isNear(one.join(''), other.join(''));
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const keyed = items.map((item) => [random(), item] as const);
  return keyed.sort(([a], [b]) => a - b).map(([, item]) => item);
}

/** The names of other parties that look most like a name, but for a word that no edit explains. */
function minedPairs(all: readonly Party[], schema: Pair['schema'], count: number, random: Random) {
  const names = all.flatMap((party, owner) =>
    party.schema === schema ? party.names.filter(isLatin).map((name) => ({ name, owner })) : [],
  );
  const sample = shuffled(names, random).slice(0, MINED_AMONG);
  const texts = sample.map(({ name }) => folded(name));
  const sorted = texts.map((text) => text.split(' ').sort().join(' '));
  const pairs: Pair[] = [];
  for (let at = 0; at < Math.min(count, sample.length); at++) {
    const by = random() < 0.5 ? sorted : texts;
    const own = sample[at];
    const ranked = by
      .map((text, other) => [jaroWinkler(text, by[at] ?? ''), other] as const)
      .filter(([, other]) => sample[other]?.owner !== own?.owner)
      .sort(([a], [b]) => b - a)
      .slice(0, 5);
    const found = shuffled(ranked, random).find(([, other]) =>
      isOther(texts[at] ?? '', texts[other] ?? ''),
    );
    const b = found && sample[found[1]]?.name;
    if (own === undefined || b === undefined) continue;
    pairs.push({ a: own.name, b, isSame: false, schema, sort: 'mined' });
  }
  return pairs;
}

function isOther(a: string, b: string): boolean {
  const [one, other] = [a.split(' '), b.split(' ')];
  const alone = (own: readonly string[], others: readonly string[]) =>
    own.some((word) => word.length > 2 && !others.some((partner) => isNear(word, partner)));
  return alone(one, other) && alone(other, one);
}

interface People {
  readonly names: readonly string[];
  readonly given: readonly string[];
  readonly family: readonly string[];
  readonly listed: readonly string[];
  readonly companies: readonly string[];
}

function people(all: readonly Party[], random: Random): People {
  const names: string[] = [];
  const companies: string[] = [];
  for (const { kind, name, source } of realNames()) {
    const isPerson = /^(wikidata_en|us_congress|chadwick)$/.test(source);
    const count = name.split(' ').length;
    if (
      isPerson &&
      isLatin(name) &&
      count >= 2 &&
      count <= 4 &&
      random() < (source === 'chadwick' ? 0.05 : 0.3)
    )
      names.push(name);
    if (kind === 'org' && /^(listed_equities|sec)$/.test(source) && isLatin(name))
      companies.push(name);
  }
  const country = (file: string, column: number) =>
    linesOf(file)
      .slice(1)
      .map((line) => fieldsOf(line)[column] ?? '')
      .filter((name) => name !== '' && isLatin(name));
  return {
    companies: [
      ...companies,
      ...all.flatMap((party) => (party.schema === 'Company' ? party.names.filter(isLatin) : [])),
    ],
    family: [
      ...country('names/common-surnames-by-country.csv', 5),
      ...names.map((name) => name.split(' ').at(-1) ?? ''),
    ],
    given: [
      ...country('names/common-forenames-by-country.csv', 11),
      ...names.map((name) => name.split(' ')[0] ?? ''),
    ],
    listed: all.flatMap((party) => (party.schema === 'Person' ? party.names.filter(isLatin) : [])),
    names,
  };
}

function personName(from: People, random: Random): string {
  const kind = random();
  if (kind < 0.35) return pick(random, from.names);
  if (kind < 0.65) return pick(random, from.listed);
  const given = [pick(random, from.given), ...(random() < 0.25 ? [pick(random, from.given)] : [])];
  return [...given, pick(random, from.family)].join(' ');
}

/** Another word of the pool, often one that looks like it, but no spelling of it. */
function otherWord(word: string, pool: readonly string[], random: Random): string {
  const own = folded(word);
  const isClose = random() < 0.6;
  let best = '';
  let bestAlike = -1;
  for (let turn = 0; turn < (isClose ? 40 : 4); turn++) {
    const other = pick(random, pool);
    const text = folded(other);
    const least = random() < 0.12 ? 2 * EDIT : 3 * EDIT - 1;
    if (text === '' || editCost(codesOf(own), codesOf(text), 10 * EDIT) < least) continue;
    const alike = isClose ? jaroWinkler(own, text) : random();
    if (alike > bestAlike) [best, bestAlike] = [other, alike];
  }
  return best === '' ? 'Xaviera' : best;
}

function otherPerson(name: string, from: People, random: Random): readonly [string, string] {
  const all = name.split(' ');
  const last = all.length - 1;
  const replaced = (at: number, pool: readonly string[]) =>
    all.map((word, place) => (place === at ? otherWord(word, pool, random) : word));
  const kind = random();
  if (kind < 0.38) return [name, replaced(0, from.given).join(' ')];
  if (kind < 0.7) return [name, replaced(last, from.family).join(' ')];
  if (kind < 0.8) return [name, all.map((word) => otherWord(word, from.given, random)).join(' ')];
  if (kind < 0.9) {
    const middle = pick(random, from.given);
    const others = otherWord(middle, from.given, random);
    return [`${all[0]} ${middle} ${all[last]}`, `${all[0]} ${others} ${all[last]}`];
  }
  if (kind < 0.94)
    return random() < 0.5 ? [`${name} Jr.`, `${name} Sr.`] : [`${name} II`, `${name} III`];
  if (kind < 0.97) {
    const letter = pick(
      random,
      [...'ABCDEFGHIJKLMNOPRSTVW'].filter((one) => one !== all[0]?.charAt(0)),
    );
    return [name, [`${letter}.`, ...all.slice(1)].join(' ')];
  }
  return [name, [pick(random, from.given), ...all.slice(0, 1)].join(' ')];
}

function otherCompany(name: string, from: People, random: Random): readonly [string, string] {
  const all = name.split(' ');
  const word = () => pick(random, pick(random, from.companies).split(' '));
  const kind = random();
  if (kind < 0.12) {
    const number = 1 + Math.floor(random() * 40);
    return [`${name} ${number}`, `${name} ${number + 1 + Math.floor(random() * 20)}`];
  }
  if (kind < 0.24)
    return [
      `${all[0]} ${word()} ${all.slice(1).join(' ')}`,
      `${all[0]} ${word()} ${all.slice(1).join(' ')}`,
    ];
  const pool = from.companies.slice(0, 4_000).map((company) => company.split(' ')[0] ?? '');
  const count = kind < 0.75 ? 1 : Math.max(1, Math.ceil(all.length / 2));
  return [name, all.map((own, at) => (at < count ? otherWord(own, pool, random) : own)).join(' ')];
}

function changedPairs(from: People, random: Random): Pair[] {
  const pairs: Pair[] = [];
  const add = (schema: Pair['schema'], [a, b]: readonly [string, string], isSame: boolean) => {
    if (a.trim() === '' || b.trim() === '' || (!isSame && folded(a) === folded(b))) return;
    const [one, other] = random() < 0.5 ? [a, b] : [b, a];
    pairs.push({ a: one, b: other, isSame, schema, sort: isSame ? 'changed' : 'other' });
  };
  for (let turn = 0; turn < PERSONS; turn++) {
    const name = personName(from, random);
    if (name.split(' ').length < 2) continue;
    const again = (text: string) => (random() < 0.35 ? samePerson(text, from.given, random) : text);
    if (turn % 2 === 0) add('Person', [name, again(samePerson(name, from.given, random))], true);
    else {
      const [a, b] = otherPerson(name, from, random);
      add('Person', [a, random() < 0.25 ? samePerson(b, from.given, random) : b], false);
    }
  }
  for (let turn = 0; turn < COMPANIES; turn++) {
    const name = pick(random, from.companies);
    if (name.split(' ').length > 8) continue;
    const again = (text: string) => (random() < 0.35 ? sameCompany(text, random) : text);
    if (turn % 2 === 0) add('Company', [name, again(sameCompany(name, random))], true);
    else {
      const [a, b] = otherCompany(name, from, random);
      add('Company', [a, random() < 0.25 ? sameCompany(b, random) : b], false);
    }
  }
  return pairs;
}

/** An entity's name in its own script, against another entity. */
function scriptPairs(all: readonly Party[], random: Random): Pair[] {
  const native = all.flatMap(({ names, schema }, owner) =>
    schema === 'Person'
      ? names.filter((name) => !isLatin(name)).map((name) => ({ name, owner }))
      : [],
  );
  const latin = all.flatMap(({ names, schema }, owner) =>
    schema === 'Person'
      ? names
          .slice(0, 1)
          .filter(isLatin)
          .map((name) => ({ name, owner }))
      : [],
  );
  return shuffled(native, random)
    .slice(0, 900)
    .flatMap(({ name, owner }) => {
      const other = pick(random, latin);
      return other.owner === owner
        ? []
        : [
            {
              a: name,
              b: other.name,
              isSame: false,
              schema: 'Person' as const,
              sort: 'other script',
            },
          ];
    });
}

/** All pairs but the searched ones, from one seed. */
export async function trainingPairs(seed: number): Promise<Pair[]> {
  const random = seededRandom(seed);
  const all = await parties();
  const mined = (Object.keys(MINED) as Pair['schema'][]).flatMap((schema) =>
    minedPairs(all, schema, MINED[schema], random),
  );
  const from = people(all, random);
  return [
    ...aliasPairs(all, random),
    ...mined,
    ...changedPairs(from, random),
    ...scriptPairs(all, random),
  ];
}

/** The labelled pairs on which models are compared, each with its family of names. */
export function tuningPairs(): (Pair & { readonly family: string })[] {
  const rows = linesOf('matching/name_pairs_tuning.csv').slice(1).map(fieldsOf);
  const count = new Map<string, number>();
  for (const [, , a = '', b = ''] of rows) {
    for (const name of [a.toLowerCase(), b.toLowerCase()])
      count.set(name, (count.get(name) ?? 0) + 1);
  }
  return rows.map(([sort = '', schema = '', a = '', b = '', isSame = '']) => {
    const [one, other] = [a.toLowerCase(), b.toLowerCase()];
    const family = (count.get(other) ?? 0) > (count.get(one) ?? 0) ? other : one;
    const kind = schema === 'Person' ? schema : schema === 'Vessel' ? 'Other' : 'Company';
    return { a, b, family, isSame: isSame === 'true', schema: kind, sort };
  });
}
