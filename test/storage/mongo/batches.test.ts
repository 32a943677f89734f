/**
 * What batches need where the server has no transactions: a group that is committed and not applied
 * yet is seen by whoever writes beside it, and a save that came in between is not lost.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Batch } from '#slices/batches';
import { openStorage, type Storage } from '../../../src/storage/index.ts';
import { planChanges } from '../../../src/storage/mongo/applyChange.ts';
import { collectionsOf } from '../../../src/storage/mongo/collections.ts';
import { applyWrites } from '../../../src/storage/mongo/effects.ts';
import { openMongoStorage } from '../../../src/storage/mongo/open.ts';
import {
  batchIdOf,
  endChunk,
  makeBatch,
  makeChunk,
  makeChunks,
  putBatch,
} from '../contract/batchRecords.ts';
import { append, at, CHAIN_A, makeGroup, TENANT_A, TTL_MS, takeHead } from '../contract/harness.ts';
import { type MongoHarness, mongoHarness, withDatabase } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

describe.skipIf(!hasMongo())('batches without transactions', () => {
  let server: MongoTestServer;
  let harness: MongoHarness;
  let storage: Storage;
  beforeAll(async () => {
    server = await startMongo();
  }, 60_000);
  afterAll(() => server.stop());
  beforeEach(async () => {
    harness = await mongoHarness(() => server, 'off')();
    storage = await harness.open();
    await append(storage, { changes: [putBatch(makeBatch(1))] });
    await storage.batches.addChunks(makeChunks(2));
  });
  afterEach(async () => {
    await storage.close();
    await harness.dispose();
  });

  const find = () => storage.batches.findBatch({ batchId: batchIdOf(1), tenantId: TENANT_A });
  const counted = (given: Partial<Batch> = {}) =>
    makeBatch(1, { rejectedTotal: 7, version: 2, ...given });
  const lease = () =>
    storage.batches.leaseChunk({ batchId: batchIdOf(1), holder: 'w1', now: at(1), until: at(2) });

  /** A writer that is gone when its group's document is there, and nothing else of the group. */
  async function commitAndDie(): Promise<void> {
    const dying = await openMongoStorage({
      clock: harness.clock,
      onCrashPoint: (step) => {
        if (step === 'group') throw new Error('died');
      },
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
    expect((await lease())?.chunkNo).toBe(1);
    expect((await find())?.rejectedTotal).toBe(7);
  });

  test('nor renewed, nor given back', async () => {
    await lease();
    await commitAndDie();
    const ask = { batchId: batchIdOf(1), chunkNo: 0, holder: 'w1', until: at(9) };
    expect(await storage.batches.renewChunk(ask)).toBe(false);
    expect(await storage.batches.returnChunk(ask)).toBe(false);
  });

  test('a chunk that an older version has in hand has its tries counted from now on', async () => {
    await withDatabase(harness.url, async (db) => {
      const held = { $set: { leaseHolder: 'dead', leaseUntil: at(1) }, $unset: { tries: '' } };
      await db.collection('batch_chunk').updateOne({ no: 0 }, held);
    });
    const before = await storage.batches.findChunk(batchIdOf(1), 0);
    expect(before).toStrictEqual({ ...makeChunk(0), leaseHolder: 'dead', leaseUntil: at(1) });
    expect((await lease())?.tries).toBe(1);
  });

  test('a save upon the version before a committed change answers false', async () => {
    await commitAndDie();
    const saved = makeBatch(1, { chunksTotal: 2, version: 2 });
    expect(await storage.batches.saveBatch(saved, 1)).toBe(false);
    expect(await find()).toStrictEqual(counted());
  });

  /** The group is planned upon version 1; `between` comes before it is applied, twice. */
  async function applyLate(changed: Batch, between: () => Promise<unknown>): Promise<void> {
    await withDatabase(harness.url, async (db) => {
      const collections = collectionsOf(db);
      const changes = [endChunk(0), putBatch(changed, 1)];
      const plan = await planChanges({ changeNo: 9, changes, collections, session: undefined });
      if (plan.kind === 'stale') throw new Error('stale');
      await between();
      const effects = { ...plan, idempotency: [], open: [], outbox: null };
      await applyWrites(collections, effects, 9);
      await applyWrites(collections, effects, 9);
    });
  }

  test('a save between a change’s plan and its writes stays, as the change does', async () => {
    const saved = makeBatch(1, { chunksTotal: 2, leaseHolder: 'w1', version: 2 });
    await applyLate(counted(), () => storage.batches.saveBatch(saved, 1));
    const both = { chunksTotal: 2, leaseHolder: 'w1', rejectedTotal: 7 };
    expect(await find()).toStrictEqual(makeBatch(1, { ...both, version: 3 }));
    expect(await storage.batches.saveBatch({ ...saved, version: 3 }, 2)).toBe(false);
  });

  test('a batch that ended beside a save has ended, and is open to nobody', async () => {
    const saved = makeBatch(1, { leaseHolder: 'w1', version: 2 });
    const canceled = makeBatch(1, { completedAt: at(5), status: 'canceled', version: 2 });
    await applyLate(canceled, () => storage.batches.saveBatch(saved, 1));
    expect(await find()).toMatchObject({ leaseHolder: 'w1', status: 'canceled', version: 3 });
    expect(await storage.batches.openBatches(9)).toEqual([]);
    expect(await storage.batches.saveBatch({ ...saved, version: 4 }, 3)).toBe(false);
  });

  test('a lease between the plan of a chunk’s end and its writes gives way to it', async () => {
    await applyLate(counted(), lease);
    const chunk = await storage.batches.findChunk(batchIdOf(1), 0);
    expect(chunk?.result).toBeDefined();
    expect(chunk?.leaseHolder).toBeUndefined();
    expect(await find()).toStrictEqual(counted());
  });

  test('what was begun without transactions goes on with them, batches too', async () => {
    await append(storage, { changes: [putBatch(counted(), 1)] });
    const { clock, url } = harness;
    const second = await openStorage({ clock, dataDir: '', mongodbUrl: url });
    const next = counted({ rejectedTotal: 8, version: 3 });
    const { result } = await append(second, { changes: [endChunk(1), putBatch(next, 2)] });
    expect(result.kind).toBe('appended');
    expect(await find()).toStrictEqual(next);
    await append(storage, { changes: [putBatch({ ...next, version: 4 }, 3)] });
    expect((await find())?.version).toBe(4);
    await second.close();
  });
});
