/**
 * Texts of payments with names among references, dates and amounts: listed ones with ten kinds of
 * noise, and clean ones that name people and firms who are on no list.
 */
import type { IndexEntity } from '#engine';
import { foldName } from '../src/engine/foldName.ts';
import { cleanName } from './names.ts';
import { pick, type Random } from './random.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/** Writes a name otherwise. */
type Noise = (name: string, random: Random, schema: string) => string | undefined;

/** A place inside a word of some letters. */
function inside(name: string, random: Random): number | undefined {
  const places = [...name].flatMap((_, at) =>
    /^[A-Za-z]{3}$/.test(name.slice(at - 1, at + 2)) ? [at] : [],
  );
  return places.length === 0 ? undefined : pick(random, places);
}

const atLetter =
  (change: (name: string, at: number, random: Random) => string): Noise =>
  (name, random) => {
    const at = inside(name, random);
    if (at === undefined) return undefined;
    const noisy = change(name, at, random);
    return noisy === name ? undefined : noisy;
  };

/** Ten kinds; undefined where a name is not fit for one. */
export const NOISES: Readonly<Record<string, Noise>> = {
  'as-published': (name) => name,
  'broken-by-a-line': atLetter((name, at) => `${name.slice(0, at)} ${name.slice(at)}`),
  'code-before': (name, random) => `/${pick(random, ['BNF', 'ORD', 'INS', 'ACC'])}/${name}`,
  'letter-lost': atLetter((name, at) => name.slice(0, at) + name.slice(at + 1)),
  'lower-case': (name) => name.toLowerCase(),
  'other-letter': atLetter(
    (name, at, random) => name.slice(0, at) + pick(random, LETTERS) + name.slice(at + 1),
  ),
  // The words of a firm have one order.
  'other-order': (name, _, schema) => {
    const words = name.replaceAll(',', ' ').split(/\s+/);
    if (schema !== 'Person' || words.length < 2) return undefined;
    return [...words.slice(1), words[0]].join(' ');
  },
  'run-together': (name) => {
    const words = name.replaceAll(',', ' ').split(/\s+/);
    return words.length < 2 ? undefined : [words.slice(0, 2).join(''), ...words.slice(2)].join(' ');
  },
  'title-and-marks': (name, random) => {
    const title = pick(random, ['MR.', 'MRS', 'DR.', 'M/S', 'SHEIKH']);
    return `${title} ${name.replaceAll(' ', random() < 0.5 ? '.' : ' - ')}`;
  },
  'turned-letters': atLetter(
    (name, at) => name.slice(0, at) + name.charAt(at + 1) + name.charAt(at) + name.slice(at + 2),
  ),
};

const BEFORE = [
  (r: Random) => `INV ${number(r)} DD ${date(r)} PAYMENT TO`,
  (r: Random) => `/INV/${number(r)} B/O`,
  (r: Random) => `CONTRACT NO ${number(r)}/${number(r)} IN FAVOUR OF`,
  (r: Random) => `RENT ${pick(r, ['MARCH', 'JUNE', 'SEPT'])} 2026`,
  (r: Random) => `FACTURE ${number(r)} DU ${date(r)} POUR`,
  (r: Random) => `EUR ${number(r)},00 GOODS SHIPPED BY`,
  (r: Random) => `SALARY ADVANCE ${date(r)} REF ${number(r)} ATTN`,
  () => 'ON BEHALF OF',
];
const AFTER = [
  (r: Random) => `REF ${number(r)}`,
  (r: Random) => `FOR SPARE PARTS AS PER ORDER ${number(r)}`,
  (r: Random) => `/RFB/${number(r)}`,
  (r: Random) => `BALANCE OF USD ${number(r)}.50 DUE ${date(r)}`,
  () => 'THANK YOU',
  () => 'MARCHANDISES DIVERSES',
  () => '',
];
const number = (random: Random): number => 1_000 + Math.floor(random() * 900_000);
const two = (least: number, random: Random, count: number): string =>
  String(least + Math.floor(random() * count)).padStart(2, '0');
const date = (random: Random): string => `${two(1, random, 28)}.${two(1, random, 12)}.2026`;
const FIRMS = [
  'BAKERY',
  'PLUMBING',
  'CONSULTING',
  'TEXTILES',
  'ELECTRIC',
  'TRANSPORT',
  'GENERAL TRADING',
  'IMPORT EXPORT',
];
const FORMS = ['LTD', 'GMBH', 'SARL', 'LLC', 'CO', 'SPA'];

/** A name in the text of a payment. */
export const around = (name: string, random: Random): string =>
  `${pick(random, BEFORE)(random)} ${name} ${pick(random, AFTER)(random)}`.trim();

/** A person, a firm by a person's name, or nobody at all; nobody whose very name is listed. */
export function cleanText(random: Random, isListed: (name: string) => boolean): string {
  const kind = random();
  if (kind < 0.2) return `${pick(random, BEFORE)(random)} ${pick(random, AFTER)(random)}`;
  const name = cleanName(random);
  if (isListed(name)) return cleanText(random, isListed);
  if (kind < 0.7) return around(name, random);
  const family = name.split(' ').at(-1) ?? name;
  return around(`${family} ${pick(random, FIRMS)} ${pick(random, FORMS)}`, random);
}

/** A listed name in Latin letters that is more than one word. */
export function listedName(entities: readonly IndexEntity[], random: Random) {
  for (;;) {
    const entity = pick(random, entities);
    const name = pick(random, entity.names).trim();
    if (/^[A-Za-z][A-Za-z ,.'-]+$/.test(name) && foldName(name).latin.split(' ').length > 1) {
      return { id: entity.id, name, schema: entity.schema };
    }
  }
}
