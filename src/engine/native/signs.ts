/**
 * The letter sign of a name: its letters in 64 bits, a bound on Jaro-Winkler for the price of four
 * popcounts.
 *
 * A character falls into one of 32 buckets; `once` has a bit where the bucket is not empty, `twice`
 * where it holds two or more. A bit that one name has and the other lacks is at least one character
 * that cannot match. So the matches m are at most length - misses on both sides, in any order: one
 * sign serves the natural and the token-sorted form.
 */
import { getU16 } from './machine.ts';

/** Bucket of the space between tokens. */
export const SPACE_BIT: i32 = 1 << 26;

/**
 * Bucket (0..31) of a unit: one per letter, one for the space, two for digits, three for all other
 * scripts.
 */
function bucketOf(unit: i32): i32 {
  if (unit >= 0x61 && unit <= 0x7a) return unit - 0x61;
  if (unit === 0x20) return 26;
  if (unit >= 0x30 && unit <= 0x39) return 27 + (unit & 1);
  return 29 + (unit % 3);
}

/** Bit set of the buckets that hold at least `least` (1 or 2) of the `length` units at `units`. */
export function signOf(units: i32, length: i32, least: i32): i32 {
  let once = 0;
  let twice = 0;
  for (let at = 0; at < length; at++) {
    const bit = 1 << bucketOf(getU16(units + (at << 1)));
    twice |= once & bit;
    once |= bit;
  }
  return least === 1 ? once : twice;
}

/** Bits of a head: the buckets of a name's first two units, 5 bits each. */
export const HEAD_BITS: i32 = 10;
const HEAD_FIRST: i32 = 31;
const HEAD_BOTH: i32 = 1023;

/** The head of a name that begins with these two units; a missing unit is 0. */
export function headBits(first: i32, second: i32): i32 {
  return bucketOf(first) | (bucketOf(second) << 5);
}

/**
 * How many units a form may begin with as the query does, in either order: 0, 1, or 2 for two or
 * more. Units of different buckets differ; `heads` has the sorted head above the natural one.
 */
export function alikeHeads(heads: i32, natural: i32, sorted: i32): i32 {
  const inNatural = heads ^ natural;
  const inSorted = (heads >> HEAD_BITS) ^ sorted;
  if ((inNatural & HEAD_BOTH) === 0 || (inSorted & HEAD_BOTH) === 0) return 2;
  return (inNatural & HEAD_FIRST) === 0 || (inSorted & HEAD_FIRST) === 0 ? 1 : 0;
}
