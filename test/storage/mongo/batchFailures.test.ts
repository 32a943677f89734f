/** Servers and connections that fail once beneath what batches ask for: done once, and told so. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Storage } from '../../../src/storage/index.ts';
import { batchIdOf, makeBatch, makeChunk, makeChunks, putBatch } from '../contract/batchRecords.ts';
import { append, at, TENANT_A } from '../contract/harness.ts';
import { type MongoHarness, mongoHarness, withDatabase } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

const NOT_WRITABLE_PRIMARY = { errorCode: 10_107, errorLabels: ['RetryableWriteError'] };
const SHUTTING_DOWN = { errorCode: 91, errorLabels: ['RetryableWriteError'] };
/** The test server says that it is the primary still when it is asked, and not before. */
const PATIENTLY = '?serverSelectionTimeoutMS=30000&heartbeatFrequencyMS=500';
/** Tried no second time, and no reason to look for another primary. */
const OUT_OF_TIME = { errorCode: 50 };
const FAULTS = [
  ['a connection that breaks', { closeConnection: true }],
  ['a primary that is none any more', NOT_WRITABLE_PRIMARY],
  ['a server that shuts down', SHUTTING_DOWN],
] as const;

describe.skipIf(!hasMongo())('batches beneath which something fails once', () => {
  let server: MongoTestServer;
  let harness: MongoHarness;
  let storage: Storage;
  beforeAll(async () => {
    server = await startMongo();
  }, 60_000);
  afterAll(() => server.stop());
  beforeEach(async () => {
    harness = await mongoHarness(() => ({ ...server, url: server.url + PATIENTLY }), 'require')();
    storage = await harness.open();
    await append(storage, { changes: [putBatch(makeBatch(1))] });
  });
  afterEach(async () => {
    await storage.close();
    await harness.dispose();
  });

  const failAt = (command: string, mode: object | 'off', data: object = {}) =>
    withDatabase(harness.url, (db) => {
      const fault = { configureFailPoint: 'failCommand', mode };
      const which = { failCommands: [command], ...data };
      return db.admin().command(mode === 'off' ? fault : { ...fault, data: which });
    });
  /** What it answers where the command fails so many times first. */
  async function during<T>(command: string, data: object, times: number, work: () => Promise<T>) {
    await failAt(command, { times }, data);
    try {
      return await work();
    } finally {
      await failAt(command, 'off');
    }
  }
  const lease = (holder = 'w1') =>
    storage.batches.leaseChunk({ batchId: batchIdOf(1), holder, now: at(1), until: at(2) });
  const renew = () =>
    storage.batches.renewChunk({
      batchId: batchIdOf(1),
      chunkNo: 0,
      holder: 'w1',
      until: at(9),
    });
  const find = () => storage.batches.findBatch({ batchId: batchIdOf(1), tenantId: TENANT_A });

  test.each(FAULTS)(
    '%s costs one more attempt, whatever was asked for',
    async (_, fault) => {
      const { batches } = storage;
      await during('insert', fault, 1, () => batches.addChunks(makeChunks(3)));
      const page = { batchId: batchIdOf(1), fromNo: 0, limit: 9 };
      expect(await during('find', fault, 1, () => batches.listChunks(page))).toHaveLength(3);
      expect((await during('findAndModify', fault, 1, () => lease()))?.chunkNo).toBe(0);
      expect((await lease('w2'))?.chunkNo).toBe(1);
      expect(await during('update', fault, 1, renew)).toBe(true);
      const saved = makeBatch(1, { chunksTotal: 3, version: 2 });
      expect(await during('update', fault, 1, () => batches.saveBatch(saved, 1))).toBe(true);
      expect(await find()).toStrictEqual(saved);
    },
    120_000,
  );

  test('what runs out of time is store-unavailable, with nothing done', async () => {
    const { batches } = storage;
    await batches.addChunks(makeChunks(1));
    const unavailable = { code: 'store-unavailable' };
    const insert = () => batches.addChunks([makeChunk(1)]);
    const save = () => batches.saveBatch(makeBatch(1, { version: 2 }), 1);
    for (const [command, work] of [
      ['findAndModify', lease],
      ['update', save],
      ['insert', insert],
      ['find', find],
    ] as const) {
      const failed = during(command, OUT_OF_TIME, 1, async () => work());
      await expect(failed, command).rejects.toMatchObject(unavailable);
    }
    expect(await find()).toStrictEqual(makeBatch(1));
    const page = { batchId: batchIdOf(1), fromNo: 0, limit: 9 };
    expect(await batches.listChunks(page)).toStrictEqual(makeChunks(1));
  });

  test('blobs are named page by page through a connection that breaks', async () => {
    await storage.batches.addChunks(makeChunks(2));
    const named: string[] = [];
    await failAt('find', { times: 1 }, { closeConnection: true });
    for await (const address of storage.batches.namedBlobs()) named.push(address);
    expect(named).toHaveLength(3);
    await failAt('find', { times: 1 }, OUT_OF_TIME);
    const broken = storage.batches.namedBlobs()[Symbol.asyncIterator]();
    await expect(broken.next()).rejects.toMatchObject({ code: 'store-unavailable' });
    await failAt('find', 'off');
  });
});
