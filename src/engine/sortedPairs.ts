/**
 * Key → values as sorted typed arrays: what every lookup of a snapshot is made of. Built once by
 * sorting, read by binary search.
 */

/**
 * Keys ascending (repeated), and beside them the values, ascending inside one key; unique pairs.
 */
export interface SortedPairs {
  readonly keys: Uint32Array;
  readonly values: Uint32Array;
}

/** Distinct keys ascending; the values of key i are [first[i], first[i + 1]). */
export interface GroupedPairs {
  readonly keys: Uint32Array;
  readonly first: Uint32Array;
  readonly values: Uint32Array;
}

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const WORD_BITS = 32;

/** One stable pass by the digit of `by` from bit `shift` on. */
function radixPass(by: Uint32Array, shift: number, order: Uint32Array, into: Uint32Array): void {
  const starts = new Uint32Array(DIGITS + 1);
  for (const item of order) {
    const digit = ((by[item] as number) >>> shift) & (DIGITS - 1);
    starts[digit + 1] = (starts[digit + 1] as number) + 1;
  }
  for (let digit = 0; digit < DIGITS; digit++) {
    starts[digit + 1] = (starts[digit + 1] as number) + (starts[digit] as number);
  }
  for (const item of order) {
    const digit = ((by[item] as number) >>> shift) & (DIGITS - 1);
    into[starts[digit] as number] = item;
    starts[digit] = (starts[digit] as number) + 1;
  }
}

function sortBy(by: Uint32Array, order: Uint32Array): Uint32Array {
  let from = order;
  let into: Uint32Array = new Uint32Array(order.length);
  for (let shift = 0; shift < WORD_BITS; shift += DIGIT_BITS) {
    radixPass(by, shift, from, into);
    [from, into] = [into, from];
  }
  return from;
}

/** Sorts and removes duplicates. Keys and values are unsigned integers of 32 bits. */
export function sortPairs(keys: Uint32Array, values: Uint32Array): SortedPairs {
  const identity = new Uint32Array(keys.length);
  for (let at = 0; at < identity.length; at++) identity[at] = at;
  const order = sortBy(keys, sortBy(values, identity));
  const outKeys = new Uint32Array(keys.length);
  const outValues = new Uint32Array(keys.length);
  let count = 0;
  for (const item of order) {
    const key = keys[item] as number;
    const value = values[item] as number;
    if (count > 0 && outKeys[count - 1] === key && outValues[count - 1] === value) continue;
    outKeys[count] = key;
    outValues[count] = value;
    count += 1;
  }
  return { keys: outKeys.subarray(0, count), values: outValues.subarray(0, count) };
}

/** The same with each key once. */
export function groupPairs(keys: Uint32Array, values: Uint32Array): GroupedPairs {
  const pairs = sortPairs(keys, values);
  const distinct: number[] = [];
  const first: number[] = [];
  pairs.keys.forEach((key, at) => {
    if (at > 0 && key === pairs.keys[at - 1]) return;
    distinct.push(key);
    first.push(at);
  });
  first.push(pairs.keys.length);
  return {
    keys: Uint32Array.from(distinct),
    first: Uint32Array.from(first),
    values: pairs.values,
  };
}

/** First position whose key is not below `key`; `keys.length` where there is none. */
export function lowerBound(keys: Uint32Array, key: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? 0) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
