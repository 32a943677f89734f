/**
 * Taxpayer identification numbers by country. The answer has three values, since for most countries
 * nobody publishes a check: what is not known to be wrong is not called right.
 */
import { stdnum } from 'stdnum';
import validators from '../../../config/tax/tin-validators.json' with { type: 'json' };
import { readUsTin } from './usTin.ts';

/** What is known of a number. */
export const TIN_STATES = ['valid', 'code', 'invalid', 'unknown_structure'] as const;
/** One of TIN_STATES. */
export type TinState = (typeof TIN_STATES)[number];

/** What is known, and under which of the country's numbers it was recognised. */
export interface TinResult {
  readonly state: TinState;
  readonly kinds: readonly string[];
}

/** Characters beyond which nothing is read. */
export const TIN_CHARS_MAX = 200;

const MODULES = stdnum as unknown as Readonly<
  Record<
    string,
    Readonly<Record<string, { validate(value: string): { readonly isValid: boolean } }>>
  >
>;
const NAMES: Readonly<Record<string, readonly string[]>> = validators;

/** Marks a number of which only the length is known: it fits, and says nothing. */
const UNCHECKED = '?';

/** Countries whose numbers are checked. */
export const TIN_COUNTRIES: readonly string[] = ['US', ...Object.keys(NAMES)].sort();

/** Never throws. `country` is ISO 3166-1 alpha-2, `period` a year. */
export function readTin(of: {
  readonly country: string;
  readonly value: string;
  readonly period: number;
}): TinResult {
  const { country, period } = of;
  const value = of.value.trim();
  if (value === '' || value.length > TIN_CHARS_MAX) return { kinds: [], state: 'invalid' };
  if (country === 'US') {
    const found = readUsTin(value, { period });
    return { kinds: found.state === 'valid' ? found.kinds : [], state: found.state };
  }
  const names = NAMES[country] ?? [];
  if (names.length === 0) return { kinds: [], state: 'unknown_structure' };
  const kinds = names.filter((name) => isOfForm(country, name, value));
  const checked = kinds.filter((name) => !name.endsWith(UNCHECKED));
  if (checked.length > 0) return { kinds: checked, state: 'valid' };
  return { kinds: [], state: kinds.length > 0 ? 'unknown_structure' : 'invalid' };
}

const isOfForm = (country: string, name: string, value: string): boolean =>
  MODULES[country]?.[name.replace(UNCHECKED, '')]?.validate(value).isValid === true;
