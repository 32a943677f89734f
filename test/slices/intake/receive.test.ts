/** What is uploaded becomes a blob whole, or leaves nothing behind. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { receiveCsv, receiveJson } from '#slices/intake';
import countries from '../../../config/tables/countries.json' with { type: 'json' };
import { openFolderBlobStore } from '../../../src/storage/index.ts';
import { inChunks } from '../batches/chunks.ts';

const ROWS = Array.from({ length: 5000 }, (_, at) => `C-${at},Name ${at}\n`);
const CSV = `external_id,full_name\n${ROWS.join('')}`;
const GZIP = gzipSync(CSV);

let directory: string;
let blobs: BlobStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'receive-'));
  blobs = await openFolderBlobStore({ directory });
});
afterEach(() => rm(directory, { force: true, recursive: true }));

const filesLeft = async () =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

async function refused(work: Promise<unknown>): Promise<{ code: string; detail: string }> {
  const error = await work.then(
    () => new Error('taken'),
    (thrown: unknown) => thrown,
  );
  expect(await filesLeft()).toEqual([]);
  if (error instanceof DomainError) return { code: error.code, detail: error.message };
  throw error;
}

const csv = (bytes: AsyncIterable<Uint8Array>, options = {}) =>
  receiveCsv(bytes, { blobs, ...options });

describe('a file', () => {
  test.each([
    ['plain', Buffer.from(CSV), 'none'],
    ['gzip', GZIP, 'gzip'],
    [
      'gzip of several members',
      Buffer.concat([gzipSync(CSV.slice(0, 70)), gzipSync(CSV.slice(70))]),
      'gzip',
    ],
  ])('%s: kept as it was sent, digested, its rows counted', async (_, sent, packing) => {
    for (const chunkBytes of [sent.length, 1000, 13]) {
      const received = await csv(inChunks(sent, chunkBytes));
      expect(received).toEqual({
        address: createHash('sha256').update(sent).digest('hex'),
        bytes: sent.length,
        columns: ['external_id', 'full_name'],
        packing,
        rows: 5000,
      });
      expect(await blobs.get(received.address)).toEqual(new Uint8Array(sent));
    }
  });

  const flipped = (at: number) => {
    const bytes = Buffer.from(GZIP);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  };
  test.each([
    ['cut inside', GZIP.subarray(0, 1000)],
    ['cut in its trailer', GZIP.subarray(0, GZIP.length - 3)],
    ['with another checksum', flipped(GZIP.length - 8)],
    ['with another length', flipped(GZIP.length - 2)],
    ['with another byte inside', flipped(GZIP.length >> 1)],
    ['followed by text', Buffer.concat([GZIP, Buffer.from('C-1,Ali\n')])],
    ['followed by zeros', Buffer.concat([GZIP, Buffer.alloc(512)])],
    ['followed by half a member', Buffer.concat([GZIP, GZIP.subarray(0, 100)])],
    ['in gzip', gzipSync(GZIP)],
  ])('gzip %s is damaged', async (_, sent) => {
    for (const chunkBytes of [sent.length, 977]) {
      expect(await refused(csv(inChunks(sent, chunkBytes)))).toMatchObject({
        code: 'upload-damaged',
      });
    }
  });

  test('an archive or a workbook is refused by name', async () => {
    const { code, detail } = await refused(csv(inChunks('PK\u0003\u0004 anything')));
    expect([code, detail]).toEqual([
      'upload-damaged',
      'expected plain text or gzip; found a ZIP archive or an Excel workbook',
    ]);
  });

  test('a bomb ends early', async () => {
    const bomb = gzipSync(
      Buffer.concat([
        Buffer.from('external_id,full_name\n'),
        Buffer.alloc(128 << 20, `${'x'.repeat(500)}\n`),
      ]),
    );
    let sent = 0;
    async function* counted() {
      for await (const chunk of inChunks(bomb, 4096)) {
        sent += chunk.length;
        yield chunk;
      }
    }
    expect(await refused(csv(counted()))).toEqual({
      code: 'body-too-large',
      detail: 'gzip: expands more than 200 times',
    });
    expect(sent).toBeLessThan(bomb.length * 0.75);
    expect(await refused(csv(inChunks(GZIP), { bytesMax: 100 }))).toMatchObject({
      code: 'body-too-large',
    });
  });

  test('a wrong header, or a row too many, is told before the rest has come', async () => {
    let sent = 0;
    async function* endless(first: string) {
      yield Buffer.from(first);
      for (; sent < 1000; sent++) yield Buffer.from('C-1,Ali\n'.repeat(10_000));
    }
    expect(await refused(csv(endless('id;name\n')))).toMatchObject({ code: 'csv-invalid' });
    expect(sent).toBeLessThan(5);
    const many = csv(endless('external_id,full_name\n'), { rowsMax: 25_000 });
    expect(await refused(many)).toEqual({
      code: 'body-too-large',
      detail: 'line 25002: expected at most 25000 rows',
    });
    expect(sent).toBeLessThan(10);
  });

  test.each([
    ['plain', Buffer.from(CSV)],
    ['gzip', GZIP],
  ])('%s, left by its client at any byte, is nothing', async (_, sent) => {
    for (let at = 0; at < sent.length; at += Math.ceil(sent.length / 23)) {
      async function* left() {
        yield* inChunks(sent.subarray(0, at), 1500);
        throw new DomainError('body-aborted');
      }
      expect(await refused(csv(left()))).toMatchObject({ code: 'body-aborted' });
    }
  });

  test.each(['ENOSPC', 'EDQUOT'])(
    'a disk that is full (%s) is told, and reading stops',
    async (code) => {
      let taken = 0;
      const full = {
        put: async (bytes: Uint8Array | AsyncIterable<Uint8Array>) => {
          for await (const chunk of bytes) {
            taken += Number(chunk) === 0 ? 0 : 1;
            throw Object.assign(new Error(code), { code });
          }
          throw new Error('not reached');
        },
      };
      expect(await refused(receiveCsv(inChunks(GZIP, 100), { blobs: full }))).toMatchObject({
        code: 'storage-full',
      });
      expect(taken).toBe(1);
    },
  );
});

describe('JSON', () => {
  const json = (text: string | Uint8Array, options = {}) =>
    receiveJson(inChunks(text, 1000), { blobs, countries, ...options });
  const subjects = Array.from({ length: 3000 }, (_, at) => ({
    external_id: `C-${at}`,
    full_name: `Amal "${at}" Trabelsi \u{1d4b3}`,
  }));

  test('is kept as it was sent, its members answered and its subjects counted', async () => {
    const sent = JSON.stringify({ lists: ['UN'], mode: 'full', subjects, name: 'night' }, null, 1);
    const received = await json(sent);
    expect(received).toMatchObject({
      address: createHash('sha256').update(sent).digest('hex'),
      hasSubjects: true,
      rows: 3000,
    });
    expect([...received.members]).toEqual([
      ['lists', ['UN']],
      ['mode', 'full'],
      ['name', 'night'],
    ]);
  });

  test('tells every subject that does not have its shape', async () => {
    const sent = { subjects: [...subjects, { full_name: 'A', ssn: '1' }, 7, { external_id: 1 }] };
    const error = await json(JSON.stringify(sent)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'body-invalid' });
    expect((error as DomainError).violations.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['unknown-member', '/subjects/3000/ssn'],
      ['missing', '/subjects/3000/external_id'],
      ['type', '/subjects/3001'],
      ['type', '/subjects/3002/external_id'],
      ['missing', '/subjects/3002/full_name'],
    ]);
    expect(await filesLeft()).toEqual([]);
  });

  test('tells a hundred violations of a hundred thousand', async () => {
    const sent = JSON.stringify({ subjects: Array.from({ length: 100_000 }, () => 0) });
    const error = await json(sent).catch((thrown: unknown) => thrown);
    expect((error as DomainError).violations).toHaveLength(100);
  });

  test('a subject too many is refused by its place', async () => {
    const sent = JSON.stringify({ subjects });
    expect(await refused(json(sent, { rowsMax: 2999 }))).toEqual({
      code: 'body-too-large',
      detail: '/subjects/2999: expected at most 2999 subjects',
    });
  });
});
