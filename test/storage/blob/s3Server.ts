/**
 * The S3 that the tests run against: the server that .ci/run installs into .cache/s3 (moto, from
 * PyPI), on a free port, with a bucket of its own for each test. Without it the suites skip aloud,
 * or fail where S3_TEST_REQUIRED=1.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import type { S3Config } from '#platform/config';

const EXECUTABLE = fileURLToPath(new URL('../../../.cache/s3/bin/moto_server', import.meta.url));
/** The server asks who somebody is, and not for a proof of it. */
const ADMINISTRATOR =
  'AWS4-HMAC-SHA256 Credential=admin/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0';
const START_MS_MAX = 60_000;
const POLL_MS = 50;

export interface S3TestServer {
  readonly endpoint: string;
  readonly port: number;
  /** A new bucket, with versions and object lock unless asked otherwise. */
  bucket(how?: 'plain' | 'versions'): Promise<S3Config>;
  /** As an administrator would, past everything that the store does. */
  ask(
    method: 'DELETE' | 'GET' | 'HEAD' | 'PUT',
    path: string,
    body?: Uint8Array | string,
  ): Promise<{ readonly status: number; readonly text: string; header(name: string): string }>;
  stop(): Promise<void>;
}

export function hasS3(): boolean {
  if (existsSync(EXECUTABLE)) return true;
  if (process.env.S3_TEST_REQUIRED === '1') {
    throw new Error('S3_TEST_REQUIRED=1, but there is no .cache/s3');
  }
  console.warn('SKIPPED: S3 suites (let .ci/run install a server)');
  return false;
}

export async function startS3(): Promise<S3TestServer> {
  const port = await findFreePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const server = spawn(EXECUTABLE, ['-H', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' });
  await waitUntilItAnswers(server, endpoint);
  const ask: S3TestServer['ask'] = async (method, path, body) => {
    const headers = { authorization: ADMINISTRATOR };
    const answer = await request(`${endpoint}${path}`, { body: body ?? null, headers, method });
    const text = await answer.body.text();
    const header = (name: string) => String(answer.headers[name] ?? '');
    return { header, status: answer.statusCode, text };
  };
  return {
    ask,
    async bucket(how) {
      const bucket = `b-${randomBytes(6).toString('hex')}`;
      const headers = { 'x-amz-bucket-object-lock-enabled': String(how === undefined) };
      await (await request(`${endpoint}/${bucket}`, { headers, method: 'PUT' })).body.dump();
      if (how === 'versions') {
        const status =
          '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
        await ask('PUT', `/${bucket}?versioning`, status);
      }
      return {
        accessKeyId: 'AKIATEST',
        bucket,
        endpoint,
        objectLock: how === undefined ? 'compliance' : 'off',
        prefix: 'evidence/',
        region: 'us-east-1',
        secretAccessKey: { value: 'test-secret' },
      };
    },
    endpoint,
    port,
    async stop() {
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
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
    try {
      await (await request(url)).body.dump();
      return;
    } catch (error) {
      if (server.exitCode !== null || performance.now() > deadline) throw error;
      await delay(POLL_MS);
    }
  }
}
