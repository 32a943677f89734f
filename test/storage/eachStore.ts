/**
 * Runs a suite over both stores, and over MongoDB as a cluster has it: in transactions. Both ways
 * of writing are proven by the contract; a suite is run in the other one as well where this
 * variable asks for it (`npm run drill -- stories`).
 */
import { afterAll, beforeAll, describe } from 'vitest';
import type { MakeHarness } from './contract/harness.ts';
import { mongoHarness } from './mongo/harness.ts';
import { hasMongo, MONGO_STORIES, type MongoTestServer, startMongo } from './mongo/server.ts';
import { makeSqliteHarness } from './sqlite/harness.ts';

export interface SuiteOptions {
  /** Where a write takes milliseconds: a few show what many would. */
  readonly isSlow: boolean;
}

type Suite = (makeHarness: MakeHarness, options: SuiteOptions) => void;

export function onEachStore(suite: Suite): void {
  const isWhole = process.env[MONGO_STORIES] === '1';
  describe('sqlite', () => suite(makeSqliteHarness, { isSlow: false }));
  describe.skipIf(!hasMongo())('mongo', () => {
    let server: MongoTestServer;
    beforeAll(async () => {
      server = await startMongo();
    });
    afterAll(() => server.stop());
    for (const transactions of isWhole ? (['require', 'off'] as const) : (['require'] as const)) {
      describe(`transactions: ${transactions}`, () =>
        suite(
          mongoHarness(() => server, transactions),
          { isSlow: !isWhole },
        ));
    }
  });
}
