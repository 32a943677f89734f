/**
 * What batches need where the server has no transactions: a group that is committed and not applied
 * yet is seen by those who write beside it, and what is saved beside it is not lost. And what a
 * release before declared tables has left.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Batch } from '#slices/batches';
import { batchStore } from '../../../src/slices/batches/batchStore.ts';
import { batchTable, chunkTable } from '../../../src/slices/batches/tables.ts';
import { openStorage, type Storage } from '../../../src/storage/index.ts';
import { collectionsOf } from '../../../src/storage/mongo/collections.ts';
import { applyFormerChanges } from '../../../src/storage/mongo/formerWrites.ts';
import { openMongoStorage } from '../../../src/storage/mongo/open.ts';
import {
  BATCH_TABLES,
  batchIdOf,
  endChunk,
  makeBatch,
  makeChunks,
  putBatch,
} from '../contract/batchRecords.ts';
import { append, at, CHAIN_A, makeGroup, TTL_MS, takeHead } from '../contract/harness.ts';
import { type MongoHarness, mongoHarness, withDatabase } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

describe.skipIf(!hasMongo())('batches without transactions', () => {
  let server: MongoTestServer;
  let harness: MongoHarness;
  let storage: Storage;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    harness = await mongoHarness(() => server, 'off')();
    storage = await harness.open();
    await append(storage, { changes: [putBatch(makeBatch(1))] });
    await storage.tables.insertMissing(chunkTable, makeChunks(2));
  });
  afterEach(async () => {
    await storage.close();
    await harness.dispose();
  });

  const key = { batchId: batchIdOf(1) };
  const find = () => storage.tables.find(batchTable, key);
  const counts = { ...makeBatch(1).counts, chunks: 7 };
  const counted = (given: Partial<Batch> = {}) => makeBatch(1, { counts, version: 2, ...given });
  const lease = async () => {
    const ask = { holder: 'w1', lane: [key.batchId], limit: 1, now: at(1) };
    return (await storage.tables.lease(chunkTable, ask))[0];
  };

  /** A writer that is gone when its group's document is there, and nothing else of the group. */
  async function commitAndDie(): Promise<void> {
    const dying = await openMongoStorage({
      clock: harness.clock,
      onCrashPoint: (step) => {
        if (step === 'group') throw new Error('died');
      },
      tables: BATCH_TABLES,
      transactions: 'off',
      url: harness.url,
    });
    const head = await takeHead(dying, CHAIN_A, 'one that dies');
    const changes = [endChunk(0), putBatch(counted(), 1)];
    const group = makeGroup({ changes, fromSeq: head.head.seq + 1 });
    const appended = dying.audit.appendGroup(head, group, { release: true, ttlMs: TTL_MS });
    await expect(appended).rejects.toThrow('died');
    await dying.close();
  }

  test('a chunk whose end is committed is not leased, though nobody has applied it', async () => {
    await commitAndDie();
    expect((await lease())?.record.chunkNo).toBe(1);
    expect((await find())?.counts.chunks).toBe(7);
  });

  test('nor renewed, nor given back', async () => {
    const mine = await lease();
    if (mine === undefined) throw new Error('not leased');
    await commitAndDie();
    const ask = { claim: mine.lease, key: mine.record };
    expect(await storage.tables.renew(chunkTable, ask)).toBe(false);
    expect(await storage.tables.giveBack(chunkTable, { ...ask, isTried: false })).toBe(false);
  });

  test('a chunk that a former release has in hand is seen, and taken over from it', async () => {
    await withDatabase(harness.url, async (db) => {
      const held = { $set: { leaseHolder: 'dead', leaseUntil: at(1) }, $unset: { tries: '' } };
      await db.collection('batch_chunk').updateOne({ no: 0 }, held);
    });
    expect((await lease())?.record.chunkNo).toBe(1);
    const [dead] = await storage.tables.held(chunkTable, { limit: 1 });
    if (dead === undefined) throw new Error('nobody has it');
    expect(dead.lease).toEqual({ beat: 0, fence: 0, holder: 'dead', tries: 0 });
    const ask = { holder: 'w2', key: dead.record, seen: dead.lease };
    expect((await storage.tables.takeOver(chunkTable, ask))?.lease.tries).toBe(1);
  });

  test('chunks and batches of a former release go on, and are paged by kind', async () => {
    await storage.close();
    await withDatabase(harness.url, async (db) => {
      await db.collection('batch').updateMany({}, { $unset: { kind: '' } });
      await db.collection('batch_chunk').updateMany({}, { $unset: { tenantId: '' } });
      await db.collection('store_state').deleteMany({ _id: /^table/ as never });
    });
    storage = await harness.open();
    const { tenantId } = makeBatch(1);
    const page = await batchStore(storage.tables).listBatches({ kind: 'aml', limit: 9, tenantId });
    expect(page).toStrictEqual([makeBatch(1)]);
    const { result } = await append(storage, { changes: [endChunk(0), putBatch(counted(), 1)] });
    expect(result.kind).toBe('appended');
  });

  test('what is saved beside a committed change stays, as the change does', async () => {
    await commitAndDie();
    const work = { chunksTotal: 2 };
    expect(await storage.tables.saveWork(batchTable, { key, work })).toBe(true);
    expect(await find()).toStrictEqual(counted(work));
  });

  test('a batch that has ended beside a save has ended, and is open to nobody', async () => {
    const canceled = makeBatch(1, { completedAt: at(5), status: 'canceled', version: 2 });
    await append(storage, { changes: [putBatch(canceled, 1)] });
    const work = { chunksTotal: 2 };
    expect(await storage.tables.saveWork(batchTable, { key, work })).toBe(false);
    expect(await batchStore(storage.tables).openBatches(9)).toEqual([]);
    expect(await find()).toStrictEqual(canceled);
  });

  test('a change that a former release has committed stands beside what it saved', async () => {
    const before = makeBatch(1);
    const saved = { ...before, chunksTotal: 2, version: 2 };
    const { batchId: _id, name, requestedAt, status, tenantId } = before;
    const fields = { isOpen: true, name, requestedAt, status, tenantId };
    const documentOf = (batch: object) => JSON.stringify(batch);
    const write = {
      collection: 'batch',
      documentBefore: documentOf(before),
      record: { _id, ...fields, document: documentOf(counted()), version: 2 },
      versionBefore: 1,
    };
    await withDatabase(harness.url, async (db) => {
      const save = { $set: { document: documentOf(saved), version: 2 } };
      await db.collection('batch').updateOne({ _id: _id as never }, save);
      for (const _ of ['once', 'twice']) {
        await applyFormerChanges(collectionsOf(db), { writes: [write] }, 9);
      }
    });
    expect(await find()).toStrictEqual(counted({ chunksTotal: 2, version: 3 }));
  });

  test('what was begun without transactions goes on with them, batches too', async () => {
    await append(storage, { changes: [putBatch(counted(), 1)] });
    const { clock, url } = harness;
    const tables = BATCH_TABLES;
    const second = await openStorage({ clock, dataDir: '', mongodbUrl: url, tables });
    const next = counted({ startedAt: at(8), version: 3 });
    const { result } = await append(second, { changes: [endChunk(1), putBatch(next, 2)] });
    expect(result.kind).toBe('appended');
    expect(await find()).toStrictEqual(next);
    await append(storage, { changes: [putBatch({ ...next, version: 4 }, 3)] });
    expect((await find())?.version).toBe(4);
    await second.close();
  });
});
