/**
 * Entities by the letters of a whole name, in any order and with spaces anywhere: a name that was
 * joined, split or turned round is found by one number. That number is a sum of a hash per letter.
 * Its first bits are a place in the directory, and each entry has an entity and the remaining bits.
 */
import { get32, getU16, multiply, set32 } from './machine.ts';
import { nameCount } from './query.ts';
import { NAME_BYTES, NAMES } from './scratch.ts';
import {
  entityBits,
  lettersBits,
  lettersEntry,
  lettersFirst,
  list,
  scratch,
  tokenCount,
} from './sections.ts';
import { SLOT_UNITS } from './slots.ts';

/** Hash of one letter, as i32, which the sum of a name adds up; lookups.ts sums the same. */
export function letterHash(unit: i32): i32 {
  let mixed = multiply(unit ^ 0x5bd1e995, 0x9e3779b1 | 0);
  mixed = multiply(mixed ^ (mixed >>> 15), 0x85ebca6b | 0);
  return mixed ^ (mixed >>> 13);
}

/** Spreads a sum of letter hashes over all 32 bits. */
export function spread(sum: i32): i32 {
  const mixed = multiply(sum ^ (sum >>> 16), 0xc2b2ae35 | 0);
  return mixed ^ (mixed >>> 16);
}

/**
 * Appends entities that have a name of a query name's letters to the list's first `count`, up to a
 * count of `most`; returns the new count.
 */
export function addWholeNames(count: i32, most: i32): i32 {
  if (tokenCount === 0) return count;
  let found = count;
  for (let at = 0; at < nameCount; at++) {
    const name = scratch + NAMES + at * NAME_BYTES;
    const length = get32(name);
    const units = get32(name + 4) + SLOT_UNITS;
    let sum: i32 = 0;
    for (let unit = 0; unit < length; unit++) {
      const own = getU16(units + (unit << 1));
      if (own !== 0x20) sum = (sum + letterHash(own)) | 0;
    }
    const key = spread(sum);
    const bucket = lettersBits === 0 ? 0 : key >>> (32 - lettersBits);
    const end = get32(lettersFirst + (bucket << 2) + 4);
    for (let place = get32(lettersFirst + (bucket << 2)); place < end && found < most; place++) {
      const entry = get32(lettersEntry + (place << 2));
      if ((entry ^ (key << entityBits)) >>> entityBits !== 0) continue;
      set32(list + (found << 2), entry & ((1 << entityBits) - 1));
      found += 1;
    }
  }
  return found;
}
