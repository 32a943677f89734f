/** Where blobs are kept is what the configuration says. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#platform/clock';
import { ConfigError } from '#platform/config';
import { systemRandom } from '#platform/random';
import { openBlobStore } from '../../src/storage/index.ts';
import { hasS3, type S3TestServer, startS3 } from './blob/s3Server.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'open-blobs-'));
afterAll(() => rmSync(dataDir, { force: true, recursive: true }));
const options = { clock: systemClock, dataDir, random: systemRandom };
const bytes = new TextEncoder().encode('evidence');

test('without a bucket blobs are in the data directory', async () => {
  const { address } = await (await openBlobStore(options)).put(bytes);
  expect(readdirSync(join(dataDir, 'blobs', 'sha256'))).toEqual([address.slice(0, 2)]);
});

test('a secret whose file cannot be read is told by the name of its variable', async () => {
  const s3 = {
    accessKeyId: 'AKIATEST',
    bucket: 'evidence',
    objectLock: 'compliance',
    prefix: '',
    region: 'us-east-1',
    secretAccessKey: { file: join(dataDir, 'none') },
  } as const;
  const error = await openBlobStore({ ...options, s3 }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toContain(
    'S3_SECRET_ACCESS_KEY_FILE: expected a readable file, got ENOENT',
  );
});

describe.skipIf(!hasS3())('with a bucket', () => {
  let server: S3TestServer;
  beforeAll(async () => {
    server = await startS3();
  });
  afterAll(() => server?.stop());

  test('blobs are there, by a secret from a file', async () => {
    const file = join(dataDir, 'secret');
    writeFileSync(file, 'test-secret\n');
    const s3 = { ...(await server.bucket()), secretAccessKey: { file } };
    const { address } = await (await openBlobStore({ ...options, s3 })).put(bytes);
    const path = `/${s3.bucket}/${s3.prefix}sha256/${address.slice(0, 2)}/${address.slice(2)}`;
    expect((await server.ask('GET', path)).text).toBe('evidence');
  });
});
