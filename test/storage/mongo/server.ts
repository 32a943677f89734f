/**
 * The MongoDB that the tests run against: MONGODB_TEST_URL where it is set, else the test server
 * that .ci/run installs into .cache/secantus, started on a free port over a folder of its own.
 * Without either the suites skip aloud, or fail where MONGODB_TEST_REQUIRED=1.
 *
 * The test files that one worker of vitest runs, one after the other, share one server: its start
 * takes longer than many of them, and so do the databases that it keeps for the next file.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';

/** Variable that moves stories of whole installations to MongoDB (eachInstallation.ts). */
export const MONGO_STORIES = 'STORIES_ON_MONGODB';

export interface MongoTestServer {
  /** Without a database. */
  readonly url: string;
  readonly pid?: number | undefined;
  stop(): Promise<void>;
}

const EXECUTABLE = fileURLToPath(
  new URL('../../../.cache/secantus/bin/secantusd-py', import.meta.url),
);
const START_MS_MAX = 30_000;
const POLL_MS = 100;

export function hasMongo(): boolean {
  if (process.env.MONGODB_TEST_URL !== undefined || existsSync(EXECUTABLE)) return true;
  if (process.env.MONGODB_TEST_REQUIRED === '1') {
    throw new Error('MONGODB_TEST_REQUIRED=1, but neither MONGODB_TEST_URL nor .cache/secantus');
  }
  console.warn('SKIPPED: MongoDB suites (set MONGODB_TEST_URL, or let .ci/run install a server)');
  return false;
}

/** Under vitest the server of its worker, which goes on for the next file; else one of its own. */
export async function startMongo(): Promise<MongoTestServer> {
  const worker = process.env.VITEST_POOL_ID;
  if (worker === undefined || process.env.MONGODB_TEST_URL !== undefined) return startOwnMongo();
  const note = join(tmpdir(), `mongo-of-worker-${worker}`);
  if (!existsSync(note)) await startShared(note);
  return { url: await readFile(note, 'utf8'), stop: async () => {} };
}

async function startShared(note: string): Promise<void> {
  const server = await startOwnMongo();
  // The end of the run ends the process that a note of this name tells of (globalSetup.mjs).
  await writeFile(join(tmpdir(), `process-${server.pid}`), '');
  await writeFile(note, server.url);
}

/** One that the caller stops. */
export async function startOwnMongo(): Promise<MongoTestServer> {
  const url = process.env.MONGODB_TEST_URL;
  if (url !== undefined) return { url, stop: async () => {} };
  const storage = await mkdtemp(join(tmpdir(), 'storage-mongo-'));
  const port = await findFreePort();
  const server = spawn(
    EXECUTABLE,
    ['--host', '127.0.0.1', '--port', `${port}`, '--storage-path', storage].concat(
      '--enable-test-commands',
    ),
    { stdio: 'ignore' },
  );
  await waitUntilItAnswers(server, `mongodb://127.0.0.1:${port}/`);
  server.unref();
  return {
    pid: server.pid,
    url: `mongodb://127.0.0.1:${port}/`,
    async stop() {
      server.ref();
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
      await rm(storage, { recursive: true, force: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function waitUntilItAnswers(server: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + START_MS_MAX;
  for (;;) {
    const client = new MongoClient(url, { serverSelectionTimeoutMS: POLL_MS });
    try {
      await client.connect();
      return;
    } catch (error) {
      if (server.exitCode !== null || performance.now() > deadline) throw error;
      await delay(POLL_MS);
    } finally {
      await client.close();
    }
  }
}
