// The filters of letters.ts, four signs at a time: `once` decides nearly all of them.
// @ts-nocheck

function popcounts(bits: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(bits)));
}

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
      to = take(onces, twices, at + ctz(passed), once, twice, missesMax, othersMax, to);
      passed &= passed - 1;
    }
  }
  for (; at < end; at++) to = take(onces, twices, at, once, twice, missesMax, othersMax, to);
  return (to - out) >> 2;
}

function take(
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
