/** A MongoDB store in a database of its own on the shared test server. */
import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { TABLES } from '../../../src/app/tables.ts';
import { openStorage, type TransactionMode } from '../../../src/storage/index.ts';
import { createTestClock, type StoreHarness } from '../contract/harness.ts';
import type { MongoTestServer } from './server.ts';

export interface MongoHarness extends StoreHarness {
  readonly url: string;
}

export function mongoHarness(server: () => MongoTestServer, transactions: TransactionMode) {
  return async (): Promise<MongoHarness> => {
    const parsed = new URL(server().url);
    parsed.pathname = `/t_${randomBytes(6).toString('hex')}`;
    const url = parsed.href;
    const clock = createTestClock();
    return {
      clock,
      url,
      open: (tables = TABLES) =>
        openStorage({ clock, dataDir: '/nonexistent', mongodbUrl: url, tables, transactions }),
      alter: (table, from, to) =>
        withDatabase(url, async (db) => {
          const collection = db.collection<{ document: string }>(table);
          const found = (await collection.find().toArray()).filter(({ document }) =>
            document.includes(from),
          );
          for (const { _id, document } of found) {
            const next = { document: document.replaceAll(from, to) };
            await collection.updateOne({ _id }, { $set: next });
          }
          return found.length;
        }),
      dispose: () => withDatabase(url, (db) => db.dropDatabase().then(() => {})),
    };
  };
}

export async function withDatabase<T>(
  url: string,
  work: (db: ReturnType<MongoClient['db']>) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(url);
  try {
    return await work(client.db());
  } finally {
    await client.close();
  }
}
