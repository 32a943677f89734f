/** Compressed lists: members, damage, and what is small only until it is unpacked. */
import { deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { GZIP_RATIO_MAX, gunzip } from '../../../src/sources/fetch/gunzip.ts';
import { chunksOf } from '../chunks.ts';

const MIB = 1024 * 1024;

async function unpacked(bytes: Uint8Array, chunkBytes = 997): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of gunzip(chunksOf(bytes, chunkBytes))) pieces.push(piece);
  return Buffer.concat(pieces);
}

const TEXT = Buffer.from(
  Array.from({ length: 5_000 }, (_, at) => `entity ${at * 7919}`).join('\n'),
);

/** A gzip member with one byte of its trailer turned: CRC-32 first, then the length. */
function turned(at: number): Buffer {
  const bytes = gzipSync(TEXT);
  const place = bytes.length - 8 + at;
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  return bytes;
}

describe('a compressed list', () => {
  test.each([7, 997, 65_536])('comes whole in pieces of %i bytes', async (chunkBytes) => {
    expect((await unpacked(gzipSync(TEXT), chunkBytes)).equals(TEXT)).toBe(true);
  });

  test('of several members is one, an empty one among them', async () => {
    const parts = [TEXT.subarray(0, 10), Buffer.alloc(0), TEXT.subarray(10)];
    const bytes = Buffer.concat(parts.map((part) => gzipSync(part)));
    expect((await unpacked(bytes)).equals(TEXT)).toBe(true);
  });

  test.each<[string, Uint8Array]>([
    ['another checksum', turned(0)],
    ['another length', turned(4)],
    ['no trailer', gzipSync(TEXT).subarray(0, -8)],
    ['half a trailer', gzipSync(TEXT).subarray(0, -4)],
    ['half of it', gzipSync(TEXT).subarray(0, 5_000)],
    [
      'a second member that was cut',
      Buffer.concat([gzipSync(TEXT), gzipSync(TEXT).subarray(0, 40)]),
    ],
    ['no header', deflateRawSync(TEXT)],
    ['nothing', Buffer.alloc(0)],
    ['plain text', TEXT],
  ])('with %s is refused, never taken for a shorter one', async (_, bytes) => {
    await expect(unpacked(bytes)).rejects.toThrow();
  });

  test('within a compressed list is refused', async () => {
    await expect(unpacked(gzipSync(gzipSync(TEXT)))).rejects.toMatchObject({
      code: 'list-damaged',
    });
  });

  test('of a gibibyte of zeros ends early, and little of it is ever held', async () => {
    const member = gzipSync(Buffer.alloc(16 * MIB));
    async function* bomb() {
      for (let members = 0; members < 64; members++) yield member;
    }
    let bytes = 0;
    let largest = 0;
    const read = (async () => {
      for await (const { length } of gunzip(bomb())) {
        bytes += length;
        largest = Math.max(largest, length);
      }
    })();
    await expect(read).rejects.toThrow(`expands more than ${GZIP_RATIO_MAX} times`);
    // What was read ahead of the inflation counts as read.
    expect(bytes).toBeLessThanOrEqual(32 * MIB);
    expect(largest).toBeLessThanOrEqual(MIB);
  });

  test('that is merely repetitive is read', async () => {
    const line = `${'NK-0123456789 '.repeat(8)}\n`;
    const text = Buffer.from(
      Array.from({ length: 160_000 }, (_, at) => `${at} ${(at * 48_271) % 65_521} ${line}`).join(
        '',
      ),
    );
    expect(text.length).toBeGreaterThan(17 * MIB);
    expect((await unpacked(gzipSync(text), 65_536)).equals(text)).toBe(true);
  });
});
