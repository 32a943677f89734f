/** A MongoDB store in a database that nobody else uses, on the shared test server. */
import { randomBytes } from 'node:crypto';
import { TABLES } from '../../../src/app/tables.ts';
import { openStorage, type TransactionMode } from '../../../src/storage/index.ts';
import { alterMongo } from '../alterDocuments.ts';
import { createTestClock, type StoreHarness } from '../contract/harness.ts';
import type { MongoTestServer } from './server.ts';
import { withDatabase } from './withDatabase.ts';

export { withDatabase } from './withDatabase.ts';

export interface MongoHarness extends StoreHarness {
  readonly url: string;
}

/**
 * In the database of a test that has ended, emptied, be it of another file: to make the collections
 * and indexes of all tables takes longer than most tests. Whichever way a store writes, it has the
 * same ones.
 */
export function mongoHarness(server: () => MongoTestServer, transactions: TransactionMode) {
  return async (): Promise<MongoHarness> => {
    ended ??= await leftByOtherFiles(server().url);
    const left = ended.pop();
    const url = urlOf(server().url, left ?? `${REUSED}${randomBytes(6).toString('hex')}`);
    // What a store that was closed had sent already may have come behind the first time.
    if (left !== undefined) await withDatabase(url, empty);
    const dispose = async () => {
      await withDatabase(url, IS_OURS ? empty : drop);
      if (IS_OURS) ended?.push(new URL(url).pathname.slice(1));
    };
    return { ...storeAt(url, transactions), dispose };
  };
}

/** In a database that nobody has opened. */
export function newMongoHarness(server: () => MongoTestServer, transactions: TransactionMode) {
  return async (): Promise<MongoHarness> => {
    const url = urlOf(server().url, `t_${randomBytes(6).toString('hex')}`);
    return { ...storeAt(url, transactions), dispose: () => withDatabase(url, drop) };
  };
}

/** Databases that a test may have: one worker of vitest alone uses its server. */
let ended: string[] | undefined;
const REUSED = 'reused_';
const IS_OURS = process.env.MONGODB_TEST_URL === undefined;

/** Emptied again, since a test that fails may not come to it. */
async function leftByOtherFiles(server: string): Promise<string[]> {
  if (!IS_OURS) return [];
  const { databases } = await withDatabase(server, (db) =>
    db.admin().listDatabases({ nameOnly: true }),
  );
  const left = databases.map(({ name }) => name).filter((name) => name.startsWith(REUSED));
  for (const name of left) await withDatabase(urlOf(server, name), empty);
  return left;
}

type Work = Parameters<typeof withDatabase<void>>[1];

const drop: Work = async (db) => void (await db.dropDatabase());

/**
 * Takes the documents out, by one command; the collections stay, and what the store notes of their
 * layout. Each question costs the test server a millisecond, and there are over a hundred tables.
 */
const empty: Work = async (db) => {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  await db.client.bulkWrite(
    collections.map(({ name }) => ({
      filter: name === 'store_state' ? { _id: { $not: /^(schema$|table\/)/ as never } } : {},
      name: 'deleteMany',
      namespace: `${db.databaseName}.${name}`,
    })),
  );
};

function urlOf(server: string, database: string): string {
  const parsed = new URL(server);
  parsed.pathname = `/${database}`;
  return parsed.href;
}

function storeAt(url: string, transactions: TransactionMode): Omit<MongoHarness, 'dispose'> {
  const clock = createTestClock();
  return {
    alter: alterMongo(url),
    clock,
    open: (tables = TABLES) =>
      openStorage({ clock, dataDir: '/nonexistent', mongodbUrl: url, tables, transactions }),
    url,
  };
}
