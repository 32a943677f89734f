/**
 * All forms whose letters allow enough matches with a query name: the safety net under the token
 * search on lists that are swept. Forms are grouped by the similarity that is required of them, and
 * within a group by length, with their letter signs side by side. Most lengths are ruled out whole,
 * and a form costs about a nanosecond.
 *
 * The required Jaro similarity depends on the attributes of the form's entity, since an entity
 * whose date disagrees needs more from its name. It also depends on how the form begins, since
 * Jaro-Winkler boosts names that begin alike.
 */
import { filterForms } from './letters.ts';
import { get32, getF64, getU16, integer, real, set32 } from './machine.ts';
import { ATTRIBUTES, NAME_BYTES, NAMES, SWEEP_JAROS, SWEEP_LIMITS } from './scratch.ts';
import { list, scratch, sweepEntity, sweepStart } from './sections.ts';
import { headBits } from './signs.ts';
import { SLOT_UNITS } from './slots.ts';

/** Groups of a schema: without attributes, with dates, with nationalities, with both. */
export const SWEEP_ATTRIBUTES: i32 = 4;
/** All groups: those of three schemas, Person first. */
export const SWEEP_GROUPS: i32 = 12;
/** Lengths of forms, 0..1,024. */
export const SWEEP_LENGTHS: i32 = 1025;
/** Kinds of heads: the form begins differently, with one unit alike, with two or more. */
export const SWEEP_HEADS: i32 = 3;
/** Slack for rounding: bounds must never be tighter than the kernel. */
const BOUND_SLACK: f64 = 1e-9;

function headOf(slot: i32): i32 {
  const units = slot + SLOT_UNITS;
  const length = get32(slot);
  return headBits(length > 0 ? getU16(units) : 0, length > 1 ? getU16(units + 2) : 0);
}

/** A positive number rounded up; 0 for any other. */
function upwards(value: f64): i32 {
  if (value <= 0) return 0;
  const whole = integer(value);
  return real(whole) < value ? whole + 1 : whole;
}

/** As matchesRequired of signature.ts, from 3 × jaro - 1. */
function matchesOf(shares: f64, own: i32, other: i32): i32 {
  return upwards((shares * real(own) * real(other)) / real(own + other) - BOUND_SLACK);
}

/** Sets the limits for forms of this length; returns whether any of them may be enough. */
function setLimits(jaros: i32, own: i32, length: i32): bool {
  const most = own < length ? own : length;
  let any: bool = false;
  for (let head = 0; head < SWEEP_HEADS; head++) {
    const jaro = getF64(jaros + (head << 3));
    const matches = jaro > 1 ? most + 1 : matchesOf(3 * (jaro - BOUND_SLACK) - 1, own, length);
    const enough: bool = matches <= most;
    const limits = scratch + SWEEP_LIMITS + (head << 3);
    set32(limits, enough ? own - matches : -1);
    set32(limits + 4, enough ? length - matches : -1);
    if (enough) any = true;
  }
  return any;
}

/** Appends the entities of one group to the list's first `count`; returns the new count. */
function sweepGroup(name: i32, group: i32, heads: i32, count: i32): i32 {
  const jaros = scratch + SWEEP_JAROS + (group & (SWEEP_ATTRIBUTES - 1)) * (SWEEP_HEADS << 3);
  const own = get32(name);
  const first = sweepStart + ((group * SWEEP_LENGTHS) << 2);
  const jaro = getF64(jaros + ((SWEEP_HEADS - 1) << 3));
  if (jaro > 1) return count;
  // Only the smaller of two lengths can match, and must reach all that is required.
  const spread = 3 * (jaro - BOUND_SLACK) - 2 - BOUND_SLACK;
  let least = 1;
  let most = SWEEP_LENGTHS - 1;
  if (spread > 0) {
    least = integer(real(own) * spread);
    if (least < 1) least = 1;
    const longest = upwards(real(own) / spread) + 1;
    if (longest < most) most = longest;
  }
  for (let length = least; length <= most; length++) {
    const start = get32(first + (length << 2));
    const end = get32(first + (length << 2) + 4);
    if (start === end || !setLimits(jaros, own, length)) continue;
    const found = filterForms(name, heads, start, end, list + (count << 2));
    for (let at = count; at < count + found; at++) {
      const place = list + (at << 2);
      set32(place, get32(sweepEntity + (get32(place) << 2)));
    }
    count += found;
  }
  return count;
}

/**
 * Writes the entities of such forms to the list, once per form, and returns how many. Reads
 * SWEEP_JAROS and the schema of ATTRIBUTES; `nameAt` is the query name's number.
 */
export function sweepForms(nameAt: i32): i32 {
  const name = scratch + NAMES + nameAt * NAME_BYTES;
  const schema = get32(scratch + ATTRIBUTES);
  const heads = headOf(get32(name + 4)) | (headOf(get32(name + 8)) << 16);
  let count = 0;
  for (let group = 0; group < SWEEP_GROUPS; group++) {
    if (schema !== 0 && group >> 2 !== schema - 1) continue;
    count = sweepGroup(name, group, heads, count);
  }
  return count;
}
