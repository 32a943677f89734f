/**
 * Whether two tokens differ by one edit or by two neighbouring letters that changed places: the
 * typing error that re-ranker 1.1 forgives a token.
 */
import { getU16 } from './machine.ts';

/** Tokens of fewer units have too many neighbours that are other names. */
export const NEAR_UNITS_MIN: i32 = 4;

/** True for equal tokens, too. `a` and `b` are addresses of `own` and `other` units. */
export function isOneEdit(a: i32, own: i32, b: i32, other: i32): bool {
  const difference = own - other;
  if (difference > 1 || difference < -1) return false;
  const most = own < other ? own : other;
  let head = 0;
  while (head < most && getU16(a + (head << 1)) === getU16(b + (head << 1))) head += 1;
  let tail = 0;
  while (
    tail < most - head &&
    getU16(a + ((own - 1 - tail) << 1)) === getU16(b + ((other - 1 - tail) << 1))
  ) {
    tail += 1;
  }
  const left = own - head - tail;
  const right = other - head - tail;
  if (left <= 1 && right <= 1) return true;
  if (left !== 2 || right !== 2) return false;
  const first = a + (head << 1);
  const second = b + (head << 1);
  return getU16(first) === getU16(second + 2) && getU16(first + 2) === getU16(second);
}
