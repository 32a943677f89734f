/**
 * Levenshtein distance of a slot's name and another, bit-parallel (Myers 1999, in Hyyrö's form). A
 * column of the table is one word per 32 characters of the slot's name, and each word passes its
 * carry at a column down to the next. Checked against fast-levenshtein.
 */
import { get32, getU8, getU16, real, setU8 } from './machine.ts';
import { bitsOf, isShort, SLOT_BITS } from './slots.ts';

/**
 * Least number of single-character edits that turn the slot's name into the `length` units at
 * `name`. `scratch` has 2,048 bytes: per column, whether the word above ends one higher or one
 * lower.
 */
export function levenshtein(slot: i32, name: i32, length: i32, scratch: i32): i32 {
  const own = get32(slot);
  if (own === 0 || length === 0) return own > length ? own : length;
  if (own <= 32 && isShort(slot)) return shortDistance(slot, own, name, length);
  let score = own;
  for (let at = 0; at < length; at++) setU8(scratch + at, 1);
  for (let first = 0; first < own; first += 32) {
    const rows = own - first < 32 ? own - first : 32;
    const last: bool = first + rows === own;
    score = wordPass(slot, first >> 5, name, length, 1 << (rows - 1), last, score, scratch);
  }
  return score;
}

/** The same for a short slot of at most 32 units: one word, no carry. */
function shortDistance(slot: i32, own: i32, name: i32, length: i32): i32 {
  let positive: i32 = -1;
  let negative: i32 = 0;
  let score = own;
  const top = own - 1;
  for (let at = 0; at < length; at++) {
    const unit = getU16(name + (at << 1));
    const equal = unit < 128 ? get32(slot + SLOT_BITS + (unit << 3)) : 0;
    const vertical = equal | negative;
    const diagonal = ((((equal & positive) + positive) | 0) ^ positive) | equal;
    let up = negative | ~(diagonal | positive);
    let down = positive & diagonal;
    score += ((up >>> top) & 1) - ((down >>> top) & 1);
    up = (up << 1) | 1;
    down <<= 1;
    positive = down | ~(vertical | up);
    negative = up & vertical;
  }
  return score;
}

/** One word of all columns. The carry per column is 1 up, 2 down, 0 neither. */
function wordPass(
  slot: i32,
  word: i32,
  name: i32,
  length: i32,
  top: i32,
  last: bool,
  before: i32,
  scratch: i32,
): i32 {
  let positive: i32 = -1;
  let negative: i32 = 0;
  let score = before;
  for (let at = 0; at < length; at++) {
    const carried = getU8(scratch + at);
    const equal = bitsOf(slot, getU16(name + (at << 1)), word);
    const vertical = equal | negative;
    const entering = equal | (carried >> 1);
    const diagonal = ((((entering & positive) + positive) | 0) ^ positive) | entering;
    let up = negative | ~(diagonal | positive);
    let down = positive & diagonal;
    const carriesUp = (up & top) === 0 ? 0 : 1;
    const carriesDown = (down & top) === 0 ? 0 : 1;
    setU8(scratch + at, carriesUp | (carriesDown << 1));
    if (last) score += carriesUp - carriesDown;
    up = (up << 1) | (carried & 1);
    down = (down << 1) | (carried >> 1);
    positive = down | ~(vertical | up);
    negative = up & vertical;
  }
  return score;
}

/**
 * Levenshtein ratio, 1 - distance / longer length: 1 for equal names (two empty ones too), 0 for
 * names that share nothing. Arguments as in levenshtein.
 */
export function levenshteinRatio(slot: i32, name: i32, length: i32, scratch: i32): f64 {
  const own = get32(slot);
  const longer = own > length ? own : length;
  return longer === 0 ? 1 : 1 - real(levenshtein(slot, name, length, scratch)) / real(longer);
}
