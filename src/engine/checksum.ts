/**
 * CRC-32 of large buffers, at once or in steps that let the event loop go on in between: a gateway
 * that loads a list answers queries meanwhile.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';

/** Less than a millisecond of work. */
const STEP_BYTES = 512 * 1024;

/** At once. */
export function checksum(bytes: Uint8Array): number {
  return crc32(bytes);
}

/** The same, with a turn of the event loop between the steps. */
export async function checksumInSteps(bytes: Uint8Array): Promise<number> {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    sum = crc32(bytes.subarray(at, at + STEP_BYTES), sum);
    await nextTurn();
  }
  return sum;
}
