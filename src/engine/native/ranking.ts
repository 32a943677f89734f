/**
 * The best of many by their votes, without sorting them: a histogram tells where the cut is. Pairs
 * of an entity and its votes (below 65,536) lie side by side.
 */
import { fill, get32, set32 } from './machine.ts';
import { HISTOGRAM } from './scratch.ts';
import { scratch } from './sections.ts';

const BUCKETS: i32 = 4096;
const BUCKET_BITS: i32 = 4;

/** Least votes among the best `most` of `count` pairs, to the bucket. */
export function cutOf(pairs: i32, count: i32, most: i32): i32 {
  const histogram = scratch + HISTOGRAM;
  fill(histogram, 0, BUCKETS << 2);
  for (let at = 0; at < count; at++) {
    const place = histogram + (bucketOf(get32(pairs + (at << 3) + 4)) << 2);
    set32(place, get32(place) + 1);
  }
  let above = 0;
  let bucket = BUCKETS - 1;
  while (bucket > 0 && above + get32(histogram + (bucket << 2)) <= most) {
    above += get32(histogram + (bucket << 2));
    bucket -= 1;
  }
  return bucket << BUCKET_BITS;
}

function bucketOf(votes: i32): i32 {
  return votes >> BUCKET_BITS;
}

/** Drops what is under the cut and, of what is at it, all that finds no place; answers the rest. */
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
 * Writes the entities of the best `most` pairs to `out`, the most votes first, inside a bucket as
 * they come; answers how many.
 */
export function rankPairs(pairs: i32, found: i32, most: i32, out: i32): i32 {
  const count = found > most ? keepFrom(pairs, found, cutOf(pairs, found, most), most) : found;
  const histogram = scratch + HISTOGRAM;
  cutOf(pairs, count, 0x7fffffff);
  let place = 0;
  for (let bucket = BUCKETS - 1; bucket >= 0; bucket--) {
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
