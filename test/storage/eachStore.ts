/** Runs a suite over both stores, and over MongoDB in both ways of writing. */
import { afterAll, beforeAll, describe } from 'vitest';
import type { MakeHarness } from './contract/harness.ts';
import { emptiedMongoHarness } from './mongo/harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './mongo/server.ts';
import { makeSqliteHarness } from './sqlite/harness.ts';

export function onEachStore(suite: (makeHarness: MakeHarness) => void): void {
  describe('sqlite', () => suite(makeSqliteHarness));
  describe.skipIf(!hasMongo())('mongo', () => {
    let server: MongoTestServer;
    beforeAll(async () => {
      server = await startMongo();
    }, 60_000);
    afterAll(() => server.stop());
    const makeHarness = emptiedMongoHarness(() => server);
    describe('with transactions', () => suite(makeHarness('require')));
    describe('without transactions', () => suite(makeHarness('off')));
  });
}
