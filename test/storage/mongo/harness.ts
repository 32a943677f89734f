/** A MongoDB store in a database of its own on the shared test server. */
import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
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

export function mongoHarness(server: () => MongoTestServer, transactions: TransactionMode) {
  return async (): Promise<MongoHarness> => {
    const url = newDatabase(server());
    return { ...storeAt(url, transactions), dispose: () => withDatabase(url, drop) };
  };
}

/**
 * Likewise for the tests of one `describe`, in the database of a test that has ended, emptied: to
 * make the collections and indexes of all tables takes longer than most of them. Whichever way a
 * store writes, it has the same ones.
 */
export function emptiedMongoHarness(server: () => MongoTestServer) {
  const ended: string[] = [];
  afterAll(async () => {
    for (const url of ended) await withDatabase(url, drop);
  });
  return (transactions: TransactionMode) => async (): Promise<MongoHarness> => {
    const url = ended.pop() ?? newDatabase(server());
    const dispose = async () => {
      await withDatabase(url, empty);
      ended.push(url);
    };
    return { ...storeAt(url, transactions), dispose };
  };
}

type Work = Parameters<typeof withDatabase<void>>[1];

const drop: Work = async (db) => void (await db.dropDatabase());

/** Takes the documents out; the collections stay, and what the store notes of their layout. */
const empty: Work = async (db) => {
  const collections = await db.collections();
  const isFilled = await Promise.all(collections.map((one) => one.findOne({})));
  for (const [index, collection] of collections.entries()) {
    if (isFilled[index] === null) continue;
    const isState = collection.collectionName === 'store_state';
    await collection.deleteMany(isState ? { _id: { $not: /^(schema$|table\/)/ as never } } : {});
  }
};

function newDatabase({ url }: MongoTestServer): string {
  const parsed = new URL(url);
  parsed.pathname = `/t_${randomBytes(6).toString('hex')}`;
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
