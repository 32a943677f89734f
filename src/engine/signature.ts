/**
 * The letters of a name in 64 bits: a bound on Jaro-Winkler for the price of four popcounts.
 *
 * A character falls into one of 32 buckets; `once` has a bit where the bucket is not empty, `twice`
 * where it holds two or more. A bit that one name has and the other lacks is at least one character
 * that cannot match. So the matches m are at most length - misses on both sides, in any order: one
 * signature serves the natural and the token-sorted form.
 */

/**
 * Bucket (0..31) of a UTF-16 unit: one per letter, one for the space, two for digits, and three for
 * all other scripts.
 */
function bucketOf(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return unit - 0x61;
  if (unit === 0x20) return 26;
  if (unit >= 0x30 && unit <= 0x39) return 27 + (unit & 1);
  return 29 + (unit % 3);
}

/** Bit set of the buckets that hold at least one character of `units[start..end)`, as an i32. */
export function signatureOnce(units: Uint16Array, start: number, end: number): number {
  let bits = 0;
  for (let at = start; at < end; at++) bits |= 1 << bucketOf(units[at] ?? 0);
  return bits;
}

/** Bit set of the buckets that hold at least two characters of `units[start..end)`, as an i32. */
export function signatureTwice(units: Uint16Array, start: number, end: number): number {
  let once = 0;
  let twice = 0;
  for (let at = start; at < end; at++) {
    const bit = 1 << bucketOf(units[at] ?? 0);
    twice |= once & bit;
    once |= bit;
  }
  return twice;
}

/** Number of bits set in a 32-bit integer, 0..32. */
export function popcount(bits: number): number {
  let value = bits - ((bits >>> 1) & 0x55555555);
  value = (value & 0x33333333) + ((value >>> 2) & 0x33333333);
  return Math.imul((value + (value >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * Least Jaro similarity that can still reach a Jaro-Winkler of `required`: each of at most `prefix`
 * common letters adds 0.1 of what is missing to 1, but only above 0.7.
 */
export function jaroRequired(required: number, prefix = 4): number {
  const boost = 0.1 * prefix;
  const boosted = (required - boost) / (1 - boost);
  return boosted > 0.7 ? boosted : Math.min(required, 0.7);
}

/** Greatest Jaro-Winkler that a Jaro similarity can become, with the full prefix of 4. */
export function winklerMost(jaro: number): number {
  return jaro > 0.7 ? jaro + 0.4 * (1 - jaro) : jaro;
}

/**
 * Greatest Levenshtein ratio of names whose common letters allow a Jaro of `jaro`: with m of them
 * the ratio is at most m / max(a, b), and Jaro at most (m / a + m / b + 1) / 3.
 */
export function ratioMost(jaro: number): number {
  return Math.min(1, Math.max(0, (3 * jaro - 1) / 2 + BOUND_SLACK));
}

/** Slack for rounding: bounds must never be tighter than the kernel. */
export const BOUND_SLACK = 1e-9;

/**
 * Least number of matching characters that two names of these lengths (at least 1 together) need
 * for a Jaro of `jaro`; may exceed the shorter length, and then there is none.
 */
export function matchesRequired(jaro: number, lengthA: number, lengthB: number): number {
  const shares = 3 * (jaro - BOUND_SLACK) - 1;
  return Math.max(0, Math.ceil((shares * lengthA * lengthB) / (lengthA + lengthB) - BOUND_SLACK));
}
