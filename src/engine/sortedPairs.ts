/**
 * Key → values as two sorted typed arrays: what every lookup of a snapshot is made of. Built by
 * sorting packed 64-bit numbers, read by binary search.
 */

const LOW = 0x1_0000_0000;

/**
 * Keys ascending (repeated), and beside them the values, ascending inside one key; unique pairs.
 */
export interface SortedPairs {
  readonly keys: Float64Array;
  readonly values: Uint32Array;
}

/** Sorts and removes duplicates. Keys and values are integers of 32 bits. */
export function sortPairs(keys: ArrayLike<number>, values: ArrayLike<number>): SortedPairs {
  const packed = new BigUint64Array(keys.length);
  for (let at = 0; at < keys.length; at++) {
    packed[at] = (BigInt(keys[at] ?? 0) << 32n) | BigInt(values[at] ?? 0);
  }
  packed.sort();
  let count = 0;
  for (let at = 0; at < packed.length; at++) {
    if (at > 0 && packed[at] === packed[at - 1]) continue;
    packed[count] = packed[at] ?? 0n;
    count += 1;
  }
  const outKeys = new Float64Array(count);
  const outValues = new Uint32Array(count);
  for (let at = 0; at < count; at++) {
    const pair = packed[at] ?? 0n;
    outKeys[at] = Number(pair >> 32n);
    outValues[at] = Number(pair % BigInt(LOW));
  }
  return { keys: outKeys, values: outValues };
}

/** First position whose key is not below `key`; `keys.length` where there is none. */
export function lowerBound(keys: Uint32Array | Int32Array, key: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? 0) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
