/** BatchStore: chunks, who has them in hand, and the end of one with its batch's counts. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Change } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { BatchChunk } from '#slices/batches';
import type { Storage } from '../../../src/storage/index.ts';
import {
  batchIdOf,
  endChunk,
  makeBatch,
  makeChunk,
  makeChunks,
  makeResult,
  namedBlobsOf,
  putBatch,
} from './batchRecords.ts';
import { append, at, type MakeHarness, type StoreHarness, TENANT_A } from './harness.ts';

const NOW = at(1_000);
const UNTIL = at(2_000);
const LATER = at(3_000);

export function batchChunksContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: chunks of a batch`, () => {
    let harness: StoreHarness;
    let storage: Storage;

    beforeEach(async () => {
      harness = await makeHarness();
      storage = await harness.open();
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });
    const change = async (...changes: Change[]) => (await append(storage, { changes })).result;
    const find = (chunkNo: number) => storage.batches.findChunk(batchIdOf(1), chunkNo);
    const list = (fromNo: number, limit: number) =>
      storage.batches.listChunks({ batchId: batchIdOf(1), fromNo, limit });
    const lease = (holder: string, now: EpochMs = NOW, until: EpochMs = UNTIL) =>
      storage.batches.leaseChunk({ batchId: batchIdOf(1), holder, now, until });
    const renew = (chunkNo: number, holder: string, until: EpochMs) =>
      storage.batches.renewChunk({ batchId: batchIdOf(1), chunkNo, holder, until });
    const numbersOf = (found: readonly BatchChunk[]) => found.map(({ chunkNo }) => chunkNo);
    const doneChunk = (chunkNo: number, label = `${chunkNo}`) => ({
      ...makeChunk(chunkNo),
      result: makeResult(label),
    });

    test('chunks read back ascending from a number on, each batch’s its own', async () => {
      await storage.batches.addChunks([...makeChunks(12), ...makeChunks(3, 2)]);
      expect(await list(0, 2)).toStrictEqual([makeChunk(0), makeChunk(1)]);
      expect(numbersOf(await list(9, 9))).toEqual([9, 10, 11]);
      expect(await list(12, 9)).toEqual([]);
      expect(await find(11)).toStrictEqual(makeChunk(11));
      expect(await find(12)).toBeUndefined();
      expect(await storage.batches.findChunk(batchIdOf(2), 3)).toBeUndefined();
    });

    test('added again, chunks stay as they are, leased and done ones too', async () => {
      await storage.batches.addChunks(makeChunks(3));
      const leased = await lease('w1');
      await change(endChunk(1));
      await storage.batches.addChunks(
        makeChunks(5).map((chunk) => ({ ...chunk, input: 'another' })),
      );
      const another = [3, 4].map((chunkNo) => ({ ...makeChunk(chunkNo), input: 'another' }));
      const before = [leased, doneChunk(1), makeChunk(2)];
      expect(await list(0, 9)).toStrictEqual([...before, ...another]);
      await storage.batches.addChunks([]);
      expect(await list(5, 9)).toEqual([]);
    });

    test('a chunk that is leased or done already cannot be added', async () => {
      const { batches } = storage;
      const leased = { ...makeChunk(0), leaseHolder: 'w1', leaseUntil: UNTIL };
      await expect(batches.addChunks([leased])).rejects.toThrow(/begun/);
      await expect(batches.addChunks([doneChunk(1)])).rejects.toThrow(/begun/);
      await expect(batches.addChunks([{ ...makeChunk(2), tries: 1 }])).rejects.toThrow(/begun/);
      expect(await list(0, 9)).toEqual([]);
    });

    test('more than a page of chunks is added in one call', async () => {
      await storage.batches.addChunks(makeChunks(1_201));
      expect(await list(0, 5_000)).toHaveLength(1_000);
      expect(numbersOf(await list(1_199, 9))).toEqual([1_199, 1_200]);
      const named = await namedBlobsOf(storage);
      expect(new Set(named).size).toBe(1_201);
    });

    test('each ask gets the first chunk that nobody has, if there is one', async () => {
      expect(await lease('w1')).toBeUndefined();
      await storage.batches.addChunks([...makeChunks(3), ...makeChunks(1, 2)]);
      const first = { ...makeChunk(0), leaseHolder: 'w1', leaseUntil: UNTIL, tries: 1 };
      expect(await lease('w1')).toStrictEqual(first);
      expect(await find(0)).toStrictEqual(first);
      expect((await lease('w2'))?.chunkNo).toBe(1);
      expect((await lease('w1'))?.chunkNo).toBe(2);
      expect(await lease('w3')).toBeUndefined();
    });

    test('a lease holds up to its instant, and then the chunk is the next one’s', async () => {
      await storage.batches.addChunks(makeChunks(1));
      await lease('w1');
      expect(await lease('w2', at(UNTIL - 1), LATER)).toBeUndefined();
      const taken = await lease('w2', UNTIL, LATER);
      const second = { leaseHolder: 'w2', leaseUntil: LATER, tries: 2 };
      expect(taken).toStrictEqual({ ...makeChunk(0), ...second });
      expect(await renew(0, 'w1', LATER)).toBe(false);
    });

    test('its holder keeps a chunk, or gives it back; nobody else does', async () => {
      await storage.batches.addChunks(makeChunks(2));
      await lease('w1');
      expect(await renew(0, 'w2', LATER)).toBe(false);
      expect(await renew(1, 'w1', LATER)).toBe(false);
      expect(await renew(7, 'w1', LATER)).toBe(false);
      expect(await renew(0, 'w1', LATER)).toBe(true);
      expect((await lease('w2', UNTIL, LATER))?.chunkNo).toBe(1);
      expect(await renew(0, 'w1', at(0))).toBe(true);
      expect((await lease('w2', UNTIL, LATER))?.chunkNo).toBe(0);
    });

    test('each lease is a try, whatever became of it, and a renewal is none', async () => {
      await storage.batches.addChunks(makeChunks(2));
      expect((await lease('w1'))?.tries).toBe(1);
      await renew(0, 'w1', at(0));
      expect(await find(0)).toMatchObject({ tries: 1 });
      expect((await lease('w2'))?.tries).toBe(2);
      await renew(0, 'w2', LATER);
      expect((await lease('w3', LATER, at(4_000)))?.tries).toBe(3);
      expect((await find(1))?.tries).toBeUndefined();
      await change(endChunk(0));
      expect(await find(0)).toStrictEqual(doneChunk(0));
    });

    test('a chunk that is returned was never leased, and is returned once', async () => {
      await storage.batches.addChunks(makeChunks(1));
      const giveBack = (holder: string, chunkNo = 0) =>
        storage.batches.returnChunk({ batchId: batchIdOf(1), chunkNo, holder });
      await lease('w1');
      expect(await giveBack('w2')).toBe(false);
      expect(await giveBack('w1', 7)).toBe(false);
      expect(await giveBack('w1')).toBe(true);
      expect(await find(0)).toStrictEqual(makeChunk(0));
      expect(await giveBack('w1')).toBe(false);
      await lease('w1');
      await renew(0, 'w1', at(0));
      expect((await lease('w2'))?.tries).toBe(2);
      expect(await giveBack('w1')).toBe(false);
      expect(await giveBack('w2')).toBe(true);
      expect(await find(0)).toStrictEqual({ ...makeChunk(0), tries: 1 });
      await lease('w2');
      await change(endChunk(0));
      expect(await giveBack('w2')).toBe(false);
      expect(await find(0)).toStrictEqual(doneChunk(0));
    });

    test('of many that lease one chunk in turns each try is counted', async () => {
      const second = await harness.open();
      await storage.batches.addChunks(makeChunks(1));
      const leases = Array.from({ length: 10 }, (_, index) => {
        const { batches } = index % 2 === 0 ? storage : second;
        const ask = { batchId: batchIdOf(1), holder: `w${index}`, now: NOW, until: at(0) };
        return batches.leaseChunk(ask);
      });
      const tries = (await Promise.all(leases)).map((chunk) => chunk?.tries);
      expect(tries.toSorted((a = 0, b = 0) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      await second.close();
    });

    test('a chunk that is done is nobody’s, and leased no more', async () => {
      await storage.batches.addChunks(makeChunks(2));
      await lease('w1');
      expect((await change(endChunk(0))).kind).toBe('appended');
      expect(await find(0)).toStrictEqual(doneChunk(0));
      expect(await renew(0, 'w1', LATER)).toBe(false);
      expect((await lease('w2', LATER, LATER))?.chunkNo).toBe(1);
      expect(await find(0)).toStrictEqual(doneChunk(0));
    });

    test('a chunk is done once, whoever has it; one that is not there never', async () => {
      await storage.batches.addChunks(makeChunks(1));
      await lease('w2');
      expect((await change(endChunk(0, 'first'))).kind).toBe('appended');
      const stale = { kind: 'stale', changeIndex: 0 };
      expect(await change(endChunk(0, 'second'))).toEqual(stale);
      expect(await change(endChunk(1))).toEqual(stale);
      expect(await change(endChunk(0, 'other batch', 2))).toEqual(stale);
      expect(await find(0)).toStrictEqual(doneChunk(0, 'first'));
    });

    test('the same chunk twice in one group is stale, with nothing of the group', async () => {
      await storage.batches.addChunks(makeChunks(2));
      const twice = await change(endChunk(0), endChunk(1), endChunk(0));
      expect(twice).toEqual({ kind: 'stale', changeIndex: 2 });
      expect(await list(0, 9)).toStrictEqual(makeChunks(2));
    });

    describe('the end of a chunk and its batch’s counts are one step', () => {
      const counted = makeBatch(1, { rejectedTotal: 7, version: 2 });
      const findBatch = () =>
        storage.batches.findBatch({ batchId: batchIdOf(1), tenantId: TENANT_A });
      beforeEach(async () => {
        await storage.batches.addChunks(makeChunks(2));
        await change(putBatch(makeBatch(1)));
      });

      test('both hold', async () => {
        expect((await change(endChunk(0), putBatch(counted, 1))).kind).toBe('appended');
        expect(await find(0)).toStrictEqual(doneChunk(0));
        expect(await findBatch()).toStrictEqual(counted);
      });

      test('where the batch has moved on, the chunk is not done', async () => {
        await storage.batches.saveBatch(makeBatch(1, { leaseHolder: 'w1', version: 2 }), 1);
        const { result, group } = await append(storage, {
          changes: [endChunk(0), putBatch(counted, 1)],
        });
        expect(result).toEqual({ kind: 'stale', changeIndex: 1 });
        expect(await find(0)).toStrictEqual(makeChunk(0));
        expect((await findBatch())?.rejectedTotal).toBe(0);
        const screening = group.events[0]?.screeningId;
        const found =
          screening && (await storage.audit.findByScreening(TENANT_A as never, screening));
        expect(found).toBeUndefined();
        expect((await change(endChunk(0), putBatch({ ...counted, version: 3 }, 2))).kind).toBe(
          'appended',
        );
      });

      test('where somebody else did the chunk, the counts stay', async () => {
        await change(endChunk(0, 'first'), putBatch(counted, 1));
        const late = await change(endChunk(0, 'second'), putBatch({ ...counted, version: 3 }, 2));
        expect(late).toEqual({ kind: 'stale', changeIndex: 0 });
        expect(await findBatch()).toStrictEqual(counted);
        expect(await find(0)).toStrictEqual(doneChunk(0, 'first'));
      });

      test('where the batch was canceled, the chunk is not done', async () => {
        await change(putBatch(makeBatch(1, { status: 'canceled', version: 2 }), 1));
        const late = await change(endChunk(0), putBatch({ ...counted, version: 3 }, 2));
        expect(late).toEqual({ kind: 'stale', changeIndex: 1 });
        expect(await find(0)).toStrictEqual(makeChunk(0));
      });
    });
  });
}
