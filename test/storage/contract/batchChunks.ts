/** Chunks of batches over an adapter: in order, done once, and counted in one step with that. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TableChange } from '#core/kernel';
import type { BatchStore } from '#slices/batches';
import { batchStore } from '../../../src/slices/batches/batchStore.ts';
import { batchTable, chunkTable } from '../../../src/slices/batches/tables.ts';
import type { Storage } from '../../../src/storage/index.ts';
import {
  batchIdOf,
  endChunk,
  makeBatch,
  makeChunk,
  makeChunks,
  makeResult,
  putBatch,
} from './batchRecords.ts';
import { append, at, type MakeHarness, type StoreHarness, TENANT_A } from './harness.ts';

export function batchChunksContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: chunks of a batch`, () => {
    let harness: StoreHarness;
    let storage: Storage;
    let batches: BatchStore;

    beforeEach(async () => {
      harness = await makeHarness();
      storage = await harness.open();
      batches = batchStore(storage.tables);
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });
    const change = async (...changes: TableChange[]) => (await append(storage, { changes })).result;
    const add = (count: number, batchNumber = 1) =>
      storage.tables.insertMissing(chunkTable, makeChunks(count, batchNumber));
    const find = (chunkNo: number) => batches.findChunk(batchIdOf(1), chunkNo);
    const list = (fromNo: number, limit: number, batchNumber = 1) =>
      batches.listChunks({ batchId: batchIdOf(batchNumber), fromNo, limit });
    const lease = async (holder: string, batchNumber = 1) => {
      const ask = { holder, lane: [batchIdOf(batchNumber)], limit: 1, now: at(1) };
      return (await storage.tables.lease(chunkTable, ask))[0];
    };
    const doneChunk = (chunkNo: number, label = `${chunkNo}`) => ({
      ...makeChunk(chunkNo),
      result: makeResult(label),
    });

    test('chunks read back ascending from a number on, each batch’s its own', async () => {
      await add(12);
      await add(3, 2);
      expect(await list(0, 99)).toStrictEqual(makeChunks(12));
      expect((await list(8, 3)).map(({ chunkNo }) => chunkNo)).toEqual([8, 9, 10]);
      expect(await list(12, 9)).toEqual([]);
      expect(await list(1, 9, 2)).toStrictEqual([makeChunk(1, 2), makeChunk(2, 2)]);
      expect(await find(12)).toBeUndefined();
    });

    test('they are leased in their order, past those that are in hand or done', async () => {
      await add(4);
      await add(1, 2);
      await change(endChunk(1));
      expect(await lease('w1')).toMatchObject({ lease: { tries: 1 }, record: { chunkNo: 0 } });
      expect((await lease('w2'))?.record.chunkNo).toBe(2);
      expect((await lease('w1'))?.record.chunkNo).toBe(3);
      expect(await lease('w1')).toBeUndefined();
      expect((await lease('w3', 2))?.record).toStrictEqual(makeChunk(0, 2));
    });

    describe('the end of a chunk and its batch’s counts are one step', () => {
      const counts = { ...makeBatch(1).counts, chunks: 1 };
      const counted = makeBatch(1, { counts, version: 2 });
      const findBatch = () => batches.findBatch({ batchId: batchIdOf(1), tenantId: TENANT_A });
      beforeEach(async () => {
        await add(2);
        await change(putBatch(makeBatch(1)));
      });

      test('both hold, whoever has the chunk in hand', async () => {
        await lease('w1');
        expect((await change(endChunk(0), putBatch(counted, 1))).kind).toBe('appended');
        expect(await find(0)).toStrictEqual(doneChunk(0));
        expect(await findBatch()).toStrictEqual(counted);
        expect(await storage.tables.held(chunkTable, { limit: 9 })).toEqual([]);
      });

      test('where the batch has moved on, the chunk is not done', async () => {
        await change(putBatch(makeBatch(1, { startedAt: at(5), version: 2 }), 1));
        const { result, group } = await append(storage, {
          changes: [endChunk(0), putBatch(counted, 1)],
        });
        expect(result).toEqual({ kind: 'stale', changeIndex: 1 });
        expect(await find(0)).toStrictEqual(makeChunk(0));
        expect((await findBatch())?.counts.chunks).toBe(0);
        const screening = group.events[0]?.screeningId;
        const found =
          screening && (await storage.audit.findByScreening(TENANT_A as never, screening));
        expect(found).toBeUndefined();
        const again = await change(endChunk(0), putBatch({ ...counted, version: 3 }, 2));
        expect(again.kind).toBe('appended');
      });

      test('what is saved beside it is in no commit’s way', async () => {
        const key = { batchId: batchIdOf(1) };
        await storage.tables.claim(batchTable, { holder: 'w1', key });
        await storage.tables.saveWork(batchTable, { key, work: { chunksTotal: 2 } });
        expect((await change(endChunk(0), putBatch(counted, 1))).kind).toBe('appended');
        expect(await findBatch()).toStrictEqual({ ...counted, chunksTotal: 2 });
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
