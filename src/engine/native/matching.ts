/**
 * The matching of short names, for machines of 32 bits; matching.as.ts does it with words of 64.
 * Greedy from the left, as Jaro defines it: each character takes its first free equal one inside
 * the window.
 */
import { get32, getU8, lowestBit, setU8 } from './machine.ts';
import { SLOT_BITS, SLOT_BYTES } from './slots.ts';

let takenLow: i32 = 0;
let takenHigh: i32 = 0;

/** A word of bits from `low` to `high`, both clipped to 0..31. */
function range(low: i32, high: i32): i32 {
  if (high < 0 || low > 31 || high < low) return 0;
  return (-1 << (low > 0 ? low : 0)) & (-1 >>> (31 - (high < 31 ? high : 31)));
}

/**
 * Number of matches of the slot's name (at most 64 units, ASCII) and the name of `length` bytes at
 * `name`. Writes the matched bytes to `matched`, in that name's order.
 */
export function matchShort(slot: i32, name: i32, length: i32, window: i32, matched: i32): i32 {
  const own = get32(slot);
  let freeLow = range(0, own - 1);
  let freeHigh = range(0, own - 33);
  let matches = 0;
  for (let at = 0; at < length; at++) {
    const byte = getU8(name + at);
    const bits = slot + SLOT_BITS + (byte << 3);
    const low = get32(bits) & freeLow & range(at - window, at + window);
    const second = get32(bits + 4) & freeHigh & range(at - window - 32, at + window - 32);
    const high = low !== 0 ? 0 : second;
    if ((low | high) === 0) continue;
    freeLow &= ~(low & -low);
    freeHigh &= ~(high & -high);
    setU8(matched + matches, byte);
    matches += 1;
  }
  takenLow = range(0, own - 1) & ~freeLow;
  takenHigh = range(0, own - 33) & ~freeHigh;
  return matches;
}

/**
 * Characters of the last matchShort that differ from the character at their place among the slot's
 * matches: twice the transpositions.
 */
export function transposedShort(slot: i32, matched: i32): i32 {
  let count = 0;
  let order = matched;
  for (let word = 0; word < 2; word++) {
    let bits = word === 0 ? takenLow : takenHigh;
    while (bits !== 0) {
      const at = (word << 5) + lowestBit(bits);
      if (getU8(slot + SLOT_BYTES + at) !== getU8(order)) count += 1;
      order += 1;
      bits &= bits - 1;
    }
  }
  return count;
}
