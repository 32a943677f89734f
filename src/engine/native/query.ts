/**
 * The query's names as the kernels hold them, in a thread's scratch. A name (NAME_BYTES at NAMES):
 *   +0  length in units     +4  slot of the natural order   +8  slot of the sorted one
 *   +12 letters once        +16 letters twice               +20 flags: 1 sorted, 2 coded
 *   +24 address of tokens   +28 tokens   +32 first and +36 last of those beside the legal form
 *
 * A token (TOKEN_BYTES): +0 number in the dictionary or -1, +4 kind, +8 primary and +12 alternate
 * code, +16 first unit, +20 address of its units, +24 units, +28 bit of its unit of retrieval.
 */
import { copy, get32, getU16, set32 } from './machine.ts';
import { HEAP, INPUT, NAME_BYTES, NAMES, VARIANT_BYTES, VARIANTS } from './scratch.ts';
import { heapEnd, scratch } from './sections.ts';
import { signOf } from './signs.ts';
import { setSlot } from './slots.ts';
import { findToken } from './tokens.ts';

export const TOKEN_BYTES: i32 = 32;
/** Slots of the longest names, and their rows, fit into this. */
const NAME_ROOM: i32 = 65_536;

export let nameCount: i32 = 0;
export let variantCount: i32 = 0;
let heap: i32 = 0;

export function clearQuery(): void {
  nameCount = 0;
  variantCount = 0;
  heap = scratch + HEAP;
}

/** 0 where the scratch has no room for another name. */
export function hasRoom(): i32 {
  return heap + NAME_ROOM < heapEnd ? 1 : 0;
}

/** Takes `length` units at INPUT and, behind them, the sorted order, as a name without tokens. */
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

/** Tokens of the last name that are not its legal form. */
export function setCore(start: i32, end: i32): void {
  const name = scratch + NAMES + (nameCount - 1) * NAME_BYTES;
  set32(name + 32, start);
  set32(name + 36, end);
}

/** Room for the tokens of the last name, whose texts then follow one by one. */
export function openTokens(count: i32): void {
  const name = scratch + NAMES + (nameCount - 1) * NAME_BYTES;
  set32(name + 24, heap);
  heap += count * TOKEN_BYTES;
}

/** Takes `length` units at INPUT as the next token of the last name. */
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
  copy(heap, input, length << 1);
  heap = (heap + (length << 1) + 7) & -8;
}

/** Takes `length` units at INPUT and, behind them, the sorted order, as a variant. */
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
