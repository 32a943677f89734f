/**
 * Key → values as sorted typed arrays, of which every lookup of a snapshot consists. Built once by
 * sorting, read by binary search.
 */

/** Unique pairs: keys ascending (repeated), and their values, ascending inside one key. */
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

interface Pairs {
  readonly keys: Uint32Array;
  readonly values: Uint32Array;
}

function ascend(numbers: Uint32Array): boolean {
  for (let at = 1; at < numbers.length; at++) {
    if ((numbers[at] as number) < (numbers[at - 1] as number)) return false;
  }
  return true;
}

/**
 * One stable pass of a radix sort, by the digit of `by` from bit `shift` on, where `by` is one of
 * the arrays of `from`. False, and nothing done, where all have the same digit.
 */
function radixPass(by: Uint32Array, shift: number, from: Pairs, into: Pairs): boolean {
  const starts = new Uint32Array(DIGITS + 1);
  for (let at = 0; at < by.length; at++) {
    const digit = ((by[at] as number) >>> shift) & (DIGITS - 1);
    starts[digit + 1] = (starts[digit + 1] as number) + 1;
  }
  if (starts.includes(by.length)) return false;
  for (let digit = 0; digit < DIGITS; digit++) {
    starts[digit + 1] = (starts[digit + 1] as number) + (starts[digit] as number);
  }
  for (let at = 0; at < by.length; at++) {
    const digit = ((by[at] as number) >>> shift) & (DIGITS - 1);
    const to = starts[digit] as number;
    starts[digit] = to + 1;
    into.keys[to] = from.keys[at] as number;
    into.values[to] = from.values[at] as number;
  }
  return true;
}

/**
 * Sorts pairs and removes duplicates; both arrays have the same length and are not changed. Keys
 * and values are unsigned integers of 32 bits. Linear time: a radix sort.
 */
export function sortPairs(keys: Uint32Array, values: Uint32Array): SortedPairs {
  let from: Pairs = { keys: keys.slice(), values: values.slice() };
  let into: Pairs = { keys: new Uint32Array(keys.length), values: new Uint32Array(keys.length) };
  // Values mostly come in order; a stable sort by keys keeps that order.
  for (const by of ascend(values) ? (['keys'] as const) : (['values', 'keys'] as const)) {
    for (let shift = 0; shift < WORD_BITS; shift += DIGIT_BITS) {
      if (radixPass(from[by], shift, from, into)) [from, into] = [into, from];
    }
  }
  return distinctPairs(from);
}

/** Removes repeated pairs, in place. */
function distinctPairs({ keys, values }: Pairs): SortedPairs {
  let count = 0;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as number;
    const value = values[at] as number;
    if (count > 0 && keys[count - 1] === key && values[count - 1] === value) continue;
    keys[count] = key;
    values[count] = value;
    count += 1;
  }
  return { keys: keys.subarray(0, count), values: values.subarray(0, count) };
}

/** Sorts pairs as sortPairs does, and groups the values by key. */
export function groupPairs(keys: Uint32Array, values: Uint32Array): GroupedPairs {
  const pairs = sortPairs(keys, values);
  let distinct = 0;
  for (let at = 0; at < pairs.keys.length; at++) {
    if (at === 0 || pairs.keys[at] !== pairs.keys[at - 1]) distinct += 1;
  }
  const groups = {
    keys: new Uint32Array(distinct),
    first: new Uint32Array(distinct + 1),
    values: pairs.values,
  };
  let group = 0;
  for (let at = 0; at < pairs.keys.length; at++) {
    if (at > 0 && pairs.keys[at] === pairs.keys[at - 1]) continue;
    groups.keys[group] = pairs.keys[at] as number;
    groups.first[group] = at;
    group += 1;
  }
  groups.first[distinct] = pairs.keys.length;
  return groups;
}

/** Start of each item, from the items' sizes; one more element at the end has the sum of all. */
export function runningSum(counts: Uint32Array): Uint32Array {
  const first = new Uint32Array(counts.length + 1);
  for (let at = 0; at < counts.length; at++) {
    first[at + 1] = (first[at] as number) + (counts[at] as number);
  }
  return first;
}

/** First position of ascending keys that is not below `key`; `keys.length` where there is none. */
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
