/**
 * Queries from real lists, changed as people change names, and customers with invented attributes:
 * what the gate and the bench search for.
 */
import { pick, type Random, seededRandom } from '../../bench/random.ts';
import type { IndexEntity, RawQuery } from '../../src/engine/ports.ts';
import { withoutNotes } from '../../src/engine/reranker2/publishedNote.ts';
import { nicknamesOf } from '../../src/engine/reranker2/wordFacts.ts';
import { byName, type ListRun } from './listRun.ts';
import { heardOnce, isLatin, typoOnce } from './noise.ts';
import type { Planted } from './seeker.ts';

/** A change of a name; undefined where the name is not fit for it. */
export type Change = (name: string, random: Random) => string | undefined;

/** Two neighbouring letters of one word changed round; undefined where no word is fit. */
export function transposed(name: string, random: Random): string | undefined {
  const places: number[] = [];
  for (let at = 1; at < name.length; at++) {
    const pair = name.slice(at - 1, at + 1);
    const isInside = /[a-z]/i.test(name.charAt(at - 2)) || /[a-z]/i.test(name.charAt(at + 1));
    if (
      /^[a-z]{2}$/i.test(pair) &&
      pair.charAt(0).toLowerCase() !== pair.charAt(1).toLowerCase() &&
      isInside
    )
      places.push(at);
  }
  if (places.length === 0) return undefined;
  const at = pick(random, places);
  return name.slice(0, at - 1) + name.charAt(at) + name.charAt(at - 1) + name.slice(at + 1);
}

/**
 * `LAST, First` as people write it; undefined for a name without one comma. One in brackets parts
 * no name: an alias of the UN's list has half a sentence about a passport there.
 */
export function naturalOf(published: string): string | undefined {
  const name = withoutNotes(published);
  const at = name.indexOf(',');
  if (at < 0 || name.includes(',', at + 1)) return undefined;
  const natural = `${name.slice(at + 1).trim()} ${name.slice(0, at).trim()}`.trim();
  return natural === '' ? undefined : natural;
}

/** A name in the order in which the bearer writes it, and then with the last word first. */
export function swapped(name: string): string | undefined {
  const words = (naturalOf(name) ?? name).split(/\s+/);
  if (words.length < 2) return undefined;
  return [words.at(-1), ...words.slice(0, -1)].join(' ');
}

const MOVED_LETTERS_MIN = 5;

/** A name with the first letter of one word further back in it. */
export function moved(name: string, random: Random): string | undefined {
  const words = (naturalOf(name) ?? name).split(/\s+/);
  const fit = words.flatMap((word, at) => (word.length < MOVED_LETTERS_MIN ? [] : [at]));
  if (fit.length === 0) return undefined;
  const at = pick(random, fit);
  const word = words[at] ?? '';
  const to = 2 + Math.floor(random() * (word.length - 2));
  const out = `${word.slice(1, to + 1)}${word.charAt(0)}${word.slice(to + 1)}`;
  return words.with(at, out.charAt(0).toUpperCase() + out.slice(1).toLowerCase()).join(' ');
}

/** A name with a short form of a given name in its place; undefined where it has none. */
export function nicknamed(name: string, random: Random): string | undefined {
  const words = (naturalOf(name) ?? name).split(/\s+/);
  const [given = ''] = words;
  const short = [...(nicknamesOf(given.toLowerCase()) ?? [])];
  return short.length === 0 ? undefined : [pick(random, short), ...words.slice(1)].join(' ');
}

/** How a listed person's name comes into a batch. */
export const PLANTED_KINDS: Readonly<Record<string, Change>> = {
  exact: (name) => name,
  alias: (name) => name,
  'one typo': typoOnce,
  swapped: (name) => swapped(name),
  transliterated: heardOnce,
  'first letter moved': moved,
  nickname: nicknamed,
};

const QUERIED = /[\p{L}\p{N}]/u;

/** Persons and companies are sought with their kind, all others with none. */
function typeOf({ schema }: IndexEntity): Pick<RawQuery, 'schema'> {
  return schema === 'Other' ? {} : { schema };
}

/** All published names of a list that `change` is fit for, or `count` of them. */
export function publishedQueries(
  { entities }: ListRun,
  count: number,
  change: Change = (name) => name,
): Planted[] {
  const random = seededRandom(23);
  const all = entities.flatMap((entity) =>
    entity.names.flatMap((name): [number, Planted][] => {
      const isOrdered = change !== naturalOf || entity.schema === 'Person';
      const text = QUERIED.test(name) && isOrdered ? change(name, random) : undefined;
      if (text === undefined) return [];
      return [[random(), { id: entity.id, raw: byName(text, typeOf(entity)) }]];
    }),
  );
  return all
    .sort(([a], [b]) => a - b)
    .slice(0, count)
    .map(([, planted]) => planted);
}

/** `count` queries from Latin names of persons of the list, changed by `change`. */
export function planted(
  run: ListRun,
  count: number,
  seed: number,
  change: Change,
  { primaryOnly = false } = {},
): Planted[] {
  const random = seededRandom(seed);
  const people = run.entities.filter(({ schema }) => schema === 'Person');
  const out: Planted[] = [];
  for (let turn = 0; out.length < count && turn < 20 * count; turn++) {
    const entity = pick(random, people);
    const published = primaryOnly ? entity.names.slice(0, 1) : entity.names;
    const names = published.filter((name) => isLatin(name) && name.trim().includes(' '));
    if (names.length === 0) continue;
    const name = change(pick(random, names), random);
    if (name !== undefined) out.push({ id: entity.id, raw: byName(name, { schema: 'Person' }) });
  }
  return out;
}

/** Exact names of persons whose date of birth is known to the day, with one digit of it wrong. */
export function wronglyDated(run: ListRun, count: number, seed: number): Planted[] {
  const dates = new Map(run.entities.map(({ datesOfBirth, id }) => [id, datesOfBirth[0] ?? '']));
  return planted(run, 2 * count, seed, (name) => name)
    .flatMap(({ id, raw }) => {
      const date = dates.get(id) ?? '';
      const isFull = /^\d{4}-\d\d-\d\d$/.test(date);
      return isFull ? [{ id, raw: { ...raw, dob: withWrongDigit(date) } }] : [];
    })
    .slice(0, count);
}

/** The last digit of the year, or of the day, is another one. */
function withWrongDigit(date: string): string {
  const at = Number(date.charAt(9)) % 2 === 0 ? 3 : 9;
  const digit = (Number(date.charAt(at)) + 1) % 10;
  const wrong = date.slice(0, at) + digit + date.slice(at + 1);
  return wrong.endsWith('00') ? `${wrong.slice(0, 9)}1` : wrong;
}

const NATIONS = (
  'US GB FR DE IT ES BR MX IN CN JP RU TR EG NG ZA TN MA DZ SA AE ' +
  'IR IQ PK BD ID PH VN KR CO AR PL UA SE NL BE CH AT GR'
).split(' ');
const ARAB_NATIONS = 'EG TN MA DZ SA AE IQ SY LB JO YE SD LY KW'.split(' ');

/** A clean customer with an invented date of birth, and nationality where asked for. */
export function withAttributes(
  raw: RawQuery,
  random: Random,
  nations: 'none' | 'any' | 'arab',
): RawQuery {
  const two = (value: number) => String(value).padStart(2, '0');
  const [year, month, day] = [65, 12, 28].map((most) => Math.floor(random() * most));
  const dob = `${1940 + (year ?? 0)}-${two(1 + (month ?? 0))}-${two(1 + (day ?? 0))}`;
  if (nations === 'none') return { ...raw, dob };
  return { ...raw, dob, nationality: pick(random, nations === 'arab' ? ARAB_NATIONS : NATIONS) };
}

/** Words that names have in common: none of them alone means anybody. */
export const COMMON_WORDS = (
  'Ali Mohammed Ahmed Hassan Hussein Khan Kim Ivan Jose Maria Abdullah Ibrahim ' +
  'Group International Corp Company Trading Bank General Holdings Limited Foundation ' +
  'Services Industries Investment Haji Sheikh Al Bin Abu'
).split(' ');
