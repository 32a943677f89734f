/**
 * Amounts as decimal strings of their currency: as many fraction digits as ISO 4217 says, so that
 * one amount is written one way whichever format brought it.
 */
import currencies from '../../../config/tables/currencies.json' with { type: 'json' };

const EXPONENTS: ReadonlyMap<string, number> = new Map(Object.entries(currencies.exponents));
const DECIMAL = /^(\d{1,15})(?:\.(\d{1,10}))?$/;

/** Digits after the point; undefined for a code that is not in use. */
export const exponentOf = (currency: string): number | undefined => EXPONENTS.get(currency);

/** The amount in the digits of its currency, or why it is none. */
export function readAmount(
  text: string,
  currency: string,
): { readonly amount: string } | { readonly code: 'format' | 'currency' | 'precision' } {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) return { code: 'format' };
  const exponent = exponentOf(currency);
  if (exponent === undefined) return { code: 'currency' };
  const kept = fraction.slice(0, exponent).padEnd(exponent, '0');
  if (fraction.length > exponent && !isZero(fraction.slice(exponent))) return { code: 'precision' };
  const units = whole.replace(/^0+(?=\d)/, '');
  return { amount: exponent === 0 ? units : `${units}.${kept}` };
}

/** The amount in the smallest unit of its currency. */
export const minorUnits = (amount: string): bigint => BigInt(amount.replace('.', ''));

const isZero = (digits: string): boolean => /^0*$/.test(digits);
