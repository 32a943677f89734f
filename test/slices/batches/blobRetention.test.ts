/** What the sweep of blobs leaves to batches: every blob that one names. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { namedBlobs, ORPHAN_AGE_MS, sweepBlobs } from '#core/blobs';
import type { TableChange } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type Batch, batchTable, chunkTable } from '#slices/batches';
import { TABLES } from '../../../src/app/tables.ts';
import { openFolderBlobStore, type Storage } from '../../../src/storage/index.ts';
import { batchIdOf, makeBatch, makeResult, putBatch } from '../../storage/contract/batchRecords.ts';
import { append, TENANT_A } from '../../storage/contract/harness.ts';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';

let harness: Awaited<ReturnType<typeof makeSqliteHarness>>;
let storage: Storage;
let blobs: Awaited<ReturnType<typeof openFolderBlobStore>>;

beforeEach(async () => {
  harness = await makeSqliteHarness();
  storage = await harness.open();
  blobs = await openFolderBlobStore({ directory: join(harness.dataDir, 'blobs') });
});
afterEach(async () => {
  await storage.close();
  await harness.dispose();
});

const change = (...changes: TableChange[]) => append(storage, { changes });
const put = async (text: string) => (await blobs.put(new TextEncoder().encode(text))).address;
const file = async (text: string) => ({ address: await put(text), bytes: text.length });
const sourceOf = async (text: string): Promise<Batch['source']> => ({
  ...(await file(text)),
  format: 'csv',
  type: 'csv',
});
const sweep = (afterMs: number) =>
  sweepBlobs({
    blobs,
    clock: { now: () => (Date.now() + afterMs) as EpochMs },
    named: namedBlobs(storage.tables, TABLES),
    spoolDirectory: join(harness.dataDir, 'spool'),
  });
const left = async (addresses: readonly string[]) => {
  const there = await Promise.all(addresses.map((address) => blobs.has(address)));
  return there.filter((isThere) => isThere).length;
};

test('an upload that a batch names stays, one that none names goes after a day', async () => {
  const source = await sourceOf('a cohort');
  const abandoned = await put('an upload whose request was refused');
  await change(putBatch(makeBatch(1, { source })));
  expect(await sweep(ORPHAN_AGE_MS - 60_000)).toMatchObject({ removedBlobs: 0 });
  expect(await sweep(400 * ORPHAN_AGE_MS)).toMatchObject({ removedBlobs: 1 });
  expect(await left([source.address])).toBe(1);
  expect(await left([abandoned])).toBe(0);
});

test('reports and results stay when a batch has ended, inputs of done chunks go', async () => {
  const reports = {
    attestation: await file('attestation'),
    csv: await file('csv'),
    pdf: await file('pdf'),
    pdfSignature: 'c2lnbmF0dXJl',
    xlsx: await file('xlsx'),
  };
  const rejected = await file('rejected');
  const source = await sourceOf('a cohort');
  const inputs = [await put('subjects of chunk 0'), await put('subjects of chunk 1')];
  const result = { ...makeResult('0'), blob: await put('result lines of chunk 0') };
  const batchId = batchIdOf(1);
  await change(putBatch(makeBatch(1, { source })));
  await storage.tables.insertMissing(
    chunkTable,
    inputs.map((input, chunkNo) => ({
      batchId,
      chunkNo,
      input,
      subjects: 1,
      tenantId: TENANT_A,
    })),
  );
  const chunk = await storage.tables.find(chunkTable, { batchId, chunkNo: 0 });
  if (chunk === undefined) throw new Error('no chunk');
  await change(chunkTable.put({ ...chunk, result }));
  await storage.tables.saveWork(batchTable, { key: { batchId }, work: { rejected } });
  await change(putBatch(makeBatch(1, { reports, source, status: 'canceled', version: 2 }), 1));
  const { attestation, csv, pdf, xlsx } = reports;
  const files = [attestation, csv, pdf, rejected, xlsx, source].map(({ address }) => address);
  expect(await sweep(2 * ORPHAN_AGE_MS)).toMatchObject({ removedBlobs: 1 });
  expect(await left([...files, result.blob])).toBe(7);
  expect(await left(inputs)).toBe(1);
});
