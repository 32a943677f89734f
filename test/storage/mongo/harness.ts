/** A MongoDB store in a database of its own on the shared test server. */
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
      alter: alterMongo(url),
      dispose: () => withDatabase(url, (db) => db.dropDatabase().then(() => {})),
    };
  };
}
