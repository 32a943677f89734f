/** What workers ask of batches stays quick however many there are: by index, in order. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { plainTable } from '#core/kernel';
import { noCrashPoints } from '../../../src/storage/crashPoints.ts';
import { openDatabase } from '../../../src/storage/sqlite/connection.ts';
import { readOperations, writeOperations } from '../../../src/storage/sqlite/operations.ts';
import { tableChanges } from '../../../src/storage/sqlite/table/changes.ts';
import { layoutsOf } from '../../../src/storage/sqlite/table/layout.ts';
import { prepareOnce } from '../../../src/storage/sqlite/table/statements.ts';
import {
  BATCH_TABLES,
  batchIdOf,
  endChunk,
  makeBatch,
  makeChunks,
  putBatch,
} from '../contract/batchRecords.ts';
import { CHAIN_A, createTestClock } from '../contract/harness.ts';
import { makeSqliteHarness } from './harness.ts';

const TABLES = BATCH_TABLES.map((table) => plainTable(table));

let harness: Awaited<ReturnType<typeof makeSqliteHarness>>;
let database: DatabaseSync;
beforeEach(async () => {
  harness = await makeSqliteHarness();
  const file = join(harness.dataDir, 'store', 'compliance.sqlite');
  database = openDatabase(file, 'write', createTestClock(), TABLES);
});
afterEach(async () => {
  database.close();
  await harness.dispose();
});

test('an index of each declared order is there before the tables are opened', () => {
  const indexes = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name LIKE 'batch%'")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith('sqlite_'));
  // As the migrations have made them: an opening builds none over all that has ended.
  expect(indexes.toSorted()).toEqual([
    'batch_by_kind',
    'batch_by_name_and_kind',
    'batch_by_name_status_and_kind',
    'batch_by_status_and_kind',
    'batch_chunk_held',
    'batch_chunk_lease',
    'batch_held',
    'batch_lease',
    'batch_open',
    'batch_review_by_decision',
    'batch_review_by_place',
  ]);
});

test('of ten thousand chunks each is leased once, and ended batches are not in the way', () => {
  const reader = readOperations(database, TABLES);
  const writer = writeOperations(database, noCrashPoints, TABLES);
  const changes = tableChanges(prepareOnce(database), layoutsOf(TABLES));
  const apply = (change: Parameters<typeof changes.apply>[0]) => changes.apply(change, CHAIN_A);
  database.exec('BEGIN');
  for (let number = 1; number <= 5_000; number++) {
    apply(putBatch(makeBatch(number, { status: 'completed' })));
  }
  apply(putBatch(makeBatch(9_999)));
  const chunks = makeChunks(10_000);
  writer.tableInsertMissing('batch_chunk', chunks as never);
  const order: number[] = [];
  const lane = [batchIdOf(1)];
  for (;;) {
    const [leased] = writer.tableLease('batch_chunk', { holder: 'w1', lane, limit: 1, now: 1 });
    if (leased === undefined) break;
    const [, chunkNo] = leased.row; // the key comes first: batch and number
    assert(typeof chunkNo === 'number');
    order.push(chunkNo);
    apply(endChunk(chunkNo));
  }
  database.exec('COMMIT');
  expect(order).toEqual(chunks.map(({ chunkNo }) => chunkNo));
  const turns = { equal: { isOpen: true }, index: 'open', lane: 'tenantId', limit: 9 };
  expect(reader.tableTurns('batch', turns)).toHaveLength(1);
});
