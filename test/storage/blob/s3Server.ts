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
const administratorOf = (service: 's3' | 'iam'): string =>
  `AWS4-HMAC-SHA256 Credential=admin/20260101/us-east-1/${service}/aws4_request, ` +
  'SignedHeaders=host, Signature=0';
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
  /**
   * From here on the server asks for proof: a user of its own, whose requests it checks the
   * signatures of by another implementation than ours (botocore's).
   */
  demandSignatures(): Promise<{ readonly accessKeyId: string; readonly secretAccessKey: string }>;
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
  const server = spawn(EXECUTABLE, ['-H', '127.0.0.1', '-p', `${port}`], {
    // Where signatures can be demanded at all, a server counts down to it from here.
    env: { ...process.env, INITIAL_NO_AUTH_ACTION_COUNT: '1000000' },
    stdio: 'ignore',
  });
  await waitUntilItAnswers(server, endpoint);
  const ask: S3TestServer['ask'] = async (method, path, body) => {
    const headers = { authorization: administratorOf('s3') };
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
    demandSignatures: () => demandSignatures(endpoint),
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

async function demandSignatures(endpoint: string) {
  const iam = async (Action: string, of: Record<string, string>): Promise<string> => {
    const headers = {
      authorization: administratorOf('iam'),
      'content-type': 'application/x-www-form-urlencoded',
    };
    const form = new URLSearchParams({ Action, UserName: 'store', Version: '2010-05-08', ...of });
    const answer = await request(endpoint, { body: form.toString(), headers, method: 'POST' });
    return answer.body.text();
  };
  await iam('CreateUser', {});
  const key = await iam('CreateAccessKey', {});
  const Statement = [{ Action: 's3:*', Effect: 'Allow', Resource: '*' }];
  const PolicyDocument = JSON.stringify({ Statement, Version: '2012-10-17' });
  await iam('PutUserPolicy', { PolicyDocument, PolicyName: 'all' });
  const options = { body: '0', method: 'POST' } as const;
  await (await request(`${endpoint}/moto-api/reset-auth`, options)).body.dump();
  return {
    accessKeyId: /<AccessKeyId>([^<]+)/.exec(key)?.[1] ?? '',
    secretAccessKey: /<SecretAccessKey>([^<]+)/.exec(key)?.[1] ?? '',
  };
}
