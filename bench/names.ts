/**
 * Seeded list entities of many cultures: persons, companies, vessels; common names by Zipf and
 * Mandelbrot, a long tail composed from parts, spellings, particles, Arabic and Cyrillic script.
 * Some 2.75 names an entity and, at a million entities, some 220,000 distinct tokens.
 *
 * Entity i depends on the seed and i alone: a list of five million need not be in memory to be
 * indexed (`streamEntities`) or to make queries from it (`syntheticSource`).
 */
import type { IndexEntity } from '#engine';
import { COINED, COMPANY_WORDS, CULTURES, type Culture, VESSEL_WORDS } from './cultures.ts';
import { pick, type Random, seededRandom, seedOf, zipfRank } from './random.ts';
import { toArabic, toCyrillic } from './scripts.ts';

const GIVEN_RANKS = 1_500;
const FAMILY_RANKS = 40_000;
const FLATNESS = { given: 2.5, family: 6, word: 3 } as const;
const PERSON_SHARE = 0.74;
const COMPANY_SHARE = 0.23;
/** Aliases of an entity are fewer than 0, 1, 2 … with these likelihoods, summed up. */
const ALIASES = [0.19, 0.43, 0.64, 0.79, 0.885, 0.94, 0.97, 0.99, 1];
const SCRIPT_SHARE = 0.35;
const SHARE_SUM = CULTURES.reduce((sum, { share }) => sum + share, 0);

function cultureOf(random: Random): Culture {
  let at = random() * SHARE_SUM;
  for (const culture of CULTURES) {
    at -= culture.share;
    if (at < 0) return culture;
  }
  return pick(random, CULTURES);
}

/** Rank → the tail's name: the same rank is the same name wherever it comes up. */
function composed(culture: Culture, rank: number, ends: readonly string[]): string {
  const [starts, middles] = culture.parts;
  // Odd multipliers spread neighbouring ranks over the parts.
  let code = Math.imul(rank + 1, 0x9e3779b1) >>> 0;
  const take = (parts: readonly string[]): string => {
    const part = parts[code % parts.length] ?? '';
    code = Math.floor(code / parts.length);
    return part;
  };
  const start = take(starts);
  const middle = take(middles);
  const end = take(ends);
  return rank % 3 === 0 && middle.length > 1
    ? `${start}${middle}${take(middles)}${end}`
    : `${start}${middle}${end}`;
}

/** A name as it is usually spelt, or sometimes otherwise. */
function spelling(random: Random, spellings: string, otherwise: number): string {
  const [usual = '', ...others] = spellings.split('|');
  return others.length > 0 && random() < otherwise ? pick(random, others) : usual;
}

function part(random: Random, culture: Culture, isFamily: boolean): string {
  const common = isFamily ? culture.family : culture.given;
  const ranks = isFamily ? FAMILY_RANKS : GIVEN_RANKS;
  const rank = zipfRank(random, ranks, isFamily ? FLATNESS.family : FLATNESS.given);
  const known = common[rank];
  if (known !== undefined) return spelling(random, known, 0.35);
  const ends = isFamily ? (culture.familyEnds ?? culture.parts[2]) : culture.parts[2];
  // Given and family names of one culture share their tail's parts, not their ranks.
  return composed(culture, isFamily ? rank : rank + FAMILY_RANKS, ends);
}

function patronymic(random: Random, culture: Culture): string {
  const father = part(random, culture, false).replace(/[aiyoeu]+$/, '');
  return `${father}${random() < 0.5 ? 'ovich' : 'ovna'}`;
}

function personName(random: Random, culture: Culture): string {
  const pattern = pick(random, culture.patterns);
  const tokens = Array.from(pattern, (kind) => {
    if (kind === 'P') return patronymic(random, culture);
    if (kind === 'b') return pick(random, culture.particles);
    return part(random, culture, kind === 'F');
  });
  if (culture.particles.length > 0 && random() < 0.06) {
    tokens.splice(tokens.length - 1, 0, pick(random, culture.particles));
  }
  return tokens.join(' ');
}

function companyName(random: Random, culture: Culture): string {
  const own = random() < 0.25 ? pick(random, COINED) : part(random, culture, true);
  const count = 1 + Math.floor(random() * 2.4);
  const tokens = [own, ...(random() < 0.3 ? [part(random, culture, true)] : [])];
  for (let at = 0; at < count; at++) {
    tokens.push(COMPANY_WORDS[zipfRank(random, COMPANY_WORDS.length, FLATNESS.word)] ?? '');
  }
  if (random() < 0.75) tokens.push(pick(random, culture.legalForms).replaceAll('|', ' '));
  return tokens.join(' ');
}

function vesselName(random: Random, culture: Culture): string {
  const own = part(random, culture, true);
  return random() < 0.3 ? own : `${own} ${pick(random, VESSEL_WORDS)}`;
}

/** The first pair that applies, from a random place of the table on. */
export function respelt(random: Random, name: string, pairs: Culture['respellings']): string {
  const start = Math.floor(random() * pairs.length);
  for (let at = 0; at < pairs.length; at++) {
    const [from, to] = pairs[(start + at) % pairs.length] ?? ['', ''];
    const place = from === '' ? -1 : name.indexOf(from, 1);
    if (place > 0) return name.slice(0, place) + to + name.slice(place + from.length);
  }
  return name;
}

function personAlias(random: Random, primary: string, culture: Culture): string {
  const tokens = primary.split(' ');
  const kind = random();
  if (kind < 0.45) return respelt(random, primary, culture.respellings);
  if (kind < 0.6 && tokens.length > 2) return tokens.filter((_, at) => at !== 1).join(' ');
  if (kind < 0.7) return `${tokens.at(-1) ?? ''}, ${tokens.slice(0, -1).join(' ')}`;
  if (kind < 0.8)
    return respelt(random, `${primary} ${part(random, culture, true)}`, culture.respellings);
  if (kind < 0.85) return primary.replace(/^(\p{L})\p{L}+ /u, '$1. ');
  if (kind < 0.93) return `${tokens[0] ?? ''} ${part(random, culture, true)}`;
  return personName(random, culture);
}

function companyAlias(random: Random, primary: string, culture: Culture): string {
  const tokens = primary.split(' ');
  const kind = random();
  if (kind < 0.3)
    return `${tokens.slice(0, 3).join(' ')} ${pick(random, culture.legalForms)}`.replaceAll(
      '|',
      ' ',
    );
  if (kind < 0.6) return respelt(random, primary, culture.respellings);
  if (kind < 0.75 && tokens.length > 2) return tokens.slice(0, 2).join(' ');
  if (kind < 0.85 && tokens.length > 2)
    return tokens
      .map((token) => token.charAt(0))
      .join('')
      .toUpperCase();
  return companyName(random, culture);
}

function birthDate(random: Random): string {
  const year = 1935 + Math.floor(random() * 68);
  const month = String(1 + Math.floor(random() * 12)).padStart(2, '0');
  const day = String(1 + Math.floor(random() * 28)).padStart(2, '0');
  const precision = random();
  if (precision < 0.15) return String(year);
  return precision < 0.2 ? `${year}-${month}` : `${year}-${month}-${day}`;
}

function birthDates(random: Random): string[] {
  if (random() < 0.35) return [];
  return random() < 0.08 ? [birthDate(random), birthDate(random)] : [birthDate(random)];
}

function nationalities(random: Random, culture: Culture): string[] {
  if (random() < 0.35) return [];
  const first = random() < 0.85 ? culture.nations : pick(random, CULTURES).nations;
  return [pick(random, first)];
}

function aliasCount(random: Random): number {
  const at = random();
  return ALIASES.findIndex((sum) => at < sum);
}

const CATEGORIES = [1, 1, 1, 1, 2, 2, 4, 8, 16, 3];
const ENTITY_SEED = 0x5eed;

function namesOf(random: Random, culture: Culture, schema: IndexEntity['schema']): string[] {
  const isPerson = schema === 'Person';
  const make = isPerson ? personName : schema === 'Company' ? companyName : vesselName;
  const primary = make(random, culture);
  const names = new Set([primary]);
  const aliases = aliasCount(random);
  for (let at = 0; at < aliases; at++) {
    names.add((isPerson ? personAlias : companyAlias)(random, primary, culture));
  }
  if (aliases > 0 && culture.script !== undefined && random() < SCRIPT_SHARE) {
    names.add(culture.script === 'arabic' ? toArabic(primary) : toCyrillic(primary));
  }
  return [...names];
}

/** Entity `index` of the list of this seed. */
export function syntheticEntity(index: number, seed = 1): IndexEntity {
  const random = seededRandom(seedOf(seed ^ ENTITY_SEED, index));
  const kind = random();
  const schema =
    kind < PERSON_SHARE ? 'Person' : kind < PERSON_SHARE + COMPANY_SHARE ? 'Company' : 'Other';
  const culture = cultureOf(random);
  const names = namesOf(random, culture, schema);
  const id = `bench-${String(index).padStart(8, '0')}`;
  return {
    id,
    schema,
    names,
    datesOfBirth: schema === 'Person' ? birthDates(random) : [],
    nationalities: nationalities(random, culture),
    categories: pick(random, CATEGORIES),
    card: `{"ftm_id":"${id}"}`,
  };
}

/** `count` entities by id, one at a time. */
export function* streamEntities(count: number, seed = 1): Generator<IndexEntity> {
  for (let index = 0; index < count; index++) yield syntheticEntity(index, seed);
}

/** `count` entities by id. */
export function syntheticEntities(count: number, seed = 1): IndexEntity[] {
  return [...streamEntities(count, seed)];
}

/** Entities by their place; an array is one. */
export interface EntitySource {
  readonly length: number;
  at(index: number): IndexEntity | undefined;
}

/** The list without holding it. */
export function syntheticSource(count: number, seed = 1): EntitySource {
  return { length: count, at: (index) => syntheticEntity(index, seed) };
}

/** A customer's name that need not be listed. */
export function cleanName(random: Random): string {
  const culture = cultureOf(random);
  return random() < 0.75 ? personName(random, culture) : companyName(random, culture);
}

/** What the rows say of this data. */
export function syntheticData(count: number): string {
  return `${count.toLocaleString('en')} synthetic entities`;
}
