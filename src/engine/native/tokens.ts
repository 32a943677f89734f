/** The dictionary: tokens ascending by their units, so that a number orders like its text. */
import { below, get32, getU16 } from './machine.ts';
import { tokenCount, tokenStart, tokenUnits } from './sections.ts';

/** Below 0, 0 or above: how the token orders against `length` units at `units`. */
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

/** First token that is not below `length` units at `units`; the number of tokens where none is. */
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

/** The number of the token, -1 where the dictionary has it not. */
export function findToken(units: i32, length: i32): i32 {
  const token = tokenAtLeast(units, length);
  return token < tokenCount && order(token, units, length) === 0 ? token : -1;
}

export function tokenLength(token: i32): i32 {
  return get32(tokenStart + (token << 2) + 4) - get32(tokenStart + (token << 2));
}

/** First place of `count` unsigned keys that is not below `key`. */
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
