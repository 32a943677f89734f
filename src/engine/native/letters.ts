/**
 * Filters by letters, one after the other; letters.as.ts takes four at a time. Both write the
 * places that pass, ascending, and answer how many there are.
 */
import { get32, popcount, set32 } from './machine.ts';

/**
 * Places [start, end) of two arrays of letter signs that lack at most `missesMax` of the name's and
 * have at most `othersMax` beside them.
 */
export function filterSigns(
  onces: i32,
  twices: i32,
  start: i32,
  end: i32,
  once: i32,
  twice: i32,
  missesMax: i32,
  othersMax: i32,
  out: i32,
): i32 {
  let count = 0;
  for (let at = start; at < end; at++) {
    const own = get32(onces + (at << 2));
    const missed = popcount(once & ~own);
    if (missed > missesMax) continue;
    const others = popcount(own & ~once);
    if (others > othersMax) continue;
    const ownTwice = get32(twices + (at << 2));
    if (missed + popcount(twice & ~ownTwice) > missesMax) continue;
    if (others + popcount(ownTwice & ~twice) > othersMax) continue;
    set32(out + (count << 2), at);
    count += 1;
  }
  return count;
}
