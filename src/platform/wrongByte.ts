/**
 * Where a text stops being UTF-8. Whole pieces are checked at the speed of memory; this code checks
 * a bad one again, character by character, so that an error can name the place.
 */
import { isUtf8 } from 'node:buffer';

const LINE_FEED = 0x0a;

/** Index of the first byte that is no part of a UTF-8 character; -1 where there is none. */
export function wrongByte(bytes: Uint8Array): number {
  let index = 0;
  while (index < bytes.length) {
    const first = bytes[index] ?? 0;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length > 1 && !isUtf8(bytes.subarray(index, index + length))) return index;
    index += length;
  }
  return -1;
}

/** Lines that end before the byte. */
export function linesBefore(bytes: Uint8Array, index: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0 && at < index; count++) {
    at = bytes.indexOf(LINE_FEED, at + 1);
  }
  return count;
}
