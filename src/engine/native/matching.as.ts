// The matching of matching.ts with words of 64 bits and without branches. A character without a
// partner writes to the place of the next one, and takes no bit.
// @ts-nocheck
import { SLOT_BITS, SLOT_BYTES } from './slots.ts';

let taken: u64 = 0;

/** As matchShort of matching.ts, with one word of 64 bits. */
export function matchShort(slot: i32, name: i32, length: i32, window: i32, matched: i32): i32 {
  const own = load<i32>(slot);
  const all: u64 = ~(<u64>0) >> (64 - own);
  const bits = slot + SLOT_BITS;
  let free = all;
  let span: u64 = window >= 63 ? ~(<u64>0) : (<u64>1 << (window + 1)) - 1;
  let to = matched;
  const end = name + length;
  const middle = min(name + max(window, 0), end);
  let at = name;
  // The window grows by a bit per step until it is full, then it moves on.
  for (; at < middle; at++) {
    const byte = <u32>load<u8>(at);
    const found: u64 = load<u64>(bits + (byte << 3)) & span & free;
    store<u8>(to, byte);
    to += <i32>(found != 0);
    free ^= found & (0 - found);
    span = (span << 1) | 1;
  }
  for (; at < end; at++) {
    const byte = <u32>load<u8>(at);
    const found: u64 = load<u64>(bits + (byte << 3)) & span & free;
    store<u8>(to, byte);
    to += <i32>(found != 0);
    free ^= found & (0 - found);
    span <<= 1;
  }
  taken = all ^ free;
  return to - matched;
}

/** As transposedShort of matching.ts. */
export function transposedShort(slot: i32, matched: i32): i32 {
  let count = 0;
  let at = matched;
  let bits = taken;
  const bytes = slot + SLOT_BYTES;
  while (bits != 0) {
    count += <i32>(load<u8>(bytes + <i32>ctz(bits)) != load<u8>(at));
    at += 1;
    bits &= bits - 1;
  }
  return count;
}
