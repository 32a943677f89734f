/**
 * All forms of one length whose letters allow enough matches with a query name: the safety net
 * under the token search on lists that are swept. Forms lie by length with their letter signs side
 * by side, so a form costs about a nanosecond, and most lengths are ruled out whole.
 */
import { filterSigns } from './letters.ts';
import { get32, set32 } from './machine.ts';
import { NAME_BYTES, NAMES } from './scratch.ts';
import { list, scratch, sweepEntity, sweepOnce, sweepStart, sweepTwice } from './sections.ts';

/** Writes the entities of such forms to the list; answers how many. */
export function sweepLength(nameAt: i32, length: i32, missesMax: i32, othersMax: i32): i32 {
  const name = scratch + NAMES + nameAt * NAME_BYTES;
  const start = get32(sweepStart + (length << 2));
  const end = get32(sweepStart + (length << 2) + 4);
  const once = get32(name + 12);
  const twice = get32(name + 16);
  const count = filterSigns(
    sweepOnce,
    sweepTwice,
    start,
    end,
    once,
    twice,
    missesMax,
    othersMax,
    list,
  );
  for (let at = 0; at < count; at++) {
    const place = list + (at << 2);
    set32(place, get32(sweepEntity + (get32(place) << 2)));
  }
  return count;
}
