/** What only MongoDB has: the probe, the schema's number, a server that goes away. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { batchStore } from '../../../src/slices/batches/batchStore.ts';
import { openStorage } from '../../../src/storage/index.ts';
import { makeBatch, putBatch } from '../contract/batchRecords.ts';
import { append, CHAIN_A, createTestClock } from '../contract/harness.ts';
import { newMongoHarness, withDatabase } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo, startOwnMongo } from './server.ts';

describe.skipIf(!hasMongo())('opening MongoDB', () => {
  let server: MongoTestServer;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server.stop());
  const harnessOf = (transactions: 'auto' | 'off') => newMongoHarness(() => server, transactions)();

  test('auto finds the transactions of a replica set', async () => {
    const harness = await harnessOf('auto');
    const storage = await harness.open();
    expect(storage.technology).toBe('mongo');
    expect(storage.capabilities).toEqual({
      supportsMultiDocumentTransactions: true,
      supportsManyHosts: true,
    });
    await storage.ping();
    // The server of the tests is on this host.
    expect(Math.abs(Number(await storage.time()) - Date.now())).toBeLessThan(60_000);
    await storage.close();
    await harness.dispose();
  });

  test('off uses none, and says so aloud', async () => {
    const { url, clock, dispose } = await harnessOf('off');
    const warnings: string[] = [];
    const storage = await openStorage({
      mongodbUrl: url,
      dataDir: '',
      clock,
      transactions: 'off',
      onWarning: (text) => warnings.push(text),
    });
    expect(storage.capabilities.supportsMultiDocumentTransactions).toBe(false);
    expect(warnings).toHaveLength(1);
    await storage.close();
    await dispose();
  });

  test('what was begun without transactions goes on with them', async () => {
    const without = await harnessOf('off');
    const first = await without.open();
    await append(first, { count: 2 });
    await first.close();
    const second = await openStorage({
      mongodbUrl: without.url,
      dataDir: '',
      clock: without.clock,
    });
    expect((await append(second, { count: 1 })).group.events[0]?.seq).toBe(3);
    expect((await second.audit.head(CHAIN_A)).seq).toBe(3);
    await second.close();
    await without.dispose();
  });

  test('a store of a newer version is refused and left alone', async () => {
    const harness = await harnessOf('auto');
    await (await harness.open()).close();
    await withDatabase(harness.url, (db) =>
      db.collection('store_state').updateOne({ _id: 'schema' as never }, { $set: { no: 99 } }),
    );
    await expect(harness.open()).rejects.toThrow(/newer version/);
    await harness.dispose();
  });

  test('a store of an older version keeps what it has and gains what is declared', async () => {
    const harness = await harnessOf('auto');
    const first = await harness.open();
    await append(first, { count: 2 });
    await first.close();
    await withDatabase(harness.url, async (db) => {
      for (const name of ['batch', 'batch_chunk', 'batch_review']) await db.dropCollection(name);
      await db.collection('store_state').deleteMany({ _id: /^table/ as never });
      await db.collection('store_state').updateOne({ _id: 'schema' as never }, { $set: { no: 3 } });
    });
    const second = await harness.open();
    await append(second, { changes: [putBatch(makeBatch(1))] });
    expect(await batchStore(second.tables).openBatches(9)).toStrictEqual([makeBatch(1)]);
    expect((await second.audit.head(CHAIN_A)).seq).toBe(3);
    await second.close();
    const keys = await withDatabase(harness.url, async (db) =>
      (await db.collection('batch_chunk').indexes()).map(({ key }) => Object.keys(key).join()),
    );
    expect(keys).toContain('batchId,version,no');
    await harness.dispose();
  });

  test('the database refuses a second event of one seq, whatever the fence says', async () => {
    const harness = await harnessOf('auto');
    const storage = await harness.open();
    await append(storage, { count: 1 });
    await storage.close();
    await withDatabase(harness.url, async (db) => {
      const copy = { chain: CHAIN_A, group: 2, firstSeq: 1, lastSeq: 1, events: [] };
      await expect(db.collection('audit_group').insertOne(copy)).rejects.toThrow(/E11000/);
    });
    await harness.dispose();
  });

  test('an index that takes longer than a socket waits is waited for', async () => {
    const harness = await harnessOf('auto');
    await withDatabase(harness.url, (db) =>
      db.admin().command({
        configureFailPoint: 'failCommand',
        data: { blockConnection: true, blockTimeMS: 3_500, failCommands: ['createIndexes'] },
        mode: { times: 1 },
      }),
    );
    const mongodbUrl = `${harness.url}?socketTimeoutMS=2000`;
    const storage = await openStorage({ clock: harness.clock, dataDir: '', mongodbUrl });
    await storage.ping();
    await storage.close();
    await harness.dispose();
  });

  test('a wrong URL and an absent server are store-unavailable, without the URL', async () => {
    const options = { dataDir: '', clock: createTestClock() };
    const secret = 'mongodb:secret@nowhere';
    const wrong = openStorage({ ...options, mongodbUrl: secret });
    await expect(wrong).rejects.toMatchObject({ code: 'store-unavailable' });
    await expect(wrong).rejects.not.toThrow(/secret/);
    const nobody = 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200';
    await expect(openStorage({ ...options, mongodbUrl: nobody })).rejects.toMatchObject({
      code: 'store-unavailable',
    });
  });

  test('calls to a server that went away reject with store-unavailable', async () => {
    const own = await startOwnMongo();
    const url = `${own.url}t_gone?serverSelectionTimeoutMS=300`;
    const storage = await openStorage({ mongodbUrl: url, dataDir: '', clock: createTestClock() });
    if (process.env.MONGODB_TEST_URL === undefined) {
      await own.stop();
      await expect(storage.ping()).rejects.toMatchObject({ code: 'store-unavailable' });
      await expect(storage.audit.head(CHAIN_A)).rejects.toMatchObject({
        code: 'store-unavailable',
      });
    }
    await storage.close();
  });
});
