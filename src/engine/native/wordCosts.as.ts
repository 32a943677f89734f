// wordCosts.ts for asc: 16 words at once, a byte each. Sums stop at 255 by saturation, which no
// least cost below that can feel, since costs only grow along a way.
// @ts-nocheck
import {
  DOUBLED,
  SWAPPED,
  WORD_ADDED,
  WORD_CHANGED,
  WORD_COLUMNS,
  WORD_COSTS,
  WORD_DROPPED,
  WORD_LENGTHS,
  WORD_QUERY,
  WORD_ROW_BYTES,
  WORD_ROWS,
} from './wordScratch.ts';

/** The bytes of a table of 64 at the places that the lanes name. */
// @ts-ignore: decorator
@inline
function lookUp(t0: v128, t1: v128, t2: v128, t3: v128, codes: v128): v128 {
  // A place that is not 0..15 gives 0.
  const low = v128.or(
    i8x16.swizzle(t0, codes),
    i8x16.swizzle(t1, i8x16.sub(codes, i8x16.splat(16))),
  );
  const high = v128.or(
    i8x16.swizzle(t2, i8x16.sub(codes, i8x16.splat(32))),
    i8x16.swizzle(t3, i8x16.sub(codes, i8x16.splat(48))),
  );
  return v128.or(low, high);
}

/** Costs of the letters of the columns, and the first row. */
function openColumns(most: i32): void {
  const t0 = v128.load(WORD_DROPPED);
  const t1 = v128.load(WORD_DROPPED + 16);
  const t2 = v128.load(WORD_DROPPED + 32);
  const t3 = v128.load(WORD_DROPPED + 48);
  const doubled = i8x16.splat(<i8>DOUBLED);
  let before = i8x16.splat(0);
  let sum = i8x16.splat(0);
  const last = WORD_ROWS + WORD_ROW_BYTES + 16;
  v128.store(last, sum);
  for (let at = 0; at < most; at++) {
    const codes = v128.load(WORD_COLUMNS + (at << 4));
    const added = v128.bitselect(doubled, lookUp(t0, t1, t2, t3, codes), i8x16.eq(codes, before));
    v128.store(WORD_ADDED + (at << 4), added);
    sum = i8x16.add_sat_u(sum, added);
    v128.store(last + ((at + 1) << 4), sum);
    before = codes;
  }
}

function fillRow(code: i32, above: i32, most: i32, beforeLast: i32, last: i32, row: i32): void {
  const table = WORD_CHANGED + (code << 6);
  const t0 = v128.load(table);
  const t1 = v128.load(table + 16);
  const t2 = v128.load(table + 32);
  const t3 = v128.load(table + 48);
  const dropped = code === above ? DOUBLED : <i32>load<u8>(WORD_DROPPED + code);
  const gone = i8x16.splat(<i8>dropped);
  const own = i8x16.splat(<i8>code);
  const former = i8x16.splat(<i8>above);
  const swapped = i8x16.splat(<i8>SWAPPED);
  let left = i8x16.add_sat_u(v128.load(last), gone);
  let before = i8x16.splat(0);
  v128.store(row, left);
  for (let at = 0; at < most; at++) {
    const place = at << 4;
    const codes = v128.load(WORD_COLUMNS + place);
    let cost = i8x16.add_sat_u(v128.load(last + place), lookUp(t0, t1, t2, t3, codes));
    cost = i8x16.min_u(cost, i8x16.add_sat_u(v128.load(last + place + 16), gone));
    cost = i8x16.min_u(cost, i8x16.add_sat_u(left, v128.load(WORD_ADDED + place)));
    if (above !== 0 && above !== code) {
      const turned = v128.and(i8x16.eq(codes, former), i8x16.eq(before, own));
      const swap = i8x16.add_sat_u(v128.load(beforeLast + place - 16), swapped);
      cost = i8x16.min_u(cost, v128.or(swap, v128.not(turned)));
    }
    v128.store(row + place + 16, cost);
    left = cost;
    before = codes;
  }
}

/** As the function of wordCosts.ts. */
export function wordCosts(letters: i32, most: i32): void {
  openColumns(most);
  let beforeLast = WORD_ROWS + 16;
  let last = beforeLast + WORD_ROW_BYTES;
  let row = last + WORD_ROW_BYTES;
  let above = 0;
  for (let at = 0; at < letters; at++) {
    const code = <i32>load<u8>(WORD_QUERY + at);
    fillRow(code, above, most, beforeLast, last, row);
    above = code;
    const free = beforeLast;
    beforeLast = last;
    last = row;
    row = free;
  }
  const lengths = v128.load(WORD_LENGTHS);
  let costs = i8x16.splat(0);
  for (let at = 0; at <= most; at++) {
    const ends = i8x16.eq(lengths, i8x16.splat(<i8>at));
    costs = v128.bitselect(v128.load(last + (at << 4)), costs, ends);
  }
  v128.store(WORD_COSTS, costs);
}
