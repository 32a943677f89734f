/** BlobStore: write-once content under its digest. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore, StoredBlob } from '#core/blobs';
import type { EpochMs } from '#platform/clock';

export interface BlobHarness {
  open(): Promise<BlobStore>;
  dispose(): Promise<void>;
}

export function blobStoreContract(technology: string, make: () => Promise<BlobHarness>): void {
  describe(`${technology}: BlobStore`, () => {
    let harness: BlobHarness;
    let blobs: BlobStore;

    beforeEach(async () => {
      harness = await make();
      blobs = await harness.open();
    });
    afterEach(() => harness.dispose());

    test('what was put reads back under its SHA-256, also after opening again', async () => {
      const bytes = new TextEncoder().encode('a list');
      const { address, bytes: count } = await blobs.put(bytes);
      expect(address).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(count).toBe(6);
      expect(await (await harness.open()).get(address)).toEqual(bytes);
      expect(await blobs.has(address)).toBe(true);
      expect(await blobs.size(address)).toBe(6);
    });

    test('a stream of pieces is the same blob as its whole', async () => {
      async function* pieces() {
        yield new Uint8Array([1, 2]);
        yield new Uint8Array();
        yield new Uint8Array([3]);
      }
      const whole = await blobs.put(new Uint8Array([1, 2, 3]));
      const { address, bytes } = await blobs.put(pieces());
      expect({ address, bytes }).toEqual({ address: whole.address, bytes: whole.bytes });
    });

    test('is read here and there, as far as it goes', async () => {
      const { address } = await blobs.put(new Uint8Array([1, 2, 3, 4, 5]));
      const ranges = await blobs.openRanges(address);
      expect([...((await ranges?.read(1, 3)) ?? [])]).toEqual([2, 3, 4]);
      expect([...((await ranges?.read(3, 9)) ?? [])]).toEqual([4, 5]);
      expect([...((await ranges?.read(9, 1)) ?? [])]).toEqual([]);
      await ranges?.close();
      expect(await blobs.openRanges('ab'.repeat(32))).toBeUndefined();
    });

    test('is held to a seal, and where that is another one to its address', async () => {
      const sealKey = new Uint8Array(32).fill(9);
      const bytes = new Uint8Array(2_500_000).map((_, index) => index % 253);
      const { address, seal } = await blobs.put(bytes, { sealKey });
      if (!seal) return; // a store may have none
      expect(seal.key).toBe(sealKey);
      const other = { ...seal, key: new Uint8Array(32) };
      for (const held of [seal, other]) {
        const own = await blobs.get(address, held);
        const shared = await blobs.getShared(address, undefined, held);
        for (const read of [own, shared && new Uint8Array(shared)]) {
          expect(Buffer.compare(read ?? Buffer.of(), bytes)).toBe(0);
        }
      }
    });

    test('an empty blob is a blob', async () => {
      const { address } = await blobs.put(new Uint8Array());
      expect(await blobs.get(address)).toEqual(new Uint8Array());
    });

    test('what is not there is absent, and a wrong address is a mistake', async () => {
      const absent = 'ab'.repeat(32);
      expect(await blobs.get(absent)).toBeUndefined();
      expect(await blobs.getShared(absent)).toBeUndefined();
      expect(await blobs.has(absent)).toBe(false);
      expect(await blobs.size(absent)).toBeUndefined();
      await expect(async () => blobs.get('../../etc/passwd')).rejects.toThrow(/address/);
      await expect(async () => blobs.has(absent.toUpperCase())).rejects.toThrow(/address/);
    });

    test('a blob larger than one read comes whole, and into shared memory', async () => {
      const bytes = new Uint8Array(3 * 1024 * 1024 + 17).map((_, index) => index % 251);
      const { address } = await blobs.put(bytes);
      expect(Buffer.compare((await blobs.get(address)) ?? Buffer.of(), bytes)).toBe(0);
      const shared = await blobs.getShared(address);
      expect(shared).toBeInstanceOf(SharedArrayBuffer);
      expect(Buffer.compare(Buffer.from(shared ?? new ArrayBuffer()), bytes)).toBe(0);
    });

    test('a blob is read piece by piece, and what is absent is not opened', async () => {
      const bytes = new Uint8Array(3 * 1024 * 1024 + 17).map((_, index) => index % 251);
      const { address } = await blobs.put(bytes);
      const pieces: Uint8Array[] = [];
      for await (const piece of (await blobs.open(address)) ?? []) pieces.push(piece);
      expect(pieces.length).toBeGreaterThan(1);
      expect(Buffer.compare(Buffer.concat(pieces), bytes)).toBe(0);
      expect(await blobs.open('ab'.repeat(32))).toBeUndefined();
    });

    test('a blob that was just put is read back as it was given', async () => {
      const bytes = new Uint8Array(2 * 1024 * 1024 + 5).map((_, index) => index % 241);
      const put = await blobs.put(bytes);
      const pieces: Uint8Array[] = [];
      for await (const piece of (await blobs.open(put.address, put)) ?? []) pieces.push(piece);
      expect(Buffer.compare(Buffer.concat(pieces), bytes)).toBe(0);
    });

    test('every blob is listed, and removed only if it was not put again', async () => {
      const one = await blobs.put(new Uint8Array([1]));
      const two = await blobs.put(new Uint8Array([2, 2]));
      const listed = async () => {
        const all: StoredBlob[] = [];
        for await (const blob of blobs.list()) all.push(blob);
        return all.sort((a, b) => a.bytes - b.bytes);
      };
      const all = await listed();
      expect(all).toEqual([
        { address: one.address, bytes: 1, putAt: expect.any(Number) },
        { address: two.address, bytes: 2, putAt: expect.any(Number) },
      ]);
      const putAt = all[0]?.putAt ?? 0;
      const remove = (putBefore: number) =>
        blobs.remove(one.address, { putBefore: putBefore as EpochMs });
      expect(await remove(putAt)).toBe(false);
      expect(await blobs.has(one.address)).toBe(true);
      expect(await remove(putAt + 1_000)).toBe(true);
      expect(await remove(putAt + 1_000)).toBe(false);
      expect(await blobs.has(one.address)).toBe(false);
      expect(await listed()).toHaveLength(1);
    });

    test('what is retained stays, however it is put again, and reads like any other', async () => {
      const inAnHour = (Date.now() + 3_600_000) as EpochMs;
      const bytes = new Uint8Array([1, 9, 4, 5]);
      const { address } = await blobs.put(bytes, { retainUntil: inAnHour });
      const remove = () => blobs.remove(address, { putBefore: (Date.now() + 60_000) as EpochMs });
      expect(await remove()).toBe(false);
      await blobs.put(bytes, { retainUntil: (Date.now() + 60_000) as EpochMs });
      await blobs.put(bytes);
      expect(await (await harness.open()).get(address)).toEqual(bytes);
      expect(await remove()).toBe(false);
      expect(await blobs.has(address)).toBe(true);
      const listed: StoredBlob[] = [];
      for await (const blob of blobs.list()) listed.push(blob);
      expect(listed).toMatchObject([{ address, bytes: 4 }]);
    });

    test('a blob that is there already is retained from then on', async () => {
      const bytes = new Uint8Array([7]);
      const { address } = await blobs.put(bytes);
      await blobs.put(bytes, { retainUntil: (Date.now() + 3_600_000) as EpochMs });
      const putBefore = (Date.now() + 60_000) as EpochMs;
      expect(await blobs.remove(address, { putBefore })).toBe(false);
      expect(await blobs.get(address)).toEqual(bytes);
    });

    test('the same bytes put at once by many are one blob', async () => {
      const other = await harness.open();
      const bytes = new Uint8Array(100_000).fill(7);
      const puts = Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? blobs : other).put(bytes),
      );
      const addresses = new Set((await Promise.all(puts)).map(({ address }) => address));
      expect(addresses.size).toBe(1);
      expect(await blobs.get([...addresses][0] ?? '')).toHaveLength(100_000);
    });

    test('a source that fails leaves nothing', async () => {
      async function* broken() {
        yield new Uint8Array([1]);
        throw new Error('cut off');
      }
      await expect(blobs.put(broken())).rejects.toThrow('cut off');
      const address = createHash('sha256')
        .update(new Uint8Array([1]))
        .digest('hex');
      expect(await blobs.has(address)).toBe(false);
    });
  });
}
