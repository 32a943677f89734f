/**
 * Filters by letter signs, one place after the other; letters.as.ts takes four at a time. Both
 * write the places that pass, ascending, and return how many there are.
 */
import { get32, popcount, set32 } from './machine.ts';
import { SWEEP_LIMITS } from './scratch.ts';
import { scratch, sweepHeads, sweepOnce, sweepTwice } from './sections.ts';
import { alikeHeads } from './signs.ts';

/**
 * Filters places [start, end) of the swept forms by their letters: few enough of the name's may be
 * missing, and few enough others present. The limits (SWEEP_LIMITS) depend on how the form begins.
 * `heads` has the name's natural head in the low 16 bits and the sorted one above. Writes i32
 * places at `out`.
 */
export function filterForms(name: i32, heads: i32, start: i32, end: i32, out: i32): i32 {
  const once = get32(name + 12);
  const twice = get32(name + 16);
  let count = 0;
  for (let at = start; at < end; at++) {
    const place = at << 2;
    const alike = alikeHeads(get32(sweepHeads + place), heads & 0xffff, heads >> 16);
    const limits = scratch + SWEEP_LIMITS + (alike << 3);
    const own = get32(sweepOnce + place);
    const ownTwice = get32(sweepTwice + place);
    const missed = popcount(once & ~own) + popcount(twice & ~ownTwice);
    const others = popcount(own & ~once) + popcount(ownTwice & ~twice);
    if (missed > get32(limits) || others > get32(limits + 4)) continue;
    set32(out + (count << 2), at);
    count += 1;
  }
  return count;
}

/**
 * Filters places [start, end) of two arrays of letter signs: at most `missesMax` of the name's
 * letters (`once`, `twice`) may be missing, and at most `othersMax` others present. Writes i32
 * places at `out`.
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
