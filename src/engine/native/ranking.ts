/**
 * The best of many by their votes, without sorting them: a histogram tells where the cut is. A pair
 * is two i32: an entity and its votes (below 65,536).
 */
import { fill, get32, set32 } from './machine.ts';
import { HISTOGRAM } from './scratch.ts';
import { scratch } from './sections.ts';

const BUCKETS: i32 = 4096;
const BUCKET_BITS: i32 = 4;

/** First and last bucket of the last histogram that is not empty. */
let lowest: i32 = 0;
let highest: i32 = 0;

/** Counts `count` pairs by bucket. */
function makeHistogram(pairs: i32, count: i32): void {
  const histogram = scratch + HISTOGRAM;
  fill(histogram, 0, BUCKETS << 2);
  lowest = BUCKETS - 1;
  highest = 0;
  for (let at = 0; at < count; at++) {
    const bucket = bucketOf(get32(pairs + (at << 3) + 4));
    const place = histogram + (bucket << 2);
    set32(place, get32(place) + 1);
    if (bucket < lowest) lowest = bucket;
    if (bucket > highest) highest = bucket;
  }
}

/** Least votes among the best `most` of `count` pairs, rounded down to a bucket of 16 votes. */
export function cutOf(pairs: i32, count: i32, most: i32): i32 {
  makeHistogram(pairs, count);
  let above = 0;
  let bucket = highest;
  while (bucket > lowest) {
    const size = get32(scratch + HISTOGRAM + (bucket << 2));
    if (above + size > most) break;
    above += size;
    bucket -= 1;
  }
  return bucket << BUCKET_BITS;
}

function bucketOf(votes: i32): i32 {
  return votes >> BUCKET_BITS;
}

/**
 * Keeps, in place, at most `most` pairs: all above the bucket of `cut`, and those in it while there
 * is room. Returns how many are left.
 */
export function keepFrom(pairs: i32, count: i32, cut: i32, most: i32): i32 {
  const bucket = cut >> BUCKET_BITS;
  let above = 0;
  for (let at = 0; at < count; at++) {
    if (bucketOf(get32(pairs + (at << 3) + 4)) > bucket) above += 1;
  }
  let free = most - above;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const own = get32(pairs + (at << 3) + 4);
    if (bucketOf(own) < bucket) continue;
    if (bucketOf(own) === bucket) {
      if (free <= 0) continue;
      free -= 1;
    }
    set32(pairs + (kept << 3), get32(pairs + (at << 3)));
    set32(pairs + (kept << 3) + 4, own);
    kept += 1;
  }
  return kept;
}

/**
 * Writes the entities of the best `most` of `found` pairs to `out`, the most votes first, in the
 * given order within a bucket of 16 votes. Returns how many.
 */
export function rankPairs(pairs: i32, found: i32, most: i32, out: i32): i32 {
  const count = found > most ? keepFrom(pairs, found, cutOf(pairs, found, most), most) : found;
  const histogram = scratch + HISTOGRAM;
  makeHistogram(pairs, count);
  let place = 0;
  for (let bucket = highest; bucket >= lowest; bucket--) {
    const size = get32(histogram + (bucket << 2));
    set32(histogram + (bucket << 2), place);
    place += size;
  }
  for (let at = 0; at < count; at++) {
    const next = histogram + (bucketOf(get32(pairs + (at << 3) + 4)) << 2);
    set32(out + (get32(next) << 2), get32(pairs + (at << 3)));
    set32(next, get32(next) + 1);
  }
  return count;
}
