/**
 * The contract of declared tables in both ways of writing; they read in one way. SQLite's run has
 * all of it for every table; here one whose features others have shown is tried by its indexes.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import { tablesContract } from '../contract/tables.ts';
import { openTablesBy } from '../contract/tablesStore.ts';
import { mongoHarness } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

/** The test server is slow: some 200 journalled writes a second. */
const RUNS = 8;

describe.skipIf(!hasMongo())('mongo', () => {
  let server: MongoTestServer;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server.stop());

  tablesContract('without transactions', openTablesBy(mongoHarness(() => server, 'off')), {
    part: 'pairs',
    runs: RUNS,
  });
  tablesContract('with transactions', openTablesBy(mongoHarness(() => server, 'require')), {
    part: 'writes',
    runs: RUNS,
  });
});
