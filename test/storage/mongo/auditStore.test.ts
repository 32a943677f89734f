/** How much the server is asked for by reads of the evidence. */
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditStore } from '../../../src/storage/mongo/auditStore.ts';
import { ChainSessions } from '../../../src/storage/mongo/chainSessions.ts';
import { collectionsOf } from '../../../src/storage/mongo/collections.ts';
import { writeSearched } from '../contract/auditSearch.ts';
import { appendFarApart, CHAIN_A } from '../contract/harness.ts';
import { mongoHarness } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

describe.skipIf(!hasMongo())('reads of the evidence on MongoDB', () => {
  let server: MongoTestServer;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server.stop());

  test('a page of one action fetches the open members of its entries alone', async () => {
    const harness = await mongoHarness(() => server, 'require')();
    const storage = await harness.open();
    await appendFarApart(storage);
    const client = await new MongoClient(harness.url, { monitorCommands: true }).connect();
    const fetched: number[] = [];
    client.on('commandSucceeded', ({ commandName, reply }) => {
      const { firstBatch = [], ns = '' } = (reply as { cursor?: Found }).cursor ?? {};
      if (commandName === 'find' && ns.endsWith('.audit_open')) fetched.push(firstBatch.length);
    });
    const { readEvents } = auditStore({
      clock: harness.clock,
      collections: collectionsOf(client.db()),
      forms: new Map(),
      hasTransactions: true,
      onCrashPoint: () => {},
      sessions: new ChainSessions(client),
    });
    const ask = { action: 'EVEN', chainId: CHAIN_A, fromSeq: 1, limit: 10 };
    expect(await readEvents(ask)).toHaveLength(2);
    expect(fetched).toEqual([2]);
    await client.close();
    await storage.close();
    await harness.dispose();
  });

  test('groups of a former release, which name no actor, are answered whole', async () => {
    const harness = await mongoHarness(() => server, 'require')();
    const storage = await harness.open();
    await writeSearched(storage);
    const ask = { chainId: CHAIN_A, fromSeq: 1, limit: 1000, toSeq: 1000 } as const;
    const named = { ...ask, actor: 'key:one' };
    const before = await storage.audit.searchEvents({ ...named, order: 'asc' });
    const client = await new MongoClient(harness.url).connect();
    const groups = client.db().collection('audit_group');
    for (const group of await groups.find({ lastSeq: { $lte: 28 } }).toArray()) {
      const events = (group.events as { actor?: string }[]).map(({ actor: _, ...event }) => event);
      await groups.updateOne({ _id: group._id }, { $set: { events }, $unset: { isNamed: '' } });
    }
    const after = await storage.audit.searchEvents({ ...named, order: 'asc' });
    const old = after.filter(({ seq }) => seq <= 28);
    expect(old.map(({ seq }) => seq)).toEqual(Array.from({ length: 28 }, (_, at) => at + 1));
    expect(after.filter(({ seq }) => seq > 28)).toEqual(before.filter(({ seq }) => seq > 28));
    const back = await storage.audit.searchEvents({ ...named, order: 'desc' });
    expect(back).toEqual([...after].reverse());
    const few = await storage.audit.searchEvents({ ...named, limit: 30, order: 'asc' });
    expect(few).toEqual(after.slice(0, 30));
    await client.close();
    await storage.close();
    await harness.dispose();
  });
});

interface Found {
  readonly firstBatch?: readonly unknown[];
  readonly ns?: string;
}
