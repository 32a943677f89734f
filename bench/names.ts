/**
 * Seeded data for benches and tests: invented entities of several cultures, and names as people
 * type them, by the noise that separates them from the list. The same seed gives the same data on
 * every host.
 */
import type { IndexEntity, RawQuery } from '#engine';

/** Mulberry32: numbers of 0..1 from a seed. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

type Random = () => number;

function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('pick: expected at least one value');
  return value;
}

const GIVEN = (
  'Mohammed Ahmed Ali Hassan Hussein Omar Khaled Fatima Aisha Ibrahim Yusuf Mahmoud Mustafa ' +
  'Ivan Sergei Dmitri Olga Natalia Vladimir Alexei Juan Carlos Maria Jose Luis Pedro Ana Jorge ' +
  'Wei Ming Jun Li Chen Hiroshi Kenji Yuki John James Robert Michael William David Sarah Anna ' +
  'Pierre Jean Michel Claire Habib Slim Nizar Rachid Moncef Leila Sonia Abdul Karim Rahim Reza'
).split(' ');
const FAMILY_PARTS = (
  'al tra ben ka mou sa dor van rin kov sky es gar lez fer nan tik rit zad eh pour ov ich sen ' +
  'ham dan qad hafi mek zou ari boub aker cher qui trab elsi lind qvist mo reau oka for tana ka'
).split(' ');
const COMPANY_WORDS = (
  'Trading Shipping Petroleum Industries Holding General International Maritime Energy Aviation ' +
  'Global Oriental Northern Delta Atlas Falcon Orion Cedar Jasmine Carthage Sahara'
).split(' ');
const FORMS = ['LLC', 'Limited', 'S.A.', 'GmbH', 'Company Ltd', 'SARL', ''];
const NATIONS = ['IR', 'RU', 'SY', 'TN', 'IQ', 'CO', 'MX', 'CN', 'KP', 'LY'];

function family(random: Random): string {
  const count = 2 + Math.floor(random() * 2);
  const text = Array.from({ length: count }, () => pick(random, FAMILY_PARTS)).join('');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function personName(random: Random): string {
  const middle = random() < 0.4 ? `${pick(random, GIVEN)} ` : '';
  return `${pick(random, GIVEN)} ${middle}${random() < 0.15 ? 'Al-' : ''}${family(random)}`;
}

function companyName(random: Random): string {
  const words = `${family(random)} ${pick(random, COMPANY_WORDS)} ${pick(random, COMPANY_WORDS)}`;
  return `${words} ${pick(random, FORMS)}`.trim();
}

function birthDate(random: Random): string {
  const year = 1940 + Math.floor(random() * 60);
  const month = String(1 + Math.floor(random() * 12)).padStart(2, '0');
  const day = String(1 + Math.floor(random() * 28)).padStart(2, '0');
  const precision = random();
  if (precision < 0.15) return String(year);
  return precision < 0.2 ? `${year}-${month}` : `${year}-${month}-${day}`;
}

/** `count` invented entities, by id. */
export function syntheticEntities(count: number, seed = 1): IndexEntity[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index): IndexEntity => {
    const person = random() < 0.6;
    const make = person ? personName : companyName;
    const aliases = Math.floor(random() * 3);
    const names = Array.from({ length: 1 + aliases }, () => make(random));
    const id = `bench-${String(index).padStart(8, '0')}`;
    return {
      id,
      schema: person ? 'Person' : 'Company',
      names,
      datesOfBirth: person && random() < 0.6 ? [birthDate(random)] : [],
      nationalities: random() < 0.5 ? [pick(random, NATIONS)] : [],
      categories: random() < 0.8 ? 1 : 2,
      card: JSON.stringify({ ftm_id: id, primary_name: names[0] }),
    };
  });
}

/** Ways in which a typed name differs from the listed one. */
export const NOISES: Readonly<Record<string, (name: string, random: Random) => string>> = {
  exact: (name) => name,
  typo: (name, random) => edit(name, random),
  'two typos': (name, random) => edit(edit(name, random), random),
  swapped: (name) => {
    const tokens = name.split(' ');
    return [...tokens.slice(1), ...tokens.slice(0, 1)].join(' ');
  },
  shortened: (name, random) => {
    const tokens = name.split(' ');
    if (tokens.length < 3) return name;
    tokens.splice(1 + Math.floor(random() * (tokens.length - 2)), 1);
    return tokens.join(' ');
  },
  patronymic: (name, random) => `${name} ${pick(random, FAMILY_PARTS)}`,
  initialled: (name) => name.replace(/^(\p{L})\p{L}+ /u, '$1 '),
  joined: (name) => name.replace(' ', ''),
};

function edit(name: string, random: Random): string {
  const at = 1 + Math.floor(random() * Math.max(1, name.length - 1));
  const letter = String.fromCharCode(97 + Math.floor(random() * 26));
  const kind = random();
  if (kind < 0.4) return name.slice(0, at) + letter + name.slice(at + 1);
  if (kind < 0.7) return name.slice(0, at) + name.slice(at + 1);
  return name.slice(0, at) + letter + name.slice(at);
}

/** A query with what is known of its noise. */
export interface NoisyQuery {
  readonly noise: string;
  /** The entity that it was made from; undefined: a clean name. */
  readonly id: string | undefined;
  readonly raw: RawQuery;
}

/**
 * Queries round robin over the noises and clean names, every second with the attributes of its
 * entity (dates sometimes cut to the year), as a bank's customers come.
 */
export function noisyQueries(
  entities: readonly IndexEntity[],
  count: number,
  seed = 7,
): NoisyQuery[] {
  const random = seededRandom(seed);
  const noises = Object.keys(NOISES);
  return Array.from({ length: count }, (_, index): NoisyQuery => {
    const noise = noises[index % (noises.length + 1)];
    const entity = pick(random, entities);
    const withAttributes = random() < 0.5;
    const attributes = withAttributes ? attributesOf(entity, random) : {};
    const make = noise === undefined ? undefined : NOISES[noise];
    if (noise === undefined || make === undefined) {
      const name = random() < 0.7 ? personName(random) : companyName(random);
      return { noise: 'clean', id: undefined, raw: { name, transliterations: [], ...attributes } };
    }
    const name = make(pick(random, entity.names), random);
    return { noise, id: entity.id, raw: { name, transliterations: [], ...attributes } };
  });
}

function attributesOf(entity: IndexEntity, random: Random): Pick<RawQuery, 'dob' | 'nationality'> {
  const date = entity.datesOfBirth[0]?.split('/')[0];
  const nationality = entity.nationalities[0];
  return {
    ...(date === undefined ? {} : { dob: random() < 0.2 ? date.slice(0, 4) : date }),
    ...(nationality === undefined ? {} : { nationality }),
  };
}
