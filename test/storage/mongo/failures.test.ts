/** Connections that break in the middle of a write: one retry by the driver, one group, no more. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALL, crashGroup, prepareCrash, tracesOf } from '../contract/crashGroup.ts';
import { CRASH_STORE } from '../contract/crashTables.ts';
import { append, CHAIN_A, TTL_MS, takeHead } from '../contract/harness.ts';
import { mongoHarness, withDatabase } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

describe.skipIf(!hasMongo())('a connection that breaks once', () => {
  let server: MongoTestServer;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server.stop());

  const failOnce = (url: string, command: string, mode: object | 'off') =>
    withDatabase(url, (db) =>
      db.admin().command({
        configureFailPoint: 'failCommand',
        mode,
        ...(mode === 'off' ? {} : { data: { failCommands: [command], closeConnection: true } }),
      }),
    );

  test.each([
    ['require', 'insert'],
    ['require', 'update'],
    ['require', 'findAndModify'],
    ['require', 'commitTransaction'],
    ['off', 'insert'],
    ['off', 'update'],
    ['off', 'findAndModify'],
  ] as const)('transactions %s: at %s, the group is there exactly once', async (mode, command) => {
    const harness = await mongoHarness(() => server, mode)();
    const storage = await harness.open(CRASH_STORE);
    await prepareCrash(storage);
    const lease = await takeHead(storage, CHAIN_A);
    const group = crashGroup(lease.head.seq + 1, harness.clock.now());
    await failOnce(harness.url, command, { times: 1 });
    const written = storage.audit.appendGroup(lease, group, { ttlMs: TTL_MS, release: true });
    const result = await written.finally(() => failOnce(harness.url, command, 'off'));
    expect(result.kind).toBe('appended');
    expect(await tracesOf(storage)).toEqual(ALL);
    expect((await storage.audit.head(CHAIN_A)).seq).toBe(5);
    expect((await append(storage, { count: 1 })).group.events[0]?.seq).toBe(6);
    await storage.close();
    await harness.dispose();
  });
});
