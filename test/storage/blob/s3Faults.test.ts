/** What breaks between the store and its server, and what must not come of it. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore } from '#core/blobs';
import { type EpochMs, systemClock } from '#platform/clock';
import type { S3Config } from '#platform/config';
import { systemRandom } from '#platform/random';
import { openS3BlobStore } from '../../../src/storage/blob/s3.ts';
import { S3_ATTEMPTS_MAX } from '../../../src/storage/blob/s3Client.ts';
import { PART_BYTES } from '../../../src/storage/blob/s3Upload.ts';
import { type Fault, FaultyProxy, type Seen } from './s3FaultyProxy.ts';
import { hasS3, type S3TestServer, startS3 } from './s3Server.ts';

describe.skipIf(!hasS3())('S3, when something breaks', () => {
  let server: S3TestServer;
  let proxy: FaultyProxy;
  let s3: S3Config;
  let blobs: BlobStore;
  let spoolDirectory: string;
  let waits: number[];
  const small = new Uint8Array(100_000).map((_, at) => at % 251);
  const large = new Uint8Array(2 * PART_BYTES + 7).map((_, at) => at % 239);
  const addressOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const inAnHour = () => (Date.now() + 3_600_000) as EpochMs;

  beforeAll(async () => {
    server = await startS3();
  });
  afterAll(() => server?.stop());

  const open = (config: S3Config, idle = 10_000) =>
    openS3BlobStore({
      clock: systemClock,
      random: systemRandom,
      s3: config,
      secretAccessKey: 'test-secret',
      sleep: async (ms) => {
        waits.push(ms);
      },
      spoolDirectory,
      timeoutsMs: { headers: 20_000, idle },
    });
  beforeEach(async () => {
    waits = [];
    spoolDirectory = await mkdtemp(join(tmpdir(), 's3-spool-'));
    proxy = new FaultyProxy(server.endpoint);
    s3 = { ...(await server.bucket()), endpoint: await proxy.listen() };
    blobs = await open(s3);
    proxy.seen.length = 0;
  });
  afterEach(async () => {
    await proxy.close();
    expect(await readdir(spoolDirectory)).toEqual([]);
    await rm(spoolDirectory, { force: true, recursive: true });
  });

  /** The first `times` of the requests that match. */
  const breakFirst = (matches: (seen: Seen) => boolean, fault: Fault, times = 1) => {
    let left = times;
    proxy.faultOf = (seen) => {
      if (left === 0 || !matches(seen)) return undefined;
      left--;
      return fault;
    };
  };
  const isPut = ({ method }: Seen) => method === 'PUT';
  const isGet = ({ method, url }: Seen) => method === 'GET' && url.includes('sha256');
  const isCompletion = ({ method, url }: Seen) => method === 'POST' && url.includes('uploadId');
  const versionCount = async () =>
    (await server.ask('GET', `/${s3.bucket}?versions`)).text.split('<VersionId>').length - 1;

  test.each<[string, Uint8Array, (seen: Seen) => boolean, Fault]>([
    ['a connection that is reset in an upload', small, isPut, { kind: 'reset-upload' }],
    ['a part whose connection is reset', large, isPut, { kind: 'reset-upload' }],
    ['an answer 500', small, isPut, { kind: 'status', status: 500 }],
    ['an answer 503 to a part', large, isPut, { kind: 'status', status: 503 }],
    ['a lost answer to an upload', small, isPut, { kind: 'lose-answer' }],
    ['a lost answer to the completion', large, isCompletion, { kind: 'lose-answer' }],
    [
      'an error in an answer 200',
      large,
      isCompletion,
      { body: '<Error><Code>InternalError</Code></Error>', kind: 'status', status: 200 },
    ],
    [
      'a conflict with another upload',
      small,
      isPut,
      {
        body: '<Error><Code>ConditionalRequestConflict</Code></Error>',
        kind: 'status',
        status: 409,
      },
    ],
  ])('%s costs one more attempt', async (_, bytes, matches, fault) => {
    breakFirst(matches, fault);
    const { address } = await blobs.put(bytes, { retainUntil: inAnHour() });
    expect(Buffer.compare((await blobs.get(address)) ?? Buffer.of(), bytes)).toBe(0);
    expect(waits).toHaveLength(1);
    expect(await versionCount()).toBe(1);
    expect(await blobs.remove(address, { putBefore: inAnHour() })).toBe(false);
  });

  test('a server that does not know the condition is asked without it', async () => {
    const isConditional = (seen: Seen) => seen.headers['if-none-match'] !== undefined;
    breakFirst(isConditional, { kind: 'status', status: 501 }, 2);
    const one = await blobs.put(small);
    const two = await blobs.put(large);
    expect(await blobs.has(one.address)).toBe(true);
    expect(await blobs.size(two.address)).toBe(large.length);
    expect(proxy.seen.filter(isConditional)).toHaveLength(2);
  });

  test('attempts come to an end, later each time, and nothing of the upload stays', async () => {
    breakFirst(
      (seen) => isPut(seen) && seen.url.includes('partNumber=2'),
      { kind: 'status', status: 500 },
      99,
    );
    await expect(blobs.put(large)).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(waits).toHaveLength(S3_ATTEMPTS_MAX - 1);
    expect(waits.at(-1)).toBeGreaterThan(2 * (waits[0] ?? 0));
    proxy.faultOf = () => undefined;
    expect(await blobs.has(addressOf(large))).toBe(false);
    const uploads = await server.ask('GET', `/${s3.bucket}?uploads`);
    expect(uploads.text).not.toContain('<UploadId>');
  });

  test('a server that is gone is told, with no secret in it', async () => {
    await proxy.close();
    const error = await blobs.get(addressOf(small)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'store-unavailable', retryAfterS: 5 });
    const { inspect } = await import('node:util');
    expect(inspect(error, { depth: 9 })).not.toMatch(/test-secret|AKIATEST|Signature/);
    proxy = new FaultyProxy(server.endpoint);
    await proxy.listen();
  });

  test('a refusal is told at once', async () => {
    breakFirst(isGet, {
      body: '<Error><Code>AccessDenied</Code></Error>',
      kind: 'status',
      status: 403,
    });
    await expect(blobs.get(addressOf(small))).rejects.toMatchObject({
      code: 'store-unavailable',
      message: 'the object store: GET of an object: HTTP 403 AccessDenied',
    });
    expect(waits).toEqual([]);
  });

  test.each<[string, Fault]>([
    ['cut', { kind: 'cut-answer' }],
    ['silent', { kind: 'fall-silent' }],
  ])('a read that is %s half way goes on where it was', async (_, fault) => {
    const { address } = await blobs.put(large);
    blobs = await open(s3, fault.kind === 'fall-silent' ? 300 : undefined);
    proxy.seen.length = 0;
    breakFirst(isGet, fault, 3);
    expect(Buffer.compare((await blobs.get(address)) ?? Buffer.of(), large)).toBe(0);
    const starts = proxy.seen.filter(isGet).map(({ headers }) => headers.range ?? 'all');
    expect(new Set(starts).size).toBeGreaterThanOrEqual(4);
    const ranges = await blobs.openRanges(address);
    breakFirst(isGet, fault);
    expect([...((await ranges?.read(300, 4)) ?? [])]).toEqual([...large.subarray(300, 304)]);
  });

  test('a wrong bit is found by every way of reading', async () => {
    const put = await blobs.put(small);
    proxy.faultOf = (seen) => (isGet(seen) ? { kind: 'flip' } : undefined);
    const damaged = { code: 'blob-damaged' };
    const readBack = async (how?: typeof put) => {
      for await (const _ of (await blobs.open(put.address, how)) ?? []);
    };
    await expect(blobs.get(put.address)).rejects.toMatchObject(damaged);
    await expect(blobs.get(put.address, put.seal)).rejects.toMatchObject(damaged);
    await expect(blobs.getShared(put.address)).rejects.toMatchObject(damaged);
    await expect(readBack()).rejects.toMatchObject(damaged);
    await expect(readBack(put)).rejects.toMatchObject(damaged);
  });

  test('a page of a proxy is not taken for a list', async () => {
    breakFirst(({ method }) => method === 'GET', {
      body: '<html><br>',
      kind: 'status',
      status: 200,
    });
    await expect(blobs.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'store-unavailable',
    });
  });

  test('a reader who leaves holds no connection', async () => {
    const { address } = await blobs.put(large);
    for (let at = 0; at < 40; at++) {
      for await (const _ of (await blobs.open(address)) ?? []) break;
    }
    expect(await blobs.has(address)).toBe(true);
  });

  test('a full disk under the spool is told by its code, and nothing is put', async () => {
    const script = fileURLToPath(new URL('./fillSpool.ts', import.meta.url));
    const config = JSON.stringify({ ...s3, endpoint: server.endpoint });
    const limited = 'ulimit -f 4096; exec "$@"'; // blocks of 512 or 1024 bytes: 2 or 4 MiB
    const words = [process.execPath, '--disable-warning=ExperimentalWarning', script, config];
    const child = spawnSync('bash', ['-c', limited, '-', ...words, spoolDirectory], {
      encoding: 'utf8',
    });
    expect(child.stderr).toBe('');
    expect(JSON.parse(child.stdout)).toEqual({ code: 'EFBIG', count: 0 });
  });
});
