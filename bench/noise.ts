/**
 * Names as people type them: ten classes of noise applied to a listed entity, each seeded. A class
 * that needs something of the name (three tokens to lose one, a space to lose) takes another name
 * or entity where it is not there, so that every query of a class has its noise.
 *
 * Every second query carries its entity's date and nationality, where it has them, as a bank's
 * customers do.
 */
import type { IndexEntity, RawQuery } from '#engine';
import { cleanName, type EntitySource } from './names.ts';
import { pick, type Random, seededRandom } from './random.ts';

/** Undefined where the name is not fit for it. */
type Noise = (name: string, random: Random) => string | undefined;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** How one ear writes what another hears; both ways. */
const SOUNDS: readonly (readonly [string, string])[] = [
  ['kh', 'h'],
  ['q', 'k'],
  ['ou', 'u'],
  ['ph', 'f'],
  ['ck', 'k'],
  ['w', 'v'],
  ['y', 'i'],
  ['dj', 'j'],
  ['sh', 'ch'],
  ['ee', 'i'],
  ['oo', 'u'],
  ['aa', 'a'],
  ['mm', 'm'],
  ['ss', 's'],
  ['tz', 'ts'],
  ['gh', 'g'],
  ['dh', 'd'],
  ['ei', 'ai'],
  ['ov', 'off'],
  ['z', 's'],
  ['o', 'u'],
  ['e', 'i'],
  ['c', 'k'],
  ['iy', 'y'],
  ['l', 'll'],
];

function edited(name: string, random: Random): string {
  const places = [...name].flatMap((char, at) => (at > 0 && char !== ' ' ? [at] : []));
  if (places.length === 0) return name;
  const at = pick(random, places);
  const letter = pick(random, [...LETTERS]);
  const kind = random();
  if (kind < 0.35) return name.slice(0, at) + letter + name.slice(at + 1);
  if (kind < 0.6) return name.slice(0, at) + name.slice(at + 1);
  if (kind < 0.85) return name.slice(0, at) + letter + name.slice(at);
  const pair = `${name.charAt(at)}${name.charAt(at - 1)}`;
  return pair.includes(' ') ? name : name.slice(0, at - 1) + pair + name.slice(at + 1);
}

/** Edits until the name differs, a doubled letter may stand for its own. */
function typo(name: string, random: Random): string {
  let out = name;
  for (let attempt = 0; attempt < 8 && out === name; attempt++) out = edited(name, random);
  return out;
}

function heard(name: string, random: Random): string | undefined {
  const start = Math.floor(random() * SOUNDS.length);
  let out = name;
  let changes = 1 + Math.floor(random() * 2);
  for (let at = 0; at < SOUNDS.length && changes > 0; at++) {
    const [one, other] = SOUNDS[(start + at) % SOUNDS.length] ?? ['', ''];
    const [from, to] = random() < 0.6 ? [one, other] : [other, one];
    const place = out.indexOf(from, 1);
    if (place < 1) continue;
    out = out.slice(0, place) + to + out.slice(place + from.length);
    changes -= 1;
  }
  return out === name ? undefined : out;
}

function longest(tokens: readonly string[]): number {
  return tokens.reduce((best, token, at) => {
    return token.length > (tokens[best]?.length ?? 0) ? at : best;
  }, 0);
}

/** Class → the noise. */
export const NOISES: Readonly<Record<string, Noise>> = {
  exact: (name) => name,
  'one typo': typo,
  'two typos': (name, random) => (name.length < 8 ? undefined : typo(typo(name, random), random)),
  swapped: (name) => {
    const tokens = name.split(' ');
    if (tokens.length < 2) return undefined;
    return [...tokens.slice(1), ...tokens.slice(0, 1)].join(' ');
  },
  'missing token': (name, random) => {
    const tokens = name.split(' ');
    if (tokens.length < 3) return undefined;
    const lost = Math.floor(random() * tokens.length);
    return tokens.filter((_, at) => at !== lost).join(' ');
  },
  transliterated: heard,
  initials: (name) => {
    const tokens = name.split(' ');
    const at = tokens.findIndex((token, place) => token.length > 2 && place !== longest(tokens));
    if (at < 0) return undefined;
    return tokens.map((token, place) => (place === at ? token.charAt(0) : token)).join(' ');
  },
  joined: (name, random) => {
    const tokens = name.split(' ');
    if (tokens.length < 2) return undefined;
    const at = 1 + Math.floor(random() * (tokens.length - 1));
    return `${tokens.slice(0, at).join(' ')}${tokens.slice(at).join(' ')}`;
  },
  split: (name, random) => {
    const tokens = name.split(' ');
    const at = longest(tokens);
    const token = tokens[at] ?? '';
    if (token.length < 6) return undefined;
    const cut = 2 + Math.floor(random() * (token.length - 3));
    tokens[at] = `${token.slice(0, cut)} ${token.slice(cut)}`;
    return tokens.join(' ');
  },
  'consonants only': (name) => {
    const bare = name.replaceAll(/(?<=\p{L})[aeiouAEIOU]/gu, '');
    return bare === name || bare.length < 4 ? undefined : bare;
  },
};
/** The classes in the order of the tables. */
export const NOISE_NAMES = Object.keys(NOISES);

/** A query with what is known of its noise. */
export interface NoisyQuery {
  readonly noise: string;
  /** The entity that it was made from; undefined: a clean name. */
  readonly id: string | undefined;
  /** Place of that entity in the source; -1: a clean name. */
  readonly place: number;
  readonly raw: RawQuery;
}

const ATTEMPTS_MAX = 1_000;
const CLEAN = 'clean';

const isLatin = (name: string) => /\p{Script=Latin}/u.test(name);

/** A query of one class made from a random entity of the source. */
export function noisyQuery(entities: EntitySource, noise: string, random: Random): NoisyQuery {
  const make = NOISES[noise];
  if (make === undefined) throw new Error(`noise: expected a class, got '${noise}'`);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const place = Math.floor(random() * entities.length);
    const entity = entities.at(place);
    const names = entity?.names.filter(isLatin) ?? [];
    if (entity === undefined || names.length === 0) continue;
    const name = make(pick(random, names), random);
    if (name === undefined) continue;
    const attributes = random() < 0.5 ? attributesOf(entity, random) : {};
    return { noise, id: entity.id, place, raw: { name, transliterations: [], ...attributes } };
  }
  throw new Error(`noise: no entity is fit for '${noise}'`);
}

/** Round robin over the classes and clean names, as customers come. */
export function noisyQueries(entities: EntitySource, count: number, seed = 7): NoisyQuery[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const noise = NOISE_NAMES[index % (NOISE_NAMES.length + 1)];
    return noise === undefined ? cleanQuery(entities, random) : noisyQuery(entities, noise, random);
  });
}

function cleanQuery(entities: EntitySource, random: Random): NoisyQuery {
  const other = entities.at(Math.floor(random() * entities.length));
  const attributes = random() < 0.5 && other !== undefined ? attributesOf(other, random) : {};
  const raw = { name: cleanName(random), transliterations: [], ...attributes };
  return { noise: CLEAN, id: undefined, place: -1, raw };
}

function attributesOf(entity: IndexEntity, random: Random): Pick<RawQuery, 'dob' | 'nationality'> {
  const date = entity.datesOfBirth[0]?.split('/')[0];
  const nationality = entity.nationalities[0];
  return {
    ...(date === undefined ? {} : { dob: random() < 0.2 ? date.slice(0, 4) : date }),
    ...(nationality === undefined ? {} : { nationality }),
  };
}
