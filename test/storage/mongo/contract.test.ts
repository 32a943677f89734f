/** Both ways of writing on one server: in transactions, and by intents where there are none. */
import { afterAll, beforeAll, describe } from 'vitest';
import { storageContract } from '../contract/index.ts';
import { mongoHarness } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

/** The test server is slow: a hundred operations take as long as thousands on the file. */
const OPTIONS = { isolationOperations: 100 };

describe.skipIf(!hasMongo())('mongo', () => {
  let server: MongoTestServer;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server.stop());

  storageContract(
    'with transactions',
    mongoHarness(() => server, 'require'),
    OPTIONS,
  );
  storageContract(
    'without transactions',
    mongoHarness(() => server, 'off'),
    OPTIONS,
  );
});
