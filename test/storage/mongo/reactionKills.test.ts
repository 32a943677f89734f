/** SIGKILL at each step of a reaction over MongoDB. */
import { afterAll, beforeAll, describe } from 'vitest';
import { reactionKillsContract } from '../contract/reactionKills.ts';
import { mongoHarness } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

describe.skipIf(!hasMongo())('mongo', () => {
  let server: MongoTestServer;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server.stop());

  // Reading and marking know no transactions: one way of writing does.
  const transactions = 'require';
  reactionKillsContract('mongo', {
    makeHarness: mongoHarness(() => server, transactions),
    toTask: ({ url }) => ({ dataDir: '/nonexistent', transactions, url }),
  });
});
