/** Runs a suite over both stores, and over MongoDB in both ways of writing. */
import { afterAll, beforeAll, describe } from 'vitest';
import type { MakeHarness } from './contract/harness.ts';
import { mongoHarness } from './mongo/harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './mongo/server.ts';
import { makeSqliteHarness } from './sqlite/harness.ts';

export function onEachStore(suite: (makeHarness: MakeHarness) => void): void {
  describe('sqlite', () => suite(makeSqliteHarness));
  describe.skipIf(!hasMongo())('mongo', () => {
    let server: MongoTestServer;
    beforeAll(async () => {
      server = await startMongo();
    });
    afterAll(() => server.stop());
    describe('with transactions', () => suite(mongoHarness(() => server, 'require')));
    describe('without transactions', () => suite(mongoHarness(() => server, 'off')));
  });
}
