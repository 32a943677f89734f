/** Blobs in a bucket: the contract, and what only a bucket has: versions, locks, parts. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EpochMs, systemClock, toTimestamp } from '#platform/clock';
import type { S3Config } from '#platform/config';
import { systemRandom } from '#platform/random';
import { openS3BlobStore } from '../../../src/storage/blob/s3.ts';
import { S3Client } from '../../../src/storage/blob/s3Client.ts';
import { objectsUnder } from '../../../src/storage/blob/s3Objects.ts';
import { PART_BYTES } from '../../../src/storage/blob/s3Upload.ts';
import { blobStoreContract } from '../contract/blobStore.ts';
import { hasS3, type S3TestServer, startS3 } from './s3Server.ts';

const HOUR_MS = 3_600_000;
const TEN_YEARS_MS = 10 * 365 * 24 * HOUR_MS;

describe.skipIf(!hasS3())('S3', () => {
  let server: S3TestServer;
  let spoolDirectory: string;
  beforeAll(async () => {
    server = await startS3();
    spoolDirectory = await mkdtemp(join(tmpdir(), 's3-spool-'));
  });
  afterAll(async () => {
    await server?.stop();
    await rm(spoolDirectory, { force: true, recursive: true });
  });

  const open = (s3: S3Config) =>
    openS3BlobStore({
      clock: systemClock,
      random: systemRandom,
      s3,
      secretAccessKey: 'test-secret',
      sleep: async () => {},
      spoolDirectory,
    });
  const inMs = (ms: number) => (Date.now() + ms) as EpochMs;
  const pathOf = (s3: S3Config, address: string) =>
    `/${s3.bucket}/${s3.prefix}sha256/${address.slice(0, 2)}/${address.slice(2)}`;
  const versionsIn = async (s3: S3Config) =>
    (await server.ask('GET', `/${s3.bucket}?versions`)).text.match(/<VersionId>[^<]+/g) ?? [];
  const bytes = new TextEncoder().encode('evidence');

  blobStoreContract('S3 with object lock', async () => {
    const s3 = await server.bucket();
    return { dispose: async () => {}, open: () => open(s3) };
  });
  blobStoreContract('S3 with versions alone', async () => {
    const s3 = await server.bucket('versions');
    return { dispose: async () => {}, open: () => open(s3) };
  });

  test('notes are the latest of their name, and do not pile up', async () => {
    const s3 = await server.bucket('versions');
    const { list, notes } = await open(s3);
    expect(await notes?.get('one.json')).toBeUndefined();
    for (const text of ['first', 'second', 'é']) await notes?.put('one.json', text);
    await notes?.put('two.json', 'x');
    expect(await notes?.get('one.json')).toBe('é');
    const names: string[] = [];
    for await (const name of notes?.names() ?? []) names.push(name);
    expect(names).toEqual(['one.json', 'two.json']);
    expect(await versionsIn(s3)).toHaveLength(2);
    for await (const blob of list()) expect.unreachable(`a note is no blob: ${blob.address}`);
  });

  describe('object lock', () => {
    test.each(['compliance', 'governance'] as const)(
      'in %s mode the server refuses to remove what is retained',
      async (objectLock) => {
        const s3 = { ...(await server.bucket()), objectLock };
        const { address } = await (await open(s3)).put(bytes, { retainUntil: inMs(TEN_YEARS_MS) });
        const path = pathOf(s3, address);
        const head = await server.ask('HEAD', path);
        expect(head.header('x-amz-object-lock-mode')).toBe(objectLock.toUpperCase());
        const until = Date.parse(head.header('x-amz-object-lock-retain-until-date'));
        expect(until).toBeGreaterThan(inMs(TEN_YEARS_MS - HOUR_MS));
        const version = head.header('x-amz-version-id');
        expect((await server.ask('DELETE', `${path}?versionId=${version}`)).status).toBe(403);
      },
    );

    test('a blob in parts is locked as well, though the server forgets what began it', async () => {
      const s3 = await server.bucket();
      const large = new Uint8Array(PART_BYTES + 5).fill(3);
      const { address } = await (await open(s3)).put(large, { retainUntil: inMs(TEN_YEARS_MS) });
      const head = await server.ask('HEAD', pathOf(s3, address));
      expect(head.header('x-amz-object-lock-mode')).toBe('COMPLIANCE');
    });

    test('a retained blob is not stored again, and only ever kept longer', async () => {
      const s3 = await server.bucket();
      const blobs = await open(s3);
      const { address } = await blobs.put(bytes, { retainUntil: inMs(TEN_YEARS_MS) });
      await blobs.put(bytes);
      await blobs.put(bytes, { retainUntil: inMs(HOUR_MS) });
      await blobs.put(bytes, { retainUntil: inMs(TEN_YEARS_MS + 9 * HOUR_MS) });
      expect(await versionsIn(s3)).toHaveLength(1);
      const head = await server.ask('HEAD', pathOf(s3, address));
      const until = Date.parse(head.header('x-amz-object-lock-retain-until-date'));
      expect(until).toBeGreaterThan(inMs(TEN_YEARS_MS + 8 * HOUR_MS));
    });

    test('what hides a retained blob does not free it, and is mended', async () => {
      const s3 = await server.bucket();
      const blobs = await open(s3);
      const { address } = await blobs.put(bytes, { retainUntil: inMs(TEN_YEARS_MS) });
      await server.ask('PUT', pathOf(s3, address), 'evidencf');
      await expect(blobs.get(address)).rejects.toMatchObject({ code: 'blob-damaged' });
      expect(await blobs.remove(address, { putBefore: inMs(HOUR_MS) })).toBe(false);
      await blobs.put(bytes, { retainUntil: inMs(TEN_YEARS_MS) });
      expect(await blobs.get(address)).toEqual(bytes);
    });

    test('a time that is over retains nothing', async () => {
      const s3 = await server.bucket();
      const blobs = await open(s3);
      const { address } = await blobs.put(bytes, { retainUntil: inMs(-HOUR_MS) });
      expect(await blobs.remove(address, { putBefore: inMs(HOUR_MS) })).toBe(true);
    });
  });

  describe('versions', () => {
    test('a blob that is put again keeps one version, the new one', async () => {
      const s3 = await server.bucket();
      const blobs = await open(s3);
      await blobs.put(bytes);
      const first = await versionsIn(s3);
      await blobs.put(bytes);
      const second = await versionsIn(s3);
      expect(second).toHaveLength(1);
      expect(second).not.toEqual(first);
    });

    test('a removal leaves no version and no mark', async () => {
      const s3 = await server.bucket();
      const blobs = await open(s3);
      const { address } = await blobs.put(bytes);
      await server.ask('DELETE', pathOf(s3, address));
      expect(await blobs.has(address)).toBe(false);
      await blobs.put(bytes);
      expect(await blobs.remove(address, { putBefore: inMs(HOUR_MS) })).toBe(true);
      expect(await versionsIn(s3)).toEqual([]);
    });

    test.each([
      ['plain', 'off', 'keeps versions'],
      ['versions', 'compliance', 'object lock'],
    ] as const)('a bucket (%s, %s) that cannot hold evidence stops the start', async (...row) => {
      const [how, objectLock, problem] = row;
      const s3 = { ...(await server.bucket(how)), objectLock };
      await expect(open(s3)).rejects.toMatchObject({
        message: expect.stringContaining(problem),
        name: 'StartRefusal',
      });
    });

    test('a bucket that is not there stops the start', async () => {
      const s3 = { ...(await server.bucket()), bucket: 'nobodys' };
      await expect(open(s3)).rejects.toThrow(/expected a bucket, got none of the name 'nobodys'/);
    });
  });

  test('a stream goes up in parts, comes back by ranges, and leaves no file', async () => {
    const s3 = await server.bucket();
    const blobs = await open(s3);
    const piece = new Uint8Array(1024 * 1024);
    async function* pieces() {
      for (let at = 0; at < 20; at++) yield piece.fill(at);
    }
    const put = await blobs.put(pieces());
    expect(put.bytes).toBe(20 * piece.length);
    expect(await readdir(spoolDirectory)).toEqual([]);
    const ranges = await blobs.openRanges(put.address);
    expect([...((await ranges?.read(piece.length * 3 - 1, 2)) ?? [])]).toEqual([2, 3]);
    let read = 0;
    for await (const part of (await blobs.open(put.address, put)) ?? []) read += part.length;
    expect(read).toBe(put.bytes);
    const uploads = await server.ask('GET', `/${s3.bucket}?uploads`);
    expect(uploads.text).not.toContain('<UploadId>');
  });

  test('keys are those of the folder, behind the prefix, and nothing else is listed', async () => {
    const s3 = await server.bucket();
    const blobs = await open(s3);
    const { address } = await blobs.put(bytes);
    expect((await server.ask('GET', pathOf(s3, address))).text).toBe('evidence');
    await server.ask('PUT', `/${s3.bucket}/${s3.prefix}sha256/notes.txt`, 'of somebody');
    await server.ask('PUT', `/${s3.bucket}/elsewhere/${address}`, 'of somebody');
    const listed: string[] = [];
    for await (const blob of blobs.list()) listed.push(blob.address);
    expect(listed).toEqual([address]);
  });

  test('a list goes on over pages', async () => {
    const s3 = await server.bucket();
    const blobs = await open(s3);
    for (let at = 0; at < 7; at++) await blobs.put(new Uint8Array([at]));
    const place = { ...s3, bucketUrl: `${s3.endpoint}/${s3.bucket}`, secretAccessKey: 'any' };
    const tools = { clock: systemClock, random: systemRandom, sleep: async () => {} };
    const keys = new Set<string>();
    for await (const { key } of objectsUnder(new S3Client(place, tools), s3.prefix, 3)) {
      keys.add(key);
    }
    expect(keys.size).toBe(7);
  });

  test('without a lock a note of the time stands in the object', async () => {
    const s3 = await server.bucket('versions');
    const retainUntil = (Math.ceil(inMs(TEN_YEARS_MS) / 1000) * 1000) as EpochMs;
    const { address } = await (await open(s3)).put(bytes, { retainUntil });
    const head = await server.ask('HEAD', pathOf(s3, address));
    expect(head.header('x-amz-meta-retain-until')).toBe(toTimestamp(retainUntil));
  });
});
