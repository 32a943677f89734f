/**
 * Jaro-Winkler similarity of two folded names: 0 shares nothing, 1 is equal. Scale 0.1, prefix of
 * at most 4, boosted only above a Jaro of 0.7, transpositions halved and not floored. The result
 * equals that of npm's jaro-winkler digit for digit, which the tests check.
 *
 * Why bit-parallel: one name (the query) is compared with thousands. It is laid out once as bit
 * sets, one per distinct character (slots.ts). Each character of the other name then finds its
 * first free partner inside the window with a few bit operations in place of a loop. Both sides
 * pick the same pairs, so the order of the arguments does not matter.
 *
 * The other name comes as bytes for a short slot (0x80 for what is not ASCII), else as units.
 */
import { fill, get32, getU8, getU16, lowestBit, real, set32, setU16 } from './machine.ts';
import { matchShort, transposedShort } from './matching.ts';
import { isShort, rowOf, SLOT_BYTES, SLOT_UNITS } from './slots.ts';

const SCALE: f64 = 0.1;
const BOOST_ABOVE: f64 = 0.7;
const ROUNDING: f64 = 1e-9;
/**
 * Offset in a comparison's scratch: matched characters lie before it, bits of taken places from it
 * on.
 */
const TAKEN: i32 = 2064;

/**
 * Similarity (0..1) of the slot's name and `length` characters at `name`. Returns 0 where the
 * matches alone show that it is below `least`. `scratch` has 2,304 bytes.
 */
export function jaroWinkler(slot: i32, name: i32, length: i32, least: f64, scratch: i32): f64 {
  const own = get32(slot);
  if (length === 0 || own === 0) return 0;
  const window = ((own > length ? own : length) >> 1) - 1;
  const short = isShort(slot);
  const matches = short
    ? matchShort(slot, name, length, window, scratch)
    : matchLong(slot, name, length, window, scratch);
  if (matches === 0) return length === 1 && own === 1 && prefixOf(slot, name, 1) === 1 ? 1 : 0;
  const shares = real(matches) / real(own) + real(matches) / real(length);
  if (least > 0 && boosted((shares + 1) / 3 + ROUNDING, slot, name, length) < least) return 0;
  const transposed = short ? transposedShort(slot, scratch) : transposedLong(slot, scratch);
  if (transposed === 0 && matches === length && length === own) return 1;
  const ordered = (real(matches) - real(transposed) / 2) / real(matches);
  return boosted((shares + ordered) / 3, slot, name, length);
}

/** Length of the common prefix, at most 4. */
export function prefixOf(slot: i32, name: i32, length: i32): i32 {
  const own = get32(slot);
  let most: i32 = own < length ? own : length;
  if (most > 4) most = 4;
  let prefix = 0;
  if (isShort(slot)) {
    while (prefix < most && getU8(name + prefix) === getU8(slot + SLOT_BYTES + prefix)) prefix += 1;
    return prefix;
  }
  const units = slot + SLOT_UNITS;
  while (prefix < most && getU16(name + (prefix << 1)) === getU16(units + (prefix << 1))) {
    prefix += 1;
  }
  return prefix;
}

function boosted(jaro: f64, slot: i32, name: i32, length: i32): f64 {
  if (jaro <= BOOST_ABOVE) return jaro;
  return jaro + real(prefixOf(slot, name, length)) * SCALE * (1 - jaro);
}

function matchLong(slot: i32, name: i32, length: i32, window: i32, scratch: i32): i32 {
  const last = get32(slot) - 1;
  const taken = scratch + TAKEN;
  fill(taken, 0, get32(slot + 8) << 2);
  let matches = 0;
  for (let at = 0; at < length; at++) {
    const low = at > window ? at - window : 0;
    if (low > last) break;
    const unit = getU16(name + (at << 1));
    const row = rowOf(slot, unit);
    if (row === 0) continue;
    const high = at + window < last ? at + window : last;
    if (high < low || !takeFirst(row, taken, low, high)) continue;
    setU16(scratch + (matches << 1), unit);
    matches += 1;
  }
  return matches;
}

/** Marks the first free bit of a row between `low` and `high`; false where there is none. */
function takeFirst(row: i32, taken: i32, low: i32, high: i32): bool {
  const first = low >> 5;
  const last = high >> 5;
  for (let word = first; word <= last; word++) {
    const from = word === first ? low & 31 : 0;
    const to = word === last ? high & 31 : 31;
    const before = get32(taken + (word << 2));
    const found = get32(row + (word << 2)) & ~before & (-1 << from) & (-1 >>> (31 - to));
    if (found === 0) continue;
    set32(taken + (word << 2), before | (found & -found));
    return true;
  }
  return false;
}

function transposedLong(slot: i32, scratch: i32): i32 {
  const words = get32(slot + 8);
  let count = 0;
  let order = scratch;
  for (let word = 0; word < words; word++) {
    let bits = get32(scratch + TAKEN + (word << 2));
    while (bits !== 0) {
      const at = (word << 5) + lowestBit(bits);
      if (getU16(slot + SLOT_UNITS + (at << 1)) !== getU16(order)) count += 1;
      order += 2;
      bits &= bits - 1;
    }
  }
  return count;
}

/**
 * Sum of jaroWinkler over `count` names, for benches; `names` has a pair of i32, address and
 * length, for each.
 */
export function jaroSum(slot: i32, names: i32, count: i32, scratch: i32): f64 {
  let sum: f64 = 0;
  for (let at = 0; at < count; at++) {
    const pair = names + (at << 3);
    sum += jaroWinkler(slot, get32(pair), get32(pair + 4), 0, scratch);
  }
  return sum;
}
