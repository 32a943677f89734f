/**
 * Taxpayer identification numbers of the United States, nine digits without dashes, and the codes
 * that the IRS lets an institution write where it has none (Notice 2023-11, extended to 2027 by
 * Notice 2024-78). A code is good for the periods that the notice names and for no other; it is
 * never taken for a number.
 */
import { stdnum } from 'stdnum';
import table from '../../../config/tax/us-tin-codes.json' with { type: 'json' };

/** Kinds of numbers that nine digits can be. */
export type UsTinKind = 'ssn' | 'itin' | 'atin' | 'ein';

/** What nine characters are. */
export type UsTinResult =
  | { readonly state: 'valid'; readonly kinds: readonly UsTinKind[] }
  | { readonly state: 'code'; readonly meaning: string }
  | { readonly state: 'invalid'; readonly expected: string };

const DIGITS = /^[0-9]{9}$/;
const SAME = /^(.)\1{8}$/;
/** Fourth and fifth digits of ITINs: 50 to 65, 70 to 88, 90 to 92 and 94 to 99. */
const isOfItins = (pair: number): boolean =>
  (pair >= 50 && pair <= 65) ||
  (pair >= 70 && pair <= 88) ||
  (pair >= 90 && pair <= 92) ||
  pair >= 94;
const ATIN = 93;

/** Never throws. `period` is a year: codes are dated. */
export function readUsTin(value: string, { period }: { readonly period: number }): UsTinResult {
  const code = table.codes.find((one) => one.code === value);
  if (code !== undefined) {
    const { from_period: from, until_period: until } = code;
    if (period >= from && period <= until) return { meaning: code.meaning, state: 'code' };
    return { expected: `a number: this code is for ${from} to ${until}`, state: 'invalid' };
  }
  if (table.last_resort.includes(value)) {
    return { meaning: 'The last resort for an account without a number', state: 'code' };
  }
  if (!DIGITS.test(value)) return { expected: 'nine digits without dashes', state: 'invalid' };
  const kinds = SAME.test(value) ? [] : kindsOf(value);
  if (kinds.length > 0) return { kinds, state: 'valid' };
  return { expected: 'an SSN, ITIN, ATIN or EIN that can have been issued', state: 'invalid' };
}

function kindsOf(value: string): readonly UsTinKind[] {
  const kinds: UsTinKind[] = [];
  if (stdnum.US?.ssn?.validate(value).isValid) kinds.push('ssn');
  if (value.startsWith('9')) {
    const pair = Number(value.slice(3, 5));
    if (pair === ATIN) kinds.push('atin');
    else if (isOfItins(pair)) kinds.push('itin');
  }
  if (stdnum.US?.ein?.validate(value).isValid) kinds.push('ein');
  return kinds;
}
