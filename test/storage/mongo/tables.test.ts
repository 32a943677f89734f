/** The contract of declared tables on both ways of writing. */
import { afterAll, beforeAll, describe } from 'vitest';
import { tablesContract } from '../contract/tables.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';
import { openMongoTables } from './tablesHarness.ts';

describe.skipIf(!hasMongo())('mongo', () => {
  let server: MongoTestServer;
  beforeAll(async () => {
    server = await startMongo();
  }, 60_000);
  afterAll(() => server.stop());

  tablesContract(
    'with transactions',
    openMongoTables(() => server, 'require'),
  );
  tablesContract(
    'without transactions',
    openMongoTables(() => server, 'off'),
  );
});
