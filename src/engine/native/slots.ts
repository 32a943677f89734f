/**
 * A slot: a name prepared for comparison with many others, as it lies in a thread's scratch.
 *
 *   +0    i32 length in UTF-16 units       +4   i32 1: short, at most 64 units and all ASCII
 *   +8    i32 words of 32 bits in a row    +12  i32 address of the rows, +16 of their table
 *   +20   i32 mask of the table's places   +24  two i32 unused
 *   +32   u64 × 129: per ASCII byte the bit set of its places; 0x80, any other unit, has none
 *   +1064 u8 × 64: the name as bytes, where it is short
 *   +1128 u16 × length: its units
 *
 * A name that is not short has its bit sets in rows after its units: a table of open addressing
 * (u16 unit, u16 row; row 0: empty place) leads from a unit to its row.
 */
import { fill, get32, getU16, set32, setU8, setU16 } from './machine.ts';

/** Offset of a slot's bit sets. */
export const SLOT_BITS: i32 = 32;
/** Offset of a short slot's name as bytes. */
export const SLOT_BYTES: i32 = 1064;
/** Offset of a slot's name as UTF-16 units. */
export const SLOT_UNITS: i32 = 1128;

/**
 * Lays out a slot at `slot` for the `length` units at `units`; returns the first free address
 * behind it, a multiple of 8.
 */
export function setSlot(slot: i32, units: i32, length: i32): i32 {
  fill(slot, 0, SLOT_UNITS);
  set32(slot, length);
  set32(slot + 8, (length + 31) >> 5);
  let short: bool = length <= 64;
  for (let at = 0; at < length; at++) {
    const unit = getU16(units + (at << 1));
    setU16(slot + SLOT_UNITS + (at << 1), unit);
    if (unit >= 128) short = false;
  }
  const end = (slot + SLOT_UNITS + (length << 1) + 7) & -8;
  if (!short) return setRows(slot, end, length);
  set32(slot + 4, 1);
  for (let at = 0; at < length; at++) {
    const unit = getU16(units + (at << 1));
    setU8(slot + SLOT_BYTES + at, unit);
    const word = slot + SLOT_BITS + (unit << 3) + ((at >> 5) << 2);
    set32(word, get32(word) | (1 << (at & 31)));
  }
  return end;
}

/** Whether a slot's name has at most 64 units, all ASCII. */
export function isShort(slot: i32): bool {
  return get32(slot + 4) === 1;
}

function setRows(slot: i32, table: i32, length: i32): i32 {
  let places: i32 = 64;
  while (places < length << 1) places <<= 1;
  const words = get32(slot + 8);
  const rows = table + (places << 2);
  fill(table, 0, places << 2);
  set32(slot + 12, rows);
  set32(slot + 16, table);
  set32(slot + 20, places - 1);
  let count = 0;
  for (let at = 0; at < length; at++) {
    const unit = getU16(slot + SLOT_UNITS + (at << 1));
    const place = placeOf(table, places - 1, unit);
    if (getU16(place + 2) === 0) {
      count += 1;
      setU16(place, unit);
      setU16(place + 2, count);
      fill(rows + (((count - 1) * words) << 2), 0, words << 2);
    }
    const row = getU16(place + 2) - 1;
    const word = rows + ((row * words + (at >> 5)) << 2);
    set32(word, get32(word) | (1 << (at & 31)));
  }
  return (rows + ((count * words) << 2) + 7) & -8;
}

/** Address of a unit in a table, or of the empty place where it would be. */
function placeOf(table: i32, mask: i32, unit: i32): i32 {
  let place = unit & mask;
  while (getU16(table + (place << 2) + 2) !== 0 && getU16(table + (place << 2)) !== unit) {
    place = (place + 1) & mask;
  }
  return table + (place << 2);
}

/**
 * Address of the bit set of a unit in a slot that is not short; 0 where the name lacks the unit.
 */
export function rowOf(slot: i32, unit: i32): i32 {
  const row = getU16(placeOf(get32(slot + 16), get32(slot + 20), unit) + 2);
  return row === 0 ? 0 : get32(slot + 12) + (((row - 1) * get32(slot + 8)) << 2);
}

/** Word `word` (32 places) of the bit set of a unit, from a slot of either kind. */
export function bitsOf(slot: i32, unit: i32, word: i32): i32 {
  if (isShort(slot)) return unit < 128 ? get32(slot + SLOT_BITS + (unit << 3) + (word << 2)) : 0;
  const row = rowOf(slot, unit);
  return row === 0 ? 0 : get32(row + (word << 2));
}
