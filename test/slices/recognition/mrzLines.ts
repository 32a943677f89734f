/**
 * Zones made from facts, by a writer of the tests' own: digits are computed another way than the
 * reader does, and the layouts are written down once more.
 */
import type { MrzFormat } from '../../../src/slices/recognition/index.ts';

/** A seeded stream of numbers below 2^32 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

export interface MadeMrz {
  readonly format: MrzFormat;
  readonly lines: readonly string[];
  readonly number: string;
  readonly surname: string;
  readonly givenNames: string;
  readonly dob: string;
  readonly expiresOn: string;
  readonly nationality: string;
  readonly sex: 'F' | 'M';
}

const VALUES = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

export function digitOf(text: string): string {
  let sum = 0;
  [...text].forEach((unit, at) => {
    sum += Math.max(0, VALUES.indexOf(unit)) * ([7, 3, 1][at % 3] ?? 0);
  });
  return String(sum % 10);
}

const SURNAMES = [
  'BEN SALAH',
  'TRABELSI',
  'MARTIN',
  'DUPONT',
  'ERIKSSON',
  'KLEIN',
  'CHELLY',
  'LALLICK',
  'OKONKWO',
  'NGUYEN',
];
const GIVEN = [
  'ANNA MARIA',
  'MOHAMED ALI',
  'LUC',
  'CECILIA',
  'YASMINE',
  'KLAUS',
  'SOFIA',
  'JEAN PIERRE',
  'OLUFEMI',
  'THI MAI',
];
const STATES = ['TUN', 'FRA', 'DZA', 'MAR', 'ITA', 'ESP', 'GBR', 'USA', 'SWE', 'NGA'];

export function makeMrz(format: MrzFormat, next: () => number): MadeMrz {
  const pick = <Item>(items: readonly Item[]): Item => items[next() % items.length] as Item;
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = (from: number, years: number): string =>
    `${from + (next() % years)}-${two(1 + (next() % 12))}-${two(1 + (next() % 28))}`;
  const number = Array.from({ length: 9 }, () => VALUES[next() % 36]).join('');
  const facts = {
    dob: date(1940, 66),
    expiresOn: date(2027, 9),
    givenNames: pick(GIVEN),
    nationality: pick(STATES),
    number,
    sex: pick(['F', 'M'] as const),
    surname: pick(SURNAMES),
  };
  return { ...facts, format, lines: linesOf(format, facts, next) };
}

function linesOf(
  format: MrzFormat,
  facts: Omit<MadeMrz, 'format' | 'lines'>,
  next: () => number,
): string[] {
  const { nationality: state, number, sex } = facts;
  const short = (date: string): string => date.slice(2).replaceAll('-', '');
  const [born, ends] = [short(facts.dob), short(facts.expiresOn)];
  const name = `${facts.surname}<<${facts.givenNames}`.replaceAll(' ', '<');
  const pad = (text: string, width: number): string => text.padEnd(width, '<').slice(0, width);
  const optional = (width: number): string =>
    next() % 2 === 0 ? '<'.repeat(width) : pad(`ZE${next() % 1000}B`, width);
  const withDigit = (text: string): string => text + digitOf(text);
  const second = `${withDigit(number)}${state}${withDigit(born)}${sex}${withDigit(ends)}`;
  if (format === 'TD3') {
    const data = withDigit(optional(14));
    const over = second.slice(0, 10) + second.slice(13, 20) + second.slice(21, 28) + data;
    return [pad(`P<${state}${name}`, 44), second + data + digitOf(over)];
  }
  if (format === 'TD2') {
    const data = optional(7);
    const over = second.slice(0, 10) + second.slice(13, 20) + second.slice(21, 28) + data;
    return [pad(`I<${state}${name}`, 36), second + data + digitOf(over)];
  }
  if (format === 'MRV-A') return [pad(`V<${state}${name}`, 44), second + optional(16)];
  if (format === 'MRV-B') return [pad(`V<${state}${name}`, 36), second + optional(8)];
  const first = `I<${state}${withDigit(number)}${optional(15)}`;
  const middle = `${withDigit(born)}${sex}${withDigit(ends)}${state}${optional(11)}`;
  const over = first.slice(5) + middle.slice(0, 7) + middle.slice(8, 15) + middle.slice(18);
  return [first, middle + digitOf(over), pad(name, 30)];
}
