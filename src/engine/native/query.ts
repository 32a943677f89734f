/**
 * The query's names as they lie in a thread's scratch. A name (NAME_BYTES at NAMES):
 *   +0  length in units     +4  slot of the natural order   +8  slot of the sorted one
 *   +12 letters once        +16 letters twice               +20 flags: 1 sorted, 2 coded
 *   +24 address of tokens   +28 tokens   +32 first and +36 end of those without the legal form
 *
 * A token (TOKEN_BYTES): +0 number in the dictionary or -1, +4 kind, +8 primary and +12 alternate
 * code, +16 first unit, +20 address of its units, +24 units, +28 bit of its unit of retrieval, +32
 * address of the tokens near it and +36 how many: those that re-ranker 1.1 hears (nearTokens.ts),
 * or that re-ranker 2 takes for it (addStandIn); 0 where they are not looked up.
 */
import { copy, get32, getU16, set32 } from './machine.ts';
import { HEAP, INPUT, NAME_BYTES, NAMES, VARIANT_BYTES, VARIANTS } from './scratch.ts';
import { heapEnd, scratch } from './sections.ts';
import { signOf } from './signs.ts';
import { setSlot } from './slots.ts';
import { findToken } from './tokens.ts';

/** Bytes of one token of a query name. */
export const TOKEN_BYTES: i32 = 40;
/** Bytes that the slots and rows of the longest name need at most. */
const NAME_ROOM: i32 = 65_536;

/** Names of the query so far. */
export let nameCount: i32 = 0;
/** Variants of the query so far. */
export let variantCount: i32 = 0;
let heap: i32 = 0;

/** Drops the names and variants of the last query, and empties the heap. */
export function clearQuery(): void {
  nameCount = 0;
  variantCount = 0;
  heap = scratch + HEAP;
}

/** 1 where the heap has room for another name or variant, else 0; to be asked before each. */
export function hasRoom(): i32 {
  return heap + NAME_ROOM < heapEnd ? 1 : 0;
}

/**
 * Adds a name without tokens: `length` units at INPUT and, behind them, its sorted order. Flags: 1
 * natural and sorted order are the same, 2 the name has a phonetic code.
 */
export function addName(length: i32, flags: i32): void {
  const name = scratch + NAMES + nameCount * NAME_BYTES;
  const input = scratch + INPUT;
  set32(name, length);
  set32(name + 4, heap);
  heap = setSlot(heap, input, length);
  if ((flags & 1) === 0) {
    set32(name + 8, heap);
    heap = setSlot(heap, input + (length << 1), length);
  } else {
    set32(name + 8, get32(name + 4));
  }
  set32(name + 12, signOf(input, length, 1));
  set32(name + 16, signOf(input, length, 2));
  set32(name + 20, flags);
  set32(name + 24, heap);
  set32(name + 28, 0);
  nameCount += 1;
}

/** Sets the range [start, end) of the last name's tokens that is not its legal form. */
export function setCore(start: i32, end: i32): void {
  const name = scratch + NAMES + (nameCount - 1) * NAME_BYTES;
  set32(name + 32, start);
  set32(name + 36, end);
}

/** Reserves room for the tokens of the last name; addToken must follow for each. */
export function openTokens(count: i32): void {
  const name = scratch + NAMES + (nameCount - 1) * NAME_BYTES;
  set32(name + 24, heap);
  heap += count * TOKEN_BYTES;
}

/**
 * Adds the next token of the last name: `length` units at INPUT, its kind (TOKEN_KIND) and codes.
 */
export function addToken(length: i32, kind: i32, primary: i32, alternate: i32): void {
  const name = scratch + NAMES + (nameCount - 1) * NAME_BYTES;
  const count = get32(name + 28);
  const token = get32(name + 24) + count * TOKEN_BYTES;
  const input = scratch + INPUT;
  set32(name + 28, count + 1);
  set32(token, findToken(input, length));
  set32(token + 4, kind);
  set32(token + 8, primary);
  set32(token + 12, alternate);
  set32(token + 16, getU16(input));
  set32(token + 20, heap);
  set32(token + 24, length);
  set32(token + 28, 0);
  set32(token + 32, 0);
  set32(token + 36, 0);
  copy(heap, input, length << 1);
  heap = (heap + (length << 1) + 7) & -8;
}

/**
 * Adds a word that the last token may stand for whatever its letters, `length` units at INPUT; one
 * that the list does not have is left out.
 */
export function addStandIn(length: i32): void {
  const name = scratch + NAMES + (nameCount - 1) * NAME_BYTES;
  const token = get32(name + 24) + (get32(name + 28) - 1) * TOKEN_BYTES;
  const found = findToken(scratch + INPUT, length);
  if (found < 0 || found === get32(token)) return;
  const count = get32(token + 36);
  if (count === 0) set32(token + 32, heap);
  const place = get32(token + 32) + (count << 2);
  set32(place, found);
  set32(token + 36, count + 1);
  heap = (place + 4 + 7) & -8;
}

/** Whether two tokens of the query are the same text. */
export function isSameToken(a: i32, b: i32): bool {
  if (get32(a) !== get32(b) || get32(a + 24) !== get32(b + 24)) return false;
  if (get32(a) >= 0) return true;
  for (let at = 0; at < get32(a + 24) << 1; at += 2) {
    if (getU16(get32(a + 20) + at) !== getU16(get32(b + 20) + at)) return false;
  }
  return true;
}

/** Address of `bytes` free bytes of the heap; 0 where it has no room. closeNear keeps some. */
export function openNear(bytes: i32): i32 {
  return heap + bytes < heapEnd ? heap : 0;
}

/** Keeps the first `bytes` bytes that openNear gave. */
export function closeNear(bytes: i32): void {
  heap = (heap + bytes + 7) & -8;
}

/** Adds a variant: `length` units at INPUT and, behind them, its sorted order. */
export function addVariant(length: i32): void {
  const variant = scratch + VARIANTS + variantCount * VARIANT_BYTES;
  const input = scratch + INPUT;
  set32(variant, heap);
  heap = setSlot(heap, input, length);
  set32(variant + 4, heap);
  heap = setSlot(heap, input + (length << 1), length);
  set32(variant + 8, signOf(input, length, 1));
  set32(variant + 12, signOf(input, length, 2));
  variantCount += 1;
}
