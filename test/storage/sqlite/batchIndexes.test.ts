/** What workers and pages ask of batches stays quick however many there are: by index, in order. */
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Batch, BatchStatus } from '#slices/batches';
import { batchReader, batchWriter } from '../../../src/storage/sqlite/batchStore.ts';
import { openDatabase } from '../../../src/storage/sqlite/connection.ts';
import { batchIdOf, makeBatch, makeChunks } from '../contract/batchRecords.ts';
import { at, createTestClock, TENANT_A } from '../contract/harness.ts';
import { makeSqliteHarness } from './harness.ts';

let harness: Awaited<ReturnType<typeof makeSqliteHarness>>;
let database: DatabaseSync;
let asked: Set<string>;
let recorded: DatabaseSync;

beforeEach(async () => {
  harness = await makeSqliteHarness();
  const file = join(harness.dataDir, 'store', 'compliance.sqlite');
  database = openDatabase(file, 'write', createTestClock());
  asked = new Set();
  const prepare = (text: string) => {
    asked.add(text);
    return database.prepare(text);
  };
  recorded = { prepare } as DatabaseSync;
});
afterEach(async () => {
  database.close();
  await harness.dispose();
});

const planOf = (text: string): string =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all()
    .map(({ detail }) => String(detail))
    .join('; ');

const isOfTurns = (text: string): boolean => text.includes('row_number()');

/** Plans of all prepared statements, except the turns of open batches, which are sorted. */
const slowPlans = (): string[] =>
  [...asked]
    .filter((text) => !text.startsWith('INSERT') && !isOfTurns(text))
    .map((text) => `${text.replace(/\s+/g, ' ')} → ${planOf(text)}`)
    // A scan of an index is one of those that are open, or of every blob in its order.
    .filter((plan) => /TEMP B-TREE|SCAN \w+(;|$)/.test(plan));

test('no read of batches, chunks or reviews sorts, or passes over what was not asked for', () => {
  const reader = batchReader(recorded);
  const batchId = batchIdOf(1);
  const before = makeBatch(1);
  const after = { ordinal: 1, position: 1 };
  for (const name of [undefined, 'monthly']) {
    for (const status of [undefined, 'completed' as BatchStatus]) {
      const ask = {
        limit: 9,
        tenantId: TENANT_A,
        ...(name && { name }),
        ...(status && { status }),
      };
      reader.listBatches(ask);
      reader.listBatches({ ...ask, before });
    }
  }
  for (const decision of [undefined, 'true_positive' as const]) {
    const ask = { batchId, limit: 9, ...(decision && { decision }) };
    reader.listReviews(ask);
    reader.listReviews({ ...ask, after, toOrdinal: 9 });
  }
  batchWriter(recorded);
  expect(asked.size).toBeGreaterThan(18);
  expect(slowPlans()).toEqual([]);
});

test('the turns of open batches are told by an index of these alone, and no document', () => {
  batchReader(recorded);
  const plan = planOf([...asked].find(isOfTurns) ?? '');
  expect(plan).toContain('SCAN batch USING COVERING INDEX batch_open');
  expect(plan.match(/TEMP B-TREE/g)).toHaveLength(1);
  expect(plan).toContain('SEARCH batch USING INDEX sqlite_autoindex_batch_1 (batch_id=?)');
});

test('a lease passes over the chunks in hand alone, not over those that are done', () => {
  batchWriter(recorded);
  const lease = [...asked].find((text) => text.includes('RETURNING')) ?? '';
  expect(planOf(lease)).toContain('INDEX batch_chunk_waiting (batch_id=?)');
});

test('of ten thousand chunks each is leased once, and ended batches are not in the way', () => {
  const reader = batchReader(database);
  const writer = batchWriter(database);
  const chunks = 10_000;
  database.exec('BEGIN');
  const insert = database.prepare(
    `INSERT INTO batch (batch_id, tenant_id, name, status, is_open, requested_at, version, document)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const put = ({ batchId, tenantId, name, status, requestedAt, version, ...rest }: Batch) => {
    const document = JSON.stringify({ ...rest, batchId });
    const isOpen = status === 'queued' ? 1 : 0;
    insert.run(batchId, tenantId, name, status, isOpen, requestedAt, version, document);
  };
  for (let number = 1; number <= 5_000; number++) put(makeBatch(number, { status: 'completed' }));
  put(makeBatch(9_999));
  writer.addChunks(makeChunks(chunks));
  const order: number[] = [];
  const ask = { batchId: batchIdOf(1), holder: 'w1', now: at(1), until: at(0) };
  const done = database.prepare(
    "UPDATE batch_chunk SET result = '{}' WHERE chunk_no = ? AND batch_id = ?",
  );
  for (;;) {
    const chunk = writer.leaseChunk(ask);
    if (chunk === undefined) break;
    order.push(chunk.chunkNo);
    done.run(chunk.chunkNo, ask.batchId);
  }
  database.exec('COMMIT');
  expect(order).toEqual(makeChunks(chunks).map(({ chunkNo }) => chunkNo));
  expect(reader.openBatches(9).map(({ batchId }) => batchId)).toEqual([batchIdOf(9_999)]);
});
