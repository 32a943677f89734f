/**
 * Runs a story over installations: upon the embedded store, or upon MongoDB where this variable
 * asks for it (`npm run drill -- stories`). An installation makes all collections and indexes of a
 * database of its own, which takes longer than the story.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe } from 'vitest';
import { MONGO_STORIES, type MongoTestServer, startMongo } from './mongo/server.ts';

export type Environment = Readonly<Record<string, string>>;

/** `env`: the variables that say where the records are; a database of its own for each call. */
export function onEachInstallation(suite: (env: () => Environment) => void): void {
  if (process.env[MONGO_STORIES] !== '1') {
    describe('sqlite', () => suite(() => ({})));
    return;
  }
  describe('mongo', () => {
    let server: MongoTestServer;
    beforeAll(async () => {
      server = await startMongo();
    });
    afterAll(() => server.stop());
    suite(() => {
      const url = new URL(server.url);
      url.pathname = `/t_${randomBytes(6).toString('hex')}`;
      return { MONGODB_TRANSACTIONS: 'require', MONGODB_URL: url.href };
    });
  });
}
