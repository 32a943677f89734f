/** Sealed files: whole or not at all, under their own secret and purpose alone. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openFile, openSealed, putSealed, type SealedUnder, sealedPuts } from '#core/blobs';
import { systemRandom as random } from '#platform/random';
import { SampleBlobs } from '../../reports/sampleStore.ts';

const FRAME = 1024 * 1024;
const under: SealedUnder = { label: 'test', secret: Buffer.alloc(32, 7) };
const DAMAGED = { code: 'blob-damaged' };

async function* pieces(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function whole(bytes: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const read: Uint8Array[] = [];
  for await (const piece of bytes ?? []) read.push(piece);
  return Buffer.concat(read);
}

test.each([0, 1, 1_000, FRAME - 1, FRAME, FRAME + 1, 3 * FRAME, 3 * FRAME + 77])(
  'a file of %i bytes comes back, under its digest',
  async (length) => {
    const blobs = new SampleBlobs();
    const content = Buffer.alloc(length, 'Zorbandule ');
    const put = await sealedPuts({ blobs, random }, under).put(pieces(content, 100_000));
    expect(put).toMatchObject({
      address: createHash('sha256').update(content).digest('hex'),
      bytes: length,
    });
    const sealed = { blob: put.sealedBlob, keyId: 'k', keyVersion: 1 };
    const file = { address: put.address, bytes: length, sealed };
    expect((await whole(await openFile(blobs, file, under))).equals(content)).toBe(true);
    expect(await openFile(blobs, file, undefined)).toBeUndefined();
    expect(blobs.blobs.get(put.sealedBlob)?.includes('Zorbandule')).toBe(false);
  },
);

test('the same bytes are sealed differently each time', async () => {
  const blobs = new SampleBlobs();
  const put = () => putSealed({ blobs, random }, Buffer.from('Zorbandule'), under);
  expect(await put()).not.toBe(await put());
});

test('another secret, another purpose, a changed or a cut file opens nothing', async () => {
  const blobs = new SampleBlobs();
  const address = await putSealed({ blobs, random }, Buffer.alloc(FRAME + 5, 'a'), under);
  const bytes = blobs.blobs.get(address) ?? Buffer.alloc(0);
  const other = { ...under, secret: Buffer.alloc(32, 8) };
  await expect(openSealed(bytes, other)).rejects.toMatchObject(DAMAGED);
  await expect(openSealed(bytes, { ...under, label: 'else' })).rejects.toMatchObject(DAMAGED);
  for (const length of [0, 16, 20, 16 + FRAME + 16, bytes.length - 1]) {
    await expect(openSealed(bytes.subarray(0, length), under)).rejects.toMatchObject(DAMAGED);
  }
  for (const at of [0, 17, FRAME + 20, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    await expect(openSealed(changed, under)).rejects.toMatchObject(DAMAGED);
  }
});
