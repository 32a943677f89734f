/**
 * Every query of the engine over every declared table, as the driver sends it: an index leads to
 * its records in its order. A mongod is asked as well how many keys it looks at; the test server's
 * plans say nothing, since it sorts whatever it is asked in order.
 */
import assert from 'node:assert/strict';
import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnyTable, plainTable, type Table, type Tables } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { AppendTools } from '../../../src/storage/mongo/append.ts';
import { ChainSessions } from '../../../src/storage/mongo/chainSessions.ts';
import { collectionsOf } from '../../../src/storage/mongo/collections.ts';
import { prepareTables } from '../../../src/storage/mongo/tableCollections.ts';
import { type TableForm, tableForm, toDocument } from '../../../src/storage/mongo/tableForm.ts';
import { tablesOf } from '../../../src/storage/mongo/tables.ts';
import { createTestClock } from '../contract/harness.ts';
import { OLD_TABLES } from '../contract/oldTables.ts';
import { type LooseTable, sampleRecord } from '../contract/sampleRecord.ts';
import { SYNTHETIC } from '../contract/syntheticTables.ts';
import { TABLES as ALL_TABLES } from '../contract/tables.ts';
import { newMongoHarness } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

/** Some of the old ones are declared by their slices. */
const TABLES: readonly AnyTable[] = [
  ...new Map([...ALL_TABLES, ...OLD_TABLES].map((table) => [table.name, table])).values(),
];
const NOW = 1_000_000 as EpochMs;
const LIMIT = 3;
/** A seek for each range, and one key behind the last that is wanted. */
const SLACK = 4;

/** A query as it was sent. */
interface Sent {
  readonly collection: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly sort: Readonly<Record<string, 1 | -1>>;
  readonly limit: number;
}

describe.skipIf(!hasMongo())('plans of tables on MongoDB', () => {
  let server: MongoTestServer;
  let client: MongoClient;
  let db: Db;
  let tables: Tables;
  let forms: readonly TableForm[];
  let sent: Sent[] = [];
  beforeAll(async () => {
    server = await startMongo();
    const { url } = await newMongoHarness(() => server, 'require')();
    client = await new MongoClient(url, { monitorCommands: true }).connect();
    db = client.db();
    forms = TABLES.map((table) => tableForm(plainTable(table)));
    const collections = collectionsOf(db);
    await prepareTables(db, collections, forms);
    const tools: AppendTools = {
      clock: createTestClock(),
      collections,
      forms: new Map(forms.map((form) => [form.name, form])),
      hasTransactions: true,
      onCrashPoint: () => {},
      sessions: new ChainSessions(client),
    };
    tables = tablesOf(tools);
    client.on('commandStarted', ({ command }) => {
      const query = sentBy(command);
      if (query !== undefined) sent.push(query);
    });
  });
  afterAll(async () => {
    await db.dropDatabase();
    await client.close();
    await server.stop();
  });

  const during = async (work: () => Promise<unknown>): Promise<Sent[]> => {
    sent = [];
    await work();
    return sent;
  };
  const indexesIn = async (name: string) => await db.collection(name).indexes();
  const expectPlans = async (queries: readonly Sent[]) => {
    for (const query of queries) {
      const indexes = await indexesIn(query.collection);
      const isServed = indexes.some((index) => serves(index, query));
      expect({ isServed, query }).toEqual({ isServed: true, query });
    }
  };

  describe.each(TABLES.map((table) => [table.name, table as LooseTable] as const))(
    '%s',
    (name, table) => {
      const { indexes = {}, isPlaced, key, kept, leased, unique = {} } = plainTable(table).spec;
      const declared = { key, ...(isPlaced && { placed: [] }), ...indexes };

      test.each(Object.entries(declared))('pages of %s begin at their place', async (index, of) => {
        for (const direction of ['ascending', 'descending'] as const) {
          for (let count = 0; count <= of.length; count++) {
            const members = of.slice(0, count).map((member) => [member, valueFor(member)]);
            const ask = { direction, equal: Object.fromEntries(members), index, limit: LIMIT };
            const behind = index === 'placed' ? [7] : key.map(valueFor);
            const rest = index === 'key' ? [] : of.slice(count).map(valueFor);
            const after = [...rest, ...behind];
            await expectPlans(await during(() => tables.page(table, ask)));
            await expectPlans(await during(() => tables.page(table, { ...ask, after })));
          }
        }
      });

      test.runIf(Object.keys(unique).length > 0)('unique values are looked up', async () => {
        for (const [which, members] of Object.entries(unique)) {
          const values = Object.fromEntries(members.map((member) => [member, valueFor(member)]));
          await expectPlans(await during(() => tables.findUnique(table, which, values)));
        }
      });

      test.runIf(leased !== undefined)('lanes and their rows are sought', async () => {
        const lane = leased?.lane.map(valueFor) ?? [];
        const ask = { limit: LIMIT, now: NOW };
        await expectPlans(await during(() => tables.lanes(table, ask)));
        if (lane.length > 0)
          await expectPlans(await during(() => tables.lanes(table, { ...ask, after: lane })));
        const rows = { holder: 'one', lane, limit: 1, now: NOW };
        await expectPlans(await during(() => tables.lease(table, rows)));
        const held = db.collection(name).find({ leaseHolder: { $gt: '' } });
        expect(await held.toArray()).toEqual([]);
        const [query] = await during(() => tables.held(table, { limit: LIMIT }));
        expect(query?.filter).toEqual({ leaseHolder: { $gt: '' } });
      });

      test.runIf(kept !== undefined)('what is past its time is found by it', async () => {
        await expectPlans(await during(() => tables.purge(table, NOW)));
      });
    },
  );

  test('a mongod looks at no more keys than are wanted', async (context) => {
    await db.collection('probe').createIndex({ n: 1 });
    await db.collection('probe').insertMany(Array.from({ length: 50 }, (_, n) => ({ n })));
    const counted = { collection: 'probe', filter: { n: { $gte: 0 } }, limit: 1, sort: { n: 1 } };
    if ((await keysOf(db, counted as Sent)) > 2) return context.skip('its plans count no limit');
    for (const of of SYNTHETIC) {
      const records = Array.from({ length: 60 }, (_, n) =>
        sampleRecord(of, n, { salt: '1', tenant: 'tenant' }),
      );
      const form = forms.find(({ name }) => name === of.name);
      assert(form !== undefined);
      const documents = records.map((record) => toDocument(form, record));
      await db.collection(of.name).insertMany(documents as never);
      const table = of.table as Table<object, never>;
      for (const index of Object.keys({ key: [], ...of.spec.indexes })) {
        const queries = await during(() => tables.page(table, { index, limit: LIMIT }));
        for (const query of queries)
          expect(await keysOf(db, query), `${of.name} ${index}`).toBeLessThanOrEqual(LIMIT + SLACK);
      }
    }
  });
});

function valueFor(member: string): string | number | boolean {
  if (/^(is|has)[A-Z]/.test(member)) return true;
  return /(At|No|Seq|Count)$|^(at|no|ordinal|part|position|rank|seq|version)$/.test(member)
    ? 7
    : 'value';
}

async function keysOf(db: Db, { collection, filter, limit, sort }: Sent): Promise<number> {
  const found = db.collection(collection).find(filter).sort(sort).limit(limit);
  const { executionStats } = await found.explain('executionStats');
  return Number(executionStats?.totalKeysExamined ?? Number.POSITIVE_INFINITY);
}

function sentBy(command: Readonly<Record<string, unknown>>): Sent | undefined {
  const collection = command.find ?? command.findAndModify;
  if (typeof collection !== 'string' || collection === 'store_state') return undefined;
  const given = (command.filter ?? command.query) as Sent['filter'];
  const sort = command.sort instanceof Map ? Object.fromEntries(command.sort) : command.sort;
  return {
    collection,
    filter: flat(given),
    limit: Number(command.limit ?? 1),
    sort: (sort ?? {}) as Sent['sort'],
  };
}

/** Conjunctions as one list of conditions by field; alternatives never choose the index. */
function flat(filter: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const [field, condition] of Object.entries(filter)) {
    const parts = field === '$and' ? (condition as Sent['filter'][]).map(flat) : [];
    for (const part of parts) {
      for (const [name, other] of Object.entries(part)) all[name] = both(all[name], other);
    }
    if (!field.startsWith('$')) all[field] = both(all[field], condition);
  }
  return all;
}

const isRange = (condition: unknown): condition is object =>
  typeof condition === 'object' && condition !== null;
const both = (left: unknown, right: unknown): unknown =>
  isRange(left) && isRange(right) ? { ...left, ...right } : (left ?? right);

interface Index {
  readonly key: object;
  readonly partialFilterExpression?: Readonly<Record<string, unknown>>;
}

/** Equal fields first, in any order; then those of the sort in theirs, or a range that is asked. */
function serves({ key, partialFilterExpression = {} }: Index, { filter, sort }: Sent): boolean {
  const isEqual = (field: string) => field in filter && !isRange(filter[field]);
  const isIncluded = Object.entries(partialFilterExpression).every(([field, needed]) =>
    isRange(needed) ? isEqual(field) : filter[field] === needed,
  );
  if (!isIncluded) return false;
  const fields = Object.entries(key as Record<string, number>);
  const fixed = fields.findIndex(([field]) => !isEqual(field));
  // One value in all that is read: whatever stands behind it is in order still.
  const rest = fixed === -1 ? [] : fields.slice(fixed).filter(([field]) => !isEqual(field));
  const wanted = Object.entries(sort).filter(([field]) => !isEqual(field));
  if (wanted.length === 0) {
    const range = Object.keys(filter).filter((field) => isRange(filter[field]));
    return fixed === -1 || fixed > 0 || range.includes(rest[0]?.[0] ?? '');
  }
  const sign = Math.sign((wanted[0]?.[1] ?? 1) * (rest[0]?.[1] ?? 1));
  return wanted.every(
    ([field, direction], at) => rest[at]?.[0] === field && rest[at]?.[1] * sign === direction,
  );
}
