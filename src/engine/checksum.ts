/**
 * CRC-32 of large buffers, at once or in steps. Between steps the event loop goes on, so a gateway
 * that loads a list keeps answering queries.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';

/** A step is less than a millisecond of work. */
const STEP_BYTES = 512 * 1024;

/** CRC-32 (as zlib and gzip compute it) of all bytes at once, 0..2^32-1. */
export function checksum(bytes: Uint8Array): number {
  return crc32(bytes);
}

/**
 * The same CRC-32, with a turn of the event loop after every 512 KiB. The bytes must not change
 * meanwhile.
 */
export async function checksumInSteps(bytes: Uint8Array): Promise<number> {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    sum = crc32(bytes.subarray(at, at + STEP_BYTES), sum);
    await nextTurn();
  }
  return sum;
}
