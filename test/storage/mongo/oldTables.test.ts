/**
 * Databases of a former release: formerRelease.json holds what its stores wrote, with their
 * indexes. Everything in it reads as it was, and goes on by the engine.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ConsumedApproval } from '#core/identity';
import {
  type AnyTable,
  PLATFORM_CHAIN,
  type Table,
  type TableChange,
  type TenantId,
} from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Storage } from '../../../src/storage/index.ts';
import { batchIdOf, makeBatch, makeChunk, makeResult } from '../contract/batchRecords.ts';
import { append, CHAIN_A, TENANT_A } from '../contract/harness.ts';
import * as old from '../contract/oldTables.ts';
import formerRelease from './formerRelease.json' with { type: 'json' };
import { type MongoHarness, newMongoHarness, withDatabase } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

type Stored = Readonly<Record<string, unknown>> & { readonly _id: string };
interface Former {
  readonly indexes: readonly { readonly key: object }[];
  readonly documents: readonly Stored[];
}
const FORMER = formerRelease as unknown as Readonly<Record<string, Former>>;

const RUN = '0190cccc-0000-7000-8000-000000000001';
const NOW = Number.MAX_SAFE_INTEGER as EpochMs;

async function fill({ url }: MongoHarness): Promise<void> {
  await withDatabase(url, async (db) => {
    for (const [name, { documents, indexes }] of Object.entries(FORMER)) {
      const collection = db.collection<Stored>(name);
      if (indexes.length > 0) await collection.createIndexes(indexes as never);
      await collection.insertMany([...documents]);
    }
  });
}

/** What its store answered: the document, and what stands beside it. */
function recordIn(name: string, { _id, document, expiresAt, lastUsedAt, tenantId }: Stored) {
  if (name === 'approval_consumed') return { digest: _id.split('/')[1], expiresAt, tenantId };
  return { ...JSON.parse(document as string), ...(lastUsedAt !== undefined && { lastUsedAt }) };
}

describe.skipIf(!hasMongo()).each(['require', 'off'] as const)(
  'a database of a former release, transactions %s',
  (transactions) => {
    let server: MongoTestServer;
    let harness: MongoHarness;
    let storage: Storage;
    beforeAll(async () => {
      server = await startMongo();
    });
    afterAll(() => server.stop());
    beforeEach(async () => {
      harness = await newMongoHarness(() => server, transactions)();
      await fill(harness);
      storage = await harness.open(old.OLD_TABLES);
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });

    const commit = async (...changes: TableChange[]) => {
      // What the platform's chain alone writes.
      const isOfPlatform = changes.every(({ table }) => table === old.runs.name);
      const chain = isOfPlatform ? PLATFORM_CHAIN : CHAIN_A;
      const { result } = await append(storage, { chain, changes });
      return result.kind === 'stale' ? result.changeIndex : result.kind;
    };
    const stored = (name: string, _id: string) =>
      withDatabase(harness.url, (db) => db.collection<Stored>(name).findOne({ _id }));
    const all = async (table: AnyTable) =>
      (await storage.tables.page(table as Table<object, never>, { index: 'key', limit: 1_000 }))
        .records;

    test.each(old.OLD_TABLES.map((table) => [table.name, table] as const))(
      'every %s reads as it was written',
      async (name, table) => {
        const expected = FORMER[name]?.documents.map((one) => recordIn(name, one));
        expect(await all(table)).toStrictEqual(expected);
      },
    );

    test('records go on in their places, by their versions', async () => {
      const { find } = storage.tables;
      const tenant = await find(old.tenants, { id: TENANT_A });
      const key = await find(old.apiKeys, { id: 'key-1' });
      const person = await find(old.persons, { id: 'p-1', tenantId: TENANT_A });
      if (!tenant || !key || !person) throw new Error('not there');
      const changes = [
        old.tenants.put({ ...tenant, name: 'renamed', version: 2 }, 1),
        old.apiKeys.put({ ...key, name: 'again', version: 3 }, 2),
        old.persons.put({ ...person, name: 'renamed', version: 2 }, 1),
      ];
      expect(await commit(...changes)).toBe('appended');
      expect(await commit(...changes)).toBe(0);
      expect(await find(old.apiKeys, { id: 'key-1' })).toStrictEqual({
        ...key,
        name: 'again',
        version: 3,
      });
      expect(await all(old.persons)).toHaveLength(1);
      const other = { ...key, id: 'key-2', version: 1 };
      expect(await commit(old.apiKeys.insert(other))).toBe(0);
    });

    test('an approval that was used up is used up, and goes in its time', async () => {
      const [used] = await all(old.consumedApprovals);
      expect(await commit(old.consumedApprovals.insert(used as ConsumedApproval))).toBe(0);
      const { purge } = storage.tables;
      const after = 1_700_000_000_000 + 24 * 3_600_000;
      expect(await purge(old.consumedApprovals, (after - 1) as EpochMs)).toBe(0);
      expect(await purge(old.consumedApprovals, after as EpochMs)).toBe(1);
      expect(await commit(old.consumedApprovals.insert(used as ConsumedApproval))).toBe('appended');
    });

    test('versions keep the order of their publication, and the counter moves on', async () => {
      const { page, stamp } = storage.tables;
      const before = await stamp('publications');
      expect(before).toBe(6);
      const newest = { direction: 'descending', index: 'placed', limit: 9 } as const;
      const listed = async () =>
        (await page(old.versions, { ...newest, equal: { sourceId: 'DEMO' } })).records;
      const [first] = await listed();
      if (first === undefined) throw new Error('not there');
      expect(first.listVersion).toBe('v2026-01-02.a');
      const next = { ...first, listVersion: 'v2026-01-01.z' };
      const [source] = await all(old.sources);
      const active = { ...(source as typeof old.sources.spec & object), active: next, version: 4 };
      expect(await commit(old.versions.insert(next), old.sources.put(active as never, 3))).toBe(
        'appended',
      );
      expect((await listed()).map(({ listVersion }) => listVersion)).toEqual([
        'v2026-01-01.z',
        'v2026-01-02.a',
        'v2026-01-02.b',
      ]);
      expect(await stamp('publications')).toBeGreaterThan(before);
      expect(await commit(old.versions.insert(next))).toBe(0);
    });

    test('work members leave the document with the next put, and none is lost', async () => {
      const { find, saveWork } = storage.tables;
      const key = { batchId: batchIdOf(1) };
      const before = await find(old.batches, key);
      expect(before).toMatchObject({ chunksTotal: 4, rejectedTotal: 3 });
      if (before === undefined) return;
      const work = { chunksTotal: undefined, rejectedTotal: 5 };
      expect(await saveWork(old.batches, { key, work: work as never })).toBe(true);
      const { chunksTotal: _, ...saved } = { ...before, rejectedTotal: 5 };
      expect(await find(old.batches, key)).toStrictEqual(saved);
      const next = { ...before, name: 'renamed', rejectedTotal: 0, version: 3 };
      expect(await commit(old.batches.put(next, 2))).toBe('appended');
      expect(await find(old.batches, key)).toEqual({ ...saved, name: 'renamed', version: 3 });
      const written = await stored('batch', key.batchId);
      expect(JSON.parse(`${written?.document}`)).not.toHaveProperty('subjectsTotal');
      expect(written?.work).toEqual({
        chunksTotal: null,
        rejectedTotal: '5',
        subjectsTotal: '3000',
      });
    });

    test('what has ended has ended', async () => {
      const canceled = makeBatch(2, { status: 'running', version: 3 });
      expect(await commit(old.batches.put(canceled, 2))).toBe(0);
      const { claim } = storage.tables;
      const key = { batchId: batchIdOf(2) };
      expect(await claim(old.batches, { holder: 'w', key })).toBeUndefined();
      const turns = { equal: { isOpen: true }, index: 'open', lane: 'tenantId', limit: 9 };
      const open = await storage.tables.inTurns(old.batches, turns);
      expect(open.map(({ batchId }) => batchId)).toEqual([batchIdOf(1)]);
    });

    test('batches are found by what their release did not look for', async () => {
      const byKind = { equal: { kind: 'aml', tenantId: TENANT_A }, index: 'byKind', limit: 9 };
      expect((await storage.tables.page(old.batches, byKind)).records).toHaveLength(2);
    });

    test('a run under way is taken, and its end says what it came to', async () => {
      const { find, lanes, lease } = storage.tables;
      expect(await lanes(old.runs, { limit: 9, now: NOW })).toEqual([[]]);
      const [leased] = await lease(old.runs, { holder: 'w', lane: [], limit: 9, now: NOW });
      expect(leased?.lease).toMatchObject({ fence: 1, holder: 'w', tries: 1 });
      if (leased === undefined) return;
      const { stage: _, ...run } = { ...leased.record, status: 'success', version: 3 } as const;
      const end = old.runs.put(run, 2, { work: ['stage'] });
      expect(await commit(end, old.runs.expect({ runId: RUN }, { fence: 1 }))).toBe('appended');
      expect(await find(old.runs, { runId: RUN })).toStrictEqual(run);
      expect(await storage.tables.held(old.runs, { limit: 9 })).toEqual([]);
      expect(await storage.tables.lanes(old.runs, { limit: 9, now: NOW })).toEqual([]);
    });

    test('chunks that wait are leased in their order, and one in hand is taken over', async () => {
      const { held, lanes, lease, takeOver } = storage.tables;
      const batchId = batchIdOf(1);
      expect(await lanes(old.chunks, { limit: 9, now: NOW })).toEqual([[batchId]]);
      const ask = { holder: 'w', lane: [batchId], limit: 9, now: NOW };
      const rows = await lease(old.chunks, ask);
      expect(rows.map(({ record }) => record)).toStrictEqual([makeChunk(2), makeChunk(3)]);
      const [seen] = await held(old.chunks, { limit: 1 });
      expect(seen).toStrictEqual({
        lease: { beat: 0, fence: 0, holder: 'worker-1', tries: 1 },
        record: makeChunk(1),
      });
      if (seen === undefined) return;
      const key = { batchId, chunkNo: 1 };
      const taken = await takeOver(old.chunks, { holder: 'w', key, seen: seen.lease });
      expect(taken?.lease).toMatchObject({ fence: 1, tries: 2 });
      const done = { ...makeChunk(1), result: makeResult('1') };
      expect(await commit(old.chunks.put(done), old.chunks.expect(key, { fence: 1 }))).toBe(
        'appended',
      );
      expect(await commit(old.chunks.put(done))).toBe(0);
      const end = await stored('batch_chunk', `${batchId}/000000000001`);
      expect(end).toMatchObject({ leaseHolder: null, leaseUntil: 0, no: 1, version: 2 });
    });

    test('new records lie as the former release had them', async () => {
      const chunk = makeChunk(7, 2);
      await storage.tables.insertMissing(old.chunks, [chunk, makeChunk(0)]);
      const { _id, ...form } = (await stored('batch_chunk', `${batchIdOf(2)}/000000000007`)) ?? {};
      expect(form).toEqual({
        batchId: batchIdOf(2),
        document: JSON.stringify(chunk),
        no: 7,
        tenantId: TENANT_A,
        version: 1,
      });
      const person = { accounts: [], id: 'p/2', keys: [], name: 'Two', roles: [], version: 1 };
      const other = { ...person, tenantId: TENANT_A as TenantId };
      expect(await commit(old.persons.insert(other))).toBe('appended');
      expect(await stored('person', `${TENANT_A}/p/2`)).not.toBeNull();
    });

    test('indexes that serve are kept, and a second start makes nothing', async () => {
      const keys = () =>
        withDatabase(harness.url, async (db) => {
          const names = old.OLD_TABLES.map(({ name }) => name);
          const lists = names.map(async (name) => await db.collection(name).indexes());
          return (await Promise.all(lists)).map((list) =>
            list.map(({ key }) => JSON.stringify(key)),
          );
        });
      const before = await keys();
      const [, , , , , versions, , runs, , batches] = before;
      expect(versions).toHaveLength(4);
      expect(runs).toContain('{"startedAt":-1,"_id":-1}');
      expect(runs).not.toContain('{"startedAt":1,"_id":1}');
      expect(batches).not.toContain('{"tenantId":1,"requestedAt":1,"_id":1}');
      await (await harness.open(old.OLD_TABLES)).close();
      expect(await keys()).toEqual(before);
    });
  },
);
