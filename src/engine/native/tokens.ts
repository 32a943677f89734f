/** The dictionary: tokens ascend by their units, so a token's number orders like its text. */
import { below, get32, getU16 } from './machine.ts';
import { tokenCount, tokenStart, tokenUnits } from './sections.ts';

/** Bits of a posting below the entity: length of the shortest form with the token, at most 63. */
export const LENGTH_BITS: i32 = 6;
/** Mask of those bits, and the greatest length that they tell. */
export const LENGTH_MASK: i32 = (1 << LENGTH_BITS) - 1;

/** Order of a token against `length` units at `units`: below 0, 0 or above. */
function order(token: i32, units: i32, length: i32): i32 {
  const start = get32(tokenStart + (token << 2));
  const own = get32(tokenStart + (token << 2) + 4) - start;
  const most = own < length ? own : length;
  const from = tokenUnits + (start << 1);
  for (let at = 0; at < most << 1; at += 2) {
    const difference = getU16(from + at) - getU16(units + at);
    if (difference !== 0) return difference;
  }
  return own - length;
}

/** First token that is not below the `length` units at `units`; tokenCount where there is none. */
export function tokenAtLeast(units: i32, length: i32): i32 {
  let low = 0;
  let high = tokenCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order(middle, units, length) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of the token with the `length` units at `units`; -1 where the dictionary lacks it. */
export function findToken(units: i32, length: i32): i32 {
  const token = tokenAtLeast(units, length);
  return token < tokenCount && order(token, units, length) === 0 ? token : -1;
}

/** Length of a token in UTF-16 units. */
export function tokenLength(token: i32): i32 {
  return get32(tokenStart + (token << 2) + 4) - get32(tokenStart + (token << 2));
}

/**
 * First place of `count` ascending u32 keys that is not below `key`; `count` where there is none.
 */
export function lowerBound(keys: i32, count: i32, key: i32): i32 {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (below(get32(keys + (middle << 2)), key)) low = middle + 1;
    else high = middle;
  }
  return low;
}
