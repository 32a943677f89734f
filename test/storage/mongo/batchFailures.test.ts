/** Servers and connections that fail once beneath what batches ask for: done once, and told so. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { namedBlobs } from '#core/blobs';
import { batchTable, chunkTable } from '../../../src/slices/batches/tables.ts';
import type { Storage } from '../../../src/storage/index.ts';
import {
  BATCH_TABLES,
  batchIdOf,
  makeBatch,
  makeChunk,
  makeChunks,
  putBatch,
} from '../contract/batchRecords.ts';
import { append, at } from '../contract/harness.ts';
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
  });
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
  const key = { batchId: batchIdOf(1) };
  const lease = async (holder = 'w1') => {
    const ask = { holder, lane: [key.batchId], limit: 1, now: at(1) };
    return (await storage.tables.lease(chunkTable, ask))[0];
  };
  const save = () => storage.tables.saveWork(batchTable, { key, work: { chunksTotal: 3 } });
  const find = () => storage.tables.find(batchTable, key);
  const chunks = async () => {
    const ask = { equal: key, index: 'key', limit: 9 };
    return (await storage.tables.page(chunkTable, ask)).records;
  };

  test.each(FAULTS)(
    '%s costs one more attempt, whatever was asked for',
    async (_, fault) => {
      const { tables } = storage;
      await during('insert', fault, 1, () => tables.insertMissing(chunkTable, makeChunks(3)));
      expect(await during('find', fault, 1, chunks)).toHaveLength(3);
      const mine = await during('findAndModify', fault, 1, () => lease());
      if (mine === undefined) throw new Error('not leased');
      expect(mine.record.chunkNo).toBe(0);
      expect((await lease('w2'))?.record.chunkNo).toBe(1);
      const renewed = { claim: mine.lease, key: mine.record };
      expect(await during('update', fault, 1, () => tables.renew(chunkTable, renewed))).toBe(true);
      expect(await during('update', fault, 1, save)).toBe(true);
      expect(await find()).toStrictEqual(makeBatch(1, { chunksTotal: 3 }));
    },
    120_000,
  );

  test('what runs out of time is store-unavailable, with nothing done', async () => {
    const { tables } = storage;
    await tables.insertMissing(chunkTable, makeChunks(1));
    const unavailable = { code: 'store-unavailable' };
    const insert = () => tables.insertMissing(chunkTable, [makeChunk(1)]);
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
    expect(await chunks()).toStrictEqual(makeChunks(1));
  });

  test('blobs are named page by page through a connection that breaks', async () => {
    await storage.tables.insertMissing(chunkTable, makeChunks(2));
    const named: string[] = [];
    await failAt('find', { times: 1 }, { closeConnection: true });
    for await (const address of namedBlobs(storage.tables, BATCH_TABLES)) named.push(address);
    expect(named).toHaveLength(3);
    await failAt('find', { times: 1 }, OUT_OF_TIME);
    const broken = namedBlobs(storage.tables, BATCH_TABLES);
    await expect(broken.next()).rejects.toMatchObject({ code: 'store-unavailable' });
    await failAt('find', 'off');
  });
});
