// The filters of letters.ts, four signs at a time: `once` decides nearly all of them.
// @ts-nocheck
import { SWEEP_LIMITS } from './scratch.ts';
import { scratch, sweepHeads, sweepOnce, sweepTwice } from './sections.ts';
import { alikeHeads } from './signs.ts';

function popcounts(bits: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(bits)));
}

function areZero(bits: v128, mask: i32): v128 {
  return i32x4.eq(v128.and(bits, i32x4.splat(mask)), i32x4.splat(0));
}

/** In each lane, the one of three limits (8 bytes apart) that its head asks for. */
function limitOf(limits: i32, one: v128, both: v128): v128 {
  const most = i32x4.splat(load<i32>(limits + 16));
  const some = i32x4.splat(load<i32>(limits + 8));
  return v128.bitselect(most, v128.bitselect(some, i32x4.splat(load<i32>(limits)), one), both);
}

/** As filterForms of letters.ts, four places per step with SIMD. */
export function filterForms(name: i32, heads: i32, start: i32, end: i32, out: i32): i32 {
  const once = load<i32>(name + 12);
  const twice = load<i32>(name + 16);
  const natural = heads & 0xffff;
  const sorted = heads >> 16;
  const limits = scratch + SWEEP_LIMITS;
  const onces4 = i32x4.splat(once);
  const natural4 = i32x4.splat(natural);
  const sorted4 = i32x4.splat(sorted);
  let to = out;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const own = v128.load(sweepOnce + (at << 2));
    const head = v128.load(sweepHeads + (at << 2));
    const inNatural = v128.xor(head, natural4);
    const inSorted = v128.xor(i32x4.shr_u(head, 10), sorted4);
    const one = v128.or(areZero(inNatural, 31), areZero(inSorted, 31));
    const both = v128.or(areZero(inNatural, 1023), areZero(inSorted, 1023));
    const missed = popcounts(v128.andnot(onces4, own));
    const others = popcounts(v128.andnot(own, onces4));
    const fails = v128.or(
      i32x4.gt_s(missed, limitOf(limits, one, both)),
      i32x4.gt_s(others, limitOf(limits + 4, one, both)),
    );
    let passed = ~i32x4.bitmask(fails) & 15;
    while (passed != 0) {
      to = take(at + ctz(passed), once, twice, natural, sorted, to);
      passed &= passed - 1;
    }
  }
  for (; at < end; at++) to = take(at, once, twice, natural, sorted, to);
  return (to - out) >> 2;
}

function take(at: i32, once: i32, twice: i32, natural: i32, sorted: i32, to: i32): i32 {
  const place = at << 2;
  const alike = alikeHeads(load<i32>(sweepHeads + place), natural, sorted);
  const limits = scratch + SWEEP_LIMITS + (alike << 3);
  const own = load<i32>(sweepOnce + place);
  const ownTwice = load<i32>(sweepTwice + place);
  const missed = popcnt(once & ~own) + popcnt(twice & ~ownTwice);
  const others = popcnt(own & ~once) + popcnt(ownTwice & ~twice);
  store<i32>(to, at);
  const passes = missed <= load<i32>(limits) && others <= load<i32>(limits + 4);
  return to + (<i32>passes << 2);
}

/** As filterSigns of letters.ts, four places per step with SIMD. */
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
  let to = out;
  let at = start;
  const onces4 = i32x4.splat(once);
  const misses4 = i32x4.splat(missesMax);
  const others4 = i32x4.splat(othersMax);
  for (; at + 4 <= end; at += 4) {
    const own = v128.load(onces + (at << 2));
    const missed = popcounts(v128.andnot(onces4, own));
    const others = popcounts(v128.andnot(own, onces4));
    const fails = v128.or(i32x4.gt_s(missed, misses4), i32x4.gt_s(others, others4));
    let passed = ~i32x4.bitmask(fails) & 15;
    while (passed != 0) {
      to = takeSign(onces, twices, at + ctz(passed), once, twice, missesMax, othersMax, to);
      passed &= passed - 1;
    }
  }
  for (; at < end; at++) to = takeSign(onces, twices, at, once, twice, missesMax, othersMax, to);
  return (to - out) >> 2;
}

function takeSign(
  onces: i32,
  twices: i32,
  at: i32,
  once: i32,
  twice: i32,
  missesMax: i32,
  othersMax: i32,
  to: i32,
): i32 {
  const own = load<i32>(onces + (at << 2));
  const ownTwice = load<i32>(twices + (at << 2));
  const missed = popcnt(once & ~own) + popcnt(twice & ~ownTwice);
  const others = popcnt(own & ~once) + popcnt(ownTwice & ~twice);
  store<i32>(to, at);
  return to + (<i32>(missed <= missesMax && others <= othersMax) << 2);
}
