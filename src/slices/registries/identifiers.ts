/**
 * Identifiers of companies. Tunisia: seven digits and a key letter, whose rule no official text was
 * found for: a letter that does not fit is a warning. France: a SIREN, whose digits have a rule.
 */
import { DomainError } from '#core/kernel';

/** Registries that are known. */
export const REGISTRIES = ['RNE_TN', 'RNE_FR'] as const;
/** One of REGISTRIES. */
export type RegistryName = (typeof REGISTRIES)[number];

/** The registry of a country; undefined where none is known. */
export const registryOf = (country: string): RegistryName | undefined =>
  country === 'TN' ? 'RNE_TN' : country === 'FR' ? 'RNE_FR' : undefined;

/** An identifier as registries have it. */
export interface CompanyIdentifier {
  readonly value: string;
  readonly warnings: readonly string[];
}

const KEY_LETTERS = 'ABCDEFGHJKLMNPQRSTVWXYZ';
const TN_FORM = /^(\d{7})([A-HJ-NP-TV-Z])(?:[A-Z]{2}\d{3})?$/;
const SEPARATORS = /[\s./-]/g;
const CHARS_MAX = 64;
const SIREN_DIGITS = 9;
const SIRET_DIGITS = 14;

/** Throws `identifier-invalid`. */
export function readIdentifier(registry: RegistryName, given: string): CompanyIdentifier {
  const bare = given.slice(0, CHARS_MAX).toUpperCase().replace(SEPARATORS, '');
  return registry === 'RNE_TN' ? readTunisian(bare) : readFrench(bare);
}

function readTunisian(bare: string): CompanyIdentifier {
  const [, digits, letter] = TN_FORM.exec(bare) ?? [];
  if (digits === undefined || letter === undefined) {
    throw invalid('expected seven digits and a key letter, as 1282182W or 1282182W/A/M/000');
  }
  const fits = letter === keyLetterOf(digits);
  return { value: digits + letter, warnings: fits ? [] : ['key-letter'] };
}

/** The letter that the digits of a Tunisian identifier give. */
export function keyLetterOf(digits: string): string {
  const sum = [...digits].reduce((all, digit, at) => all + Number(digit) * (7 - at), 0);
  return KEY_LETTERS.charAt(sum % KEY_LETTERS.length);
}

function readFrench(bare: string): CompanyIdentifier {
  const isDigits = /^\d+$/.test(bare);
  const isLong = bare.length === SIREN_DIGITS || bare.length === SIRET_DIGITS;
  const siren = bare.slice(0, SIREN_DIGITS);
  if (isDigits && isLong && isLuhn(siren)) return { value: siren, warnings: [] };
  throw invalid('expected a SIREN of nine digits, or a SIRET of fourteen, whose digits add up');
}

/** The rule of Luhn over all digits. */
export function isLuhn(digits: string): boolean {
  let sum = 0;
  [...digits].reverse().forEach((digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  });
  return sum % 10 === 0;
}

function invalid(detail: string): DomainError {
  const violations = [{ code: 'format', detail, pointer: '/identifier' }];
  return new DomainError('identifier-invalid', { detail: `identifier: ${detail}`, violations });
}
