/**
 * Candidates by shared tokens. Each token of the query is a unit of retrieval; its expansions are
 * the dictionary's tokens that it may stand for (expansions.ts), each with a weight: rarity times
 * likeness. A unit gives an entity its best weight once, whatever number of names it has.
 *
 * Units are read the rarest first until a budget of postings is spent, so the work is bounded
 * whatever the tokens are. Reading goes by blocks of 65,536 entities: the votes of a block stay in
 * the cache, and a thread needs no more than one block of them.
 */
import { below, fill, get32, set32 } from './machine.ts';
import { EXPANSIONS, HISTOGRAM, VOTE_UNITS } from './scratch.ts';
import { entityCount, list, listMax, scratch, votes } from './sections.ts';

export const BLOCK_BITS: i32 = 16;
/** Of a posting, below the entity: characters of the shortest form with the token, at most 63. */
export const LENGTH_BITS: i32 = 6;
/** What each character costs that a form is longer, or shorter, than the query's name. */
const LONGER: i32 = 10;
const SHORTER: i32 = 2;
/** Of a unit: first expansion, behind the last, postings of all, characters of its name. */
export const UNIT_BYTES: i32 = 16;
/** Of an expansion: next posting, behind the last, weight. */
export const EXPANSION_BYTES: i32 = 16;
const BUCKETS: i32 = 4096;
const BUCKET_BITS: i32 = 4;
/** Votes take the low half of a place, the unit that came last the high one. */
const VOTE_MASK: i32 = 0xffff;

/** Units in the order of their postings, the fewest first; those over the budget are left out. */
function orderUnits(count: i32, postingsMax: i32): i32 {
  const units = scratch + VOTE_UNITS;
  for (let at = 1; at < count; at++) {
    const first = get32(units + at * UNIT_BYTES);
    const end = get32(units + at * UNIT_BYTES + 4);
    const postings = get32(units + at * UNIT_BYTES + 8);
    const own = get32(units + at * UNIT_BYTES + 12);
    let place = at;
    while (place > 0 && get32(units + (place - 1) * UNIT_BYTES + 8) > postings) {
      const to = units + place * UNIT_BYTES;
      set32(to, get32(to - UNIT_BYTES));
      set32(to + 4, get32(to - UNIT_BYTES + 4));
      set32(to + 8, get32(to - UNIT_BYTES + 8));
      set32(to + 12, get32(to - UNIT_BYTES + 12));
      place -= 1;
    }
    set32(units + place * UNIT_BYTES, first);
    set32(units + place * UNIT_BYTES + 4, end);
    set32(units + place * UNIT_BYTES + 8, postings);
    set32(units + place * UNIT_BYTES + 12, own);
  }
  let spent = 0;
  let kept = 0;
  while (kept < count) {
    const postings = get32(units + kept * UNIT_BYTES + 8);
    if (spent > 0 && spent + postings > postingsMax) break;
    spent += postings;
    kept += 1;
  }
  return kept;
}

/** What a posting is worth: its expansion's weight, less where the form's length differs. */
function worthOf(weight: i32, length: i32, own: i32): i32 {
  const difference = length - own;
  const worth = weight - (difference > 0 ? difference * LONGER : -difference * SHORTER);
  const least = weight >> 1;
  return worth > least ? worth : least + 1;
}

/** Reads the postings of one expansion that lie in the block; answers the entities touched. */
function vote(expansion: i32, unit: i32, own: i32, base: i32, touched: i32): i32 {
  const end = get32(expansion + 4);
  const weight = get32(expansion + 8);
  const mark = (unit + 1) << 16;
  const blockEnd = base + (1 << BLOCK_BITS);
  let at = get32(expansion);
  let to = touched;
  while (at < end) {
    const posting = get32(at);
    const entity = posting >>> LENGTH_BITS;
    if (entity >= blockEnd) break;
    at += 4;
    const place = votes + ((entity - base) << 2);
    const before = get32(place);
    if ((before & ~VOTE_MASK) === mark) continue;
    const worth = worthOf(weight, posting & ((1 << LENGTH_BITS) - 1), own);
    set32(place, mark | ((before & VOTE_MASK) + worth));
    set32(to, place);
    if (before === 0) to += 4;
  }
  set32(expansion, at);
  return to;
}

/**
 * Votes of `unitCount` units; the entities with the most votes come to the list, at most
 * `entitiesMax` of them (and never more than half of the list has places), the most votes first.
 */
export function countVotes(unitCount: i32, postingsMax: i32, entitiesMax: i32): i32 {
  const kept = orderUnits(unitCount, postingsMax);
  const touchedStart = votes + (4 << BLOCK_BITS);
  const room = entitiesMax << 2 > 4096 ? entitiesMax << 2 : 4096;
  const candidatesMax = room < listMax >> 2 ? room : listMax >> 2;
  let count = 0;
  let cut = 1;
  for (let base = 0; base < entityCount; base += 1 << BLOCK_BITS) {
    let touched = touchedStart;
    for (let unit = 0; unit < kept; unit++) {
      const place = scratch + VOTE_UNITS + unit * UNIT_BYTES;
      const end = get32(place + 4);
      const own = get32(place + 12);
      for (let at = get32(place); at < end; at++) {
        const expansion = scratch + EXPANSIONS + at * EXPANSION_BYTES;
        touched = vote(expansion, unit, own, base, touched);
      }
    }
    for (let at = touchedStart; at < touched; at += 4) {
      const place = get32(at);
      const own = get32(place) & VOTE_MASK;
      set32(place, 0);
      if (own < cut) continue;
      const to = list + (count << 3);
      set32(to, base + ((place - votes) >> 2));
      set32(to + 4, own);
      count += 1;
      if (count < candidatesMax) continue;
      cut = cutOf(count, entitiesMax);
      count = keepFrom(count, cut, entitiesMax);
    }
  }
  return rank(count, entitiesMax);
}

/** Least votes among the best `most` of `count` candidates. */
function cutOf(count: i32, most: i32): i32 {
  const histogram = scratch + HISTOGRAM;
  fill(histogram, 0, BUCKETS << 2);
  for (let at = 0; at < count; at++) {
    const place = histogram + (bucketOf(get32(list + (at << 3) + 4)) << 2);
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

function bucketOf(own: i32): i32 {
  return own >> BUCKET_BITS;
}

/** Drops what is under the cut and, of what is at it, all that finds no place. */
function keepFrom(count: i32, cut: i32, most: i32): i32 {
  const bucket = cut >> BUCKET_BITS;
  let above = 0;
  for (let at = 0; at < count; at++) {
    if (bucketOf(get32(list + (at << 3) + 4)) > bucket) above += 1;
  }
  let free = most - above;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const own = get32(list + (at << 3) + 4);
    if (bucketOf(own) < bucket) continue;
    if (bucketOf(own) === bucket) {
      if (free <= 0) continue;
      free -= 1;
    }
    set32(list + (kept << 3), get32(list + (at << 3)));
    set32(list + (kept << 3) + 4, own);
    kept += 1;
  }
  return kept;
}

/** Sorts by votes, the most first, inside a bucket as they come; entities alone are left. */
function rank(found: i32, most: i32): i32 {
  const count = found > most ? keepFrom(found, cutOf(found, most), most) : found;
  const histogram = scratch + HISTOGRAM;
  cutOf(count, 0x7fffffff);
  let place = 0;
  for (let bucket = BUCKETS - 1; bucket >= 0; bucket--) {
    const size = get32(histogram + (bucket << 2));
    set32(histogram + (bucket << 2), place);
    place += size;
  }
  const ranked = list + (listMax << 1);
  for (let at = 0; at < count; at++) {
    const next = histogram + (bucketOf(get32(list + (at << 3) + 4)) << 2);
    set32(ranked + (get32(next) << 2), get32(list + (at << 3)));
    set32(next, get32(next) + 1);
  }
  for (let at = 0; at < count; at++) set32(list + (at << 2), get32(ranked + (at << 2)));
  return count;
}

/** Bits before and after the point of a logarithm to the base 2: a machine's own may differ. */
export function logarithm(value: i32): i32 {
  let bits = 0;
  while (!below(value >>> bits, 2)) bits += 1;
  const rest = bits > 6 ? value >>> (bits - 6) : value << (6 - bits);
  return (bits << 6) | (rest & 63);
}
