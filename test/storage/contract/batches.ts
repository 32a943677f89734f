/** BatchStore: batches by compare-and-set, in pages, and those that are open. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Change, TenantId } from '#core/kernel';
import type { Batch, BatchStatus } from '#slices/batches';
import type { Storage } from '../../../src/storage/index.ts';
import {
  addressOf,
  batchIdOf,
  endChunk,
  makeBatch,
  makeChunks,
  namedBlobsOf,
  numberOf,
  putBatch,
} from './batchRecords.ts';
import { append, at, type MakeHarness, type StoreHarness, TENANT_A, TENANT_B } from './harness.ts';

export function batchesContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: batches`, () => {
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
    const find = (number: number, tenantId = TENANT_A) =>
      storage.batches.findBatch({ batchId: batchIdOf(number), tenantId });
    const numbersOf = (found: readonly Batch[]) => found.map(({ batchId }) => numberOf(batchId));

    test('a batch reads back as it was put last, to its own tenant alone', async () => {
      const running = makeBatch(1, { startedAt: at(5), status: 'running', version: 2 });
      await change(putBatch(makeBatch(1)));
      expect(await find(1)).toStrictEqual(makeBatch(1));
      await change(putBatch(running, 1));
      expect(await find(1)).toStrictEqual(running);
      expect(await find(1, TENANT_B)).toBeUndefined();
      expect(await find(2)).toBeUndefined();
    });

    test('a batch begins once, and a put upon another version is stale', async () => {
      await change(putBatch(makeBatch(1)));
      const stale = { kind: 'stale', changeIndex: 0 };
      expect(await change(putBatch(makeBatch(1, { name: 'other' })))).toEqual(stale);
      expect(await change(putBatch(makeBatch(1, { version: 9 }), 8))).toEqual(stale);
      expect(await change(putBatch(makeBatch(2, { version: 2 }), 1))).toEqual(stale);
      expect(await find(1)).toStrictEqual(makeBatch(1));
    });

    test.each<BatchStatus>(['completed', 'failed', 'canceled'])(
      'a batch that is %s is put and saved no more',
      async (status) => {
        const ended = makeBatch(1, { completedAt: at(9), status, version: 2 });
        await change(putBatch(makeBatch(1)));
        expect((await change(putBatch(ended, 1))).kind).toBe('appended');
        expect((await change(putBatch({ ...ended, version: 3 }, 2))).kind).toBe('stale');
        expect((await change(putBatch(makeBatch(1)))).kind).toBe('stale');
        expect(await storage.batches.saveBatch(makeBatch(1, { version: 3 }), 2)).toBe(false);
        expect(await find(1)).toStrictEqual(ended);
      },
    );

    test('nobody’s batch becomes another tenant’s, by a put or by a save', async () => {
      const stolen = makeBatch(1, { tenantId: TENANT_B, version: 2 });
      await change(putBatch(makeBatch(1)));
      expect((await change(putBatch(stolen, 1))).kind).toBe('stale');
      expect((await change(putBatch({ ...stolen, version: 1 }))).kind).toBe('stale');
      expect(await storage.batches.saveBatch(stolen, 1)).toBe(false);
      expect(await find(1)).toStrictEqual(makeBatch(1));
      expect(await find(1, TENANT_B)).toBeUndefined();
    });

    test('a batch is saved by compare-and-set, and changes stand upon saves', async () => {
      const { batches } = storage;
      const leased = makeBatch(1, { leaseHolder: 'w1', leaseUntil: at(7), version: 2 });
      const running = { ...leased, status: 'running', version: 3 } as const;
      expect(await batches.saveBatch(leased, 1)).toBe(false);
      await change(putBatch(makeBatch(1)));
      expect(await batches.saveBatch(leased, 1)).toBe(true);
      expect(await batches.saveBatch({ ...leased, leaseHolder: 'w2' }, 1)).toBe(false);
      expect(await find(1)).toStrictEqual(leased);
      expect((await change(putBatch({ ...running, version: 2 }, 1))).kind).toBe('stale');
      expect((await change(putBatch(running, 2))).kind).toBe('appended');
      expect(await batches.saveBatch({ ...running, chunksTotal: 3, version: 4 }, 3)).toBe(true);
      expect(await find(1)).toStrictEqual({ ...running, chunksTotal: 3, version: 4 });
    });

    test('a save does not end a batch, nor begin one', async () => {
      await change(putBatch(makeBatch(1)));
      const ended = makeBatch(1, { status: 'completed', version: 2 });
      await expect(storage.batches.saveBatch(ended, 1)).rejects.toThrow(/ends by a change/);
      await expect(storage.batches.saveBatch(makeBatch(2), 0)).rejects.toThrow(/begun by a change/);
      expect(await find(1)).toStrictEqual(makeBatch(1));
    });

    test('of two that save one version at once, one does', async () => {
      const second = await harness.open();
      await change(putBatch(makeBatch(1)));
      const save = ({ batches }: Storage, leaseHolder: string) =>
        batches.saveBatch(makeBatch(1, { leaseHolder, version: 2 }), 1);
      const saved = await Promise.all([save(storage, 'w1'), save(second, 'w2')]);
      expect(saved.toSorted()).toEqual([false, true]);
      expect((await find(1))?.leaseHolder).toBe(saved[0] ? 'w1' : 'w2');
      await second.close();
    });

    test('batches come latest first, ties by id descending, page after page', async () => {
      const made = [1, 2, 3, 4, 5].map((number) =>
        makeBatch(number, { requestedAt: at(Math.floor(number / 2)) }),
      );
      await change(...made.map((batch) => putBatch(batch)));
      await change(putBatch(makeBatch(6, { tenantId: TENANT_B })));
      const seen: number[] = [];
      for (let before: Batch | undefined; ; ) {
        const ask = { limit: 2, tenantId: TENANT_A, ...(before && { before }) };
        const page = await storage.batches.listBatches(ask);
        seen.push(...numbersOf(page));
        before = page.at(-1);
        if (page.length < 2) break;
      }
      expect(seen).toEqual([5, 4, 3, 2, 1]);
    });

    test('a page is of one name, of one status, or of both', async () => {
      const made = [
        makeBatch(1, { status: 'completed' }),
        makeBatch(2, { name: 'daily', status: 'completed' }),
        makeBatch(3, { status: 'completed' }),
        makeBatch(4),
        makeBatch(5, { status: 'completed', tenantId: TENANT_B }),
      ];
      await change(...made.map((batch) => putBatch(batch)));
      const numbers = async (filter: Partial<Parameters<typeof storage.batches.listBatches>[0]>) =>
        numbersOf(await storage.batches.listBatches({ limit: 9, tenantId: TENANT_A, ...filter }));
      expect(await numbers({ name: 'monthly' })).toEqual([4, 3, 1]);
      expect(await numbers({ status: 'completed' })).toEqual([3, 2, 1]);
      const both = { name: 'monthly', status: 'completed' } as const;
      expect(await numbers(both)).toEqual([3, 1]);
      expect(await numbers({ ...both, before: makeBatch(3) })).toEqual([1]);
      expect(await numbers({ ...both, limit: 1 })).toEqual([3]);
    });

    test('of each tenant the oldest open one comes first, then of each the second', async () => {
      const [a, b, c] = [TENANT_A, TENANT_B, '0190aaaa-0000-7000-8000-00000000000c' as TenantId];
      // Many of one, and behind them a few of others; 8 is of the same instant as 7.
      const owners = [a, a, a, a, b, b, c, a];
      const made = owners.map((tenantId, index) => {
        const requestedAt = makeBatch(Math.min(index + 1, 7)).requestedAt;
        return makeBatch(index + 1, { requestedAt, tenantId });
      });
      await change(...made.toReversed().map((batch) => putBatch(batch)));
      const open = async (limit: number) => numbersOf(await storage.batches.openBatches(limit));
      expect(await open(99)).toEqual([1, 5, 7, 2, 6, 3, 4, 8]);
      expect(await open(3)).toEqual([1, 5, 7]);
      expect(await open(4)).toEqual([1, 5, 7, 2]);
      await change(putBatch(makeBatch(1, { status: 'canceled', version: 2 }), 1));
      expect(await open(4)).toEqual([2, 5, 7, 3]);
      expect(await storage.batches.openBatches(1)).toStrictEqual([makeBatch(2)]);
    });

    test('queued and running ones of all tenants are open', async () => {
      const statuses = ['running', 'completed', 'queued', 'failed', 'canceled', 'queued'] as const;
      const made = statuses.map((status, index) =>
        makeBatch(index + 1, { status, tenantId: index === 2 ? TENANT_B : TENANT_A }),
      );
      await change(...made.map((batch) => putBatch(batch)));
      expect(numbersOf(await storage.batches.openBatches(9))).toEqual([1, 3, 6]);
      expect(numbersOf(await storage.batches.openBatches(2))).toEqual([1, 3]);
      await change(putBatch(makeBatch(1, { status: 'canceled', version: 2 }), 1));
      expect(numbersOf(await storage.batches.openBatches(9))).toEqual([3, 6]);
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
        putBatch(makeBatch(2, { rejected, reports, status: 'completed', tenantId: TENANT_B })),
      );
      await storage.batches.addChunks([...makeChunks(2, 1), ...makeChunks(1, 2)]);
      await change(endChunk(1, 'done'));
      const named = await namedBlobsOf(storage);
      const labels = ['source 1', 'source 2', 'attestation', 'csv', 'pdf', 'rejected', 'xlsx'];
      const ofChunks = ['input 1/0', 'result done', 'input 2/0'];
      expect(named.toSorted()).toEqual([...labels, ...ofChunks].map(addressOf).toSorted());
    });

    test('no batches are no pages, no open ones and no blobs', async () => {
      expect(await storage.batches.listBatches({ limit: 9, tenantId: TENANT_A })).toEqual([]);
      expect(await storage.batches.openBatches(9)).toEqual([]);
      expect(await namedBlobsOf(storage)).toEqual([]);
    });
  });
}
