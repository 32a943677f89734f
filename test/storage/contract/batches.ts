/** The store of batches over an adapter: pages by kind, name and status, turns, blobs. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { namedBlobs } from '#core/blobs';
import type { TableChange, TenantId } from '#core/kernel';
import type { Batch, BatchPage, BatchStore } from '#slices/batches';
import { batchStore } from '../../../src/slices/batches/batchStore.ts';
import { batchTable, chunkTable } from '../../../src/slices/batches/tables.ts';
import type { Storage } from '../../../src/storage/index.ts';
import {
  addressOf,
  BATCH_TABLES,
  batchIdOf,
  endChunk,
  makeBatch,
  makeChunks,
  numberOf,
  putBatch,
} from './batchRecords.ts';
import { append, at, type MakeHarness, type StoreHarness, TENANT_A, TENANT_B } from './harness.ts';

async function namedIn({ tables }: Storage): Promise<readonly string[]> {
  const named: string[] = [];
  for await (const address of namedBlobs(tables, BATCH_TABLES)) named.push(address);
  return named;
}

export function batchesContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: batches`, () => {
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
    const find = (number: number, tenantId = TENANT_A) =>
      batches.findBatch({ batchId: batchIdOf(number), tenantId });
    const numbersOf = (found: readonly Batch[]) => found.map(({ batchId }) => numberOf(batchId));
    const numbers = async (filter: Partial<BatchPage>) =>
      numbersOf(await batches.listBatches({ limit: 9, tenantId: TENANT_A, ...filter }));

    test('a batch is there for its own tenant alone', async () => {
      await change(putBatch(makeBatch(1)));
      expect(await find(1)).toStrictEqual(makeBatch(1));
      expect(await find(1, TENANT_B)).toBeUndefined();
      expect(await find(2)).toBeUndefined();
    });

    test('batches come latest first, ties by id descending, page after page', async () => {
      const made = [1, 2, 3, 4, 5].map((number) =>
        makeBatch(number, {
          kind: number % 3 === 0 ? 'sanctions' : 'aml',
          requestedAt: at(Math.floor(number / 2)),
        }),
      );
      await change(...made.map((batch) => putBatch(batch)));
      const seen: number[] = [];
      for (let before: Batch | undefined; ; ) {
        const ask = { limit: 2, tenantId: TENANT_A, ...(before && { before }) };
        const page = await batches.listBatches(ask);
        seen.push(...numbersOf(page));
        before = page.at(-1);
        if (page.length < 2) break;
      }
      expect(seen).toEqual([5, 4, 3, 2, 1]);
    });

    test('a page is of one kind, one name, one status, or of several of these', async () => {
      const made = [
        makeBatch(1, { status: 'completed' }),
        makeBatch(2, { name: 'daily', status: 'completed' }),
        makeBatch(3, { status: 'completed' }),
        makeBatch(4),
        makeBatch(5, { kind: 'sanctions' }),
        makeBatch(6, { kind: 'sanctions', status: 'completed' }),
      ];
      await change(...made.map((batch) => putBatch(batch)));
      expect(await numbers({})).toEqual([6, 5, 4, 3, 2, 1]);
      expect(await numbers({ name: 'monthly' })).toEqual([6, 5, 4, 3, 1]);
      expect(await numbers({ status: 'completed' })).toEqual([6, 3, 2, 1]);
      expect(await numbers({ kind: 'aml' })).toEqual([4, 3, 2, 1]);
      // Full as long as there is more of the kind, however many of the other lie between.
      expect(await numbers({ before: makeBatch(6), kind: 'aml', limit: 1 })).toEqual([4]);
      const both = { name: 'monthly', status: 'completed' } as const;
      expect(await numbers(both)).toEqual([6, 3, 1]);
      expect(await numbers({ ...both, kind: 'aml' })).toEqual([3, 1]);
      expect(await numbers({ ...both, before: makeBatch(3) })).toEqual([1]);
      expect(await numbers({ ...both, kind: 'sanctions', limit: 1 })).toEqual([6]);
      expect(await numbers({ kind: 'sanctions', name: 'daily' })).toEqual([]);
    });

    test('of each tenant the oldest open one comes first, then of each the second', async () => {
      const [a, b, c] = [TENANT_A, TENANT_B, '0190aaaa-0000-7000-8000-00000000000c' as TenantId];
      // Many of one, and behind them a few of others; 8 is of the same instant as 7.
      const owners = [a, a, a, a, b, b, c, a];
      for (const [index, tenantId] of owners.entries()) {
        const requestedAt = makeBatch(Math.min(index + 1, 7)).requestedAt;
        const made = putBatch(makeBatch(index + 1, { requestedAt, tenantId }));
        await append(storage, { chain: tenantId as never, changes: [made] });
      }
      const open = async (limit: number) => numbersOf(await batches.openBatches(limit));
      expect(await open(99)).toEqual([1, 5, 7, 2, 6, 3, 4, 8]);
      expect(await open(3)).toEqual([1, 5, 7]);
      expect(await open(4)).toEqual([1, 5, 7, 2]);
      await change(putBatch(makeBatch(1, { status: 'canceled', version: 2 }), 1));
      expect(await open(4)).toEqual([2, 5, 7, 3]);
      expect(await batches.openBatches(1)).toStrictEqual([makeBatch(2)]);
    });

    test('queued and running ones are open, and those in hand tell their lease', async () => {
      const statuses = ['running', 'completed', 'queued', 'failed', 'canceled', 'queued'] as const;
      const made = statuses.map((status, index) => makeBatch(index + 1, { status }));
      await change(...made.map((batch) => putBatch(batch)));
      expect(numbersOf(await batches.openBatches(9))).toEqual([1, 3, 6]);
      expect(await batches.heldBatches(9)).toEqual([]);
      const key = { batchId: batchIdOf(3) };
      await storage.tables.claim(batchTable, { holder: 'w1', key });
      expect(await batches.heldBatches(9)).toMatchObject([
        { lease: { holder: 'w1', tries: 1 }, record: key },
      ]);
    });

    test('the blobs of a batch are named for as long as it is kept', async () => {
      const file = (label: string) => ({ address: addressOf(label), bytes: 1 });
      const reports = {
        attestation: file('attestation'),
        csv: file('csv'),
        pdf: file('pdf'),
        pdfSignature: 'c2lnbmF0dXJl',
        xlsx: file('xlsx'),
      };
      const rejected = file('rejected');
      await change(
        putBatch(makeBatch(1)),
        putBatch(makeBatch(2, { rejected, reports, status: 'completed' })),
      );
      await storage.tables.insertMissing(chunkTable, [...makeChunks(2, 1), ...makeChunks(1, 2)]);
      await change(endChunk(1, 'done'));
      const named = await namedIn(storage);
      const labels = ['source 1', 'source 2', 'attestation', 'csv', 'pdf', 'rejected', 'xlsx'];
      const ofChunks = ['input 1/0', 'result done', 'input 2/0'];
      expect(named.toSorted()).toEqual([...labels, ...ofChunks].map(addressOf).toSorted());
    });

    test('no batches are no pages, no open ones and no blobs', async () => {
      expect(await numbers({})).toEqual([]);
      expect(await batches.openBatches(9)).toEqual([]);
      expect(await namedIn(storage)).toEqual([]);
    });
  });
}
