/** Bit sets of entities; sets.as.ts takes 128 entities at a time. */
import { get32, set32 } from './machine.ts';

/**
 * Writes to `to` the union of `first`, `second` and the intersection of `one` and `other`. `bytes`
 * is a multiple of 16.
 */
export function mergeSets(
  to: i32,
  first: i32,
  second: i32,
  one: i32,
  other: i32,
  bytes: i32,
): void {
  for (let at = 0; at < bytes; at += 4) {
    const both = get32(one + at) & get32(other + at);
    set32(to + at, get32(first + at) | get32(second + at) | both);
  }
}
