/** Randomness is passed as an argument, so that a test can fix it. */
import { randomBytes } from 'node:crypto';

export interface Random {
  bytes(count: number): Uint8Array;
}

const POOL_BYTES = 4096;
let pool: Buffer = Buffer.alloc(0);
let poolUsed = 0;

/**
 * Bytes from a pool, since a call to the kernel's generator costs more than the bytes; none is used
 * twice.
 */
export const systemRandom: Random = {
  bytes: (count) => {
    if (count > POOL_BYTES) return randomBytes(count);
    if (poolUsed + count > pool.length) {
      pool = randomBytes(POOL_BYTES);
      poolUsed = 0;
    }
    poolUsed += count;
    return Uint8Array.prototype.slice.call(pool, poolUsed - count, poolUsed);
  },
};

/**
 * UUID version 7 (RFC 9562, 5.7): 48 bits of Unix milliseconds, then 74 random bits. Sorted by
 * time, so that the indexes of both stores grow at one end.
 */
export function uuidV7(nowMs: number, random: Random): string {
  const bytes = random.bytes(16);
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  view.setUint16(0, Math.floor(nowMs / 0x100000000));
  view.setUint32(2, nowMs % 0x100000000);
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70);
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80);
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex');
  const part = (from: number, until: number): string => hex.slice(from, until);
  return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`;
}
