/**
 * All forms whose letters allow enough matches with a query name: the safety net under the token
 * search on lists that are swept. Forms lie by what is asked of them, and in such a group by
 * length, with their letter signs side by side: most lengths are ruled out whole, and a form costs
 * about a nanosecond.
 *
 * What is asked of a form is a Jaro similarity. It goes by the attributes of its entity, since who
 * has a date that disagrees needs more of his name, and by how the form begins, since the boost of
 * Jaro-Winkler is for names that begin alike.
 */
import { filterForms } from './letters.ts';
import { get32, getF64, getU16, integer, real, set32 } from './machine.ts';
import { ATTRIBUTES, NAME_BYTES, NAMES, SWEEP_JAROS, SWEEP_LIMITS } from './scratch.ts';
import { list, scratch, sweepEntity, sweepStart } from './sections.ts';
import { headBits } from './signs.ts';
import { SLOT_UNITS } from './slots.ts';

/** Of a schema: none, dates, nationalities, both. */
export const SWEEP_ATTRIBUTES: i32 = 4;
/** Three schemas, Person first. */
export const SWEEP_GROUPS: i32 = 12;
/** Lengths of forms, 0 among them. */
export const SWEEP_LENGTHS: i32 = 1025;
/** A form begins otherwise, with one unit alike, with two or more. */
export const SWEEP_HEADS: i32 = 3;
/** Slack for rounding: bounds must never be sharper than the kernel. */
const BOUND_SLACK: f64 = 1e-9;

function headOf(slot: i32): i32 {
  const units = slot + SLOT_UNITS;
  const length = get32(slot);
  return headBits(length > 0 ? getU16(units) : 0, length > 1 ? getU16(units + 2) : 0);
}

/** Least whole number at or over a positive one; else 0. */
function upwards(value: f64): i32 {
  if (value <= 0) return 0;
  const whole = integer(value);
  return real(whole) < value ? whole + 1 : whole;
}

/** As matchesRequired of signature.ts, from 3 × jaro - 1. */
function matchesOf(shares: f64, own: i32, other: i32): i32 {
  return upwards((shares * real(own) * real(other)) / real(own + other) - BOUND_SLACK);
}

/** Whether forms of this length, however they begin, may be enough. */
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

/** Entities of one group, behind the `count` that the list has. */
function sweepGroup(name: i32, group: i32, heads: i32, count: i32): i32 {
  const jaros = scratch + SWEEP_JAROS + (group & (SWEEP_ATTRIBUTES - 1)) * (SWEEP_HEADS << 3);
  const own = get32(name);
  const first = sweepStart + ((group * SWEEP_LENGTHS) << 2);
  const jaro = getF64(jaros + ((SWEEP_HEADS - 1) << 3));
  if (jaro > 1) return count;
  // Of two lengths the smaller one alone can match, and must with all that is asked for.
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

/** Writes the entities of such forms to the list, one as often as it has some; answers how many. */
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
