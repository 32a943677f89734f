/**
 * The contract of declared tables in both ways of writing; they read in one way. SQLite's run has
 * all of it for every table; here one whose features others have shown is tried by its indexes, and
 * more are tried whole where this variable asks for it (`npm run drill -- stories`).
 */
import { afterAll, beforeAll, describe } from 'vitest';
import { tablesContract } from '../contract/tables.ts';
import { openTablesBy } from '../contract/tablesStore.ts';
import { mongoHarness } from './harness.ts';
import { hasMongo, MONGO_STORIES, type MongoTestServer, startMongo } from './server.ts';

/** The test server is slow: some 200 journalled writes a second. */
const { newPairs, runs } =
  process.env[MONGO_STORIES] === '1' ? { newPairs: 1, runs: 30 } : { newPairs: 12, runs: 4 };

describe.skipIf(!hasMongo())('mongo', () => {
  let server: MongoTestServer;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server.stop());

  tablesContract('without transactions', openTablesBy(mongoHarness(() => server, 'off')), {
    newPairs,
    part: 'pairs',
    runs,
  });
  tablesContract('with transactions', openTablesBy(mongoHarness(() => server, 'require')), {
    part: 'writes',
    runs,
  });
});
