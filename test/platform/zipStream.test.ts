/** The archive as others read it: Python's zipfile where it is, and its bytes by APPNOTE. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ZipEntry, zipped } from '../../src/platform/zipStream.ts';

async function bytesOf(entries: readonly ZipEntry[]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of zipped(entries)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const ENTRIES: readonly ZipEntry[] = [
  { content: ['Grüße, ', 'مرحبا'], path: 'a/one.txt' },
  { content: [], path: 'empty.txt' },
  { content: Array.from({ length: 500 }, (_, at) => `line ${at} `.repeat(100)), path: 'long.txt' },
];

const hasPython = spawnSync('python3', ['-c', 'import zipfile']).status === 0;
if (!hasPython) console.warn('SKIPPED: python3 is not there to read archives with');

test.skipIf(!hasPython)('another reader finds every entry whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'zip-'));
  try {
    const file = join(folder, 'a.zip');
    writeFileSync(file, await bytesOf(ENTRIES));
    const script =
      'import sys,zipfile,json; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; ' +
      'print(json.dumps({i.filename: [i.date_time, z.read(i).decode()] for i in z.infolist()}))';
    const { stderr, stdout } = spawnSync('python3', ['-c', script, file], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const read = JSON.parse(stdout) as Record<string, [number[], string]>;
    for (const { content, path } of ENTRIES) {
      expect(read[path]?.[1]).toBe([...(content as string[])].join(''));
      expect(read[path]?.[0]).toEqual([1980, 1, 1, 0, 0, 0]);
    }
  } finally {
    rmSync(folder, { force: true, recursive: true });
  }
});

test('the same entries give the same bytes, in any time zone', async () => {
  const before = process.env.TZ;
  const one = await bytesOf(ENTRIES);
  process.env.TZ = 'Pacific/Auckland';
  const other = await bytesOf(ENTRIES);
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
  expect(one.equals(other)).toBe(true);
});

test('an archive of nothing is one', async () => {
  expect((await bytesOf([])).toString('latin1').startsWith('PK\x05\x06')).toBe(true);
});

test('who writes waits for who reads', async () => {
  let written = 0;
  async function* endless() {
    for (;;) {
      written += 1;
      yield `${written} `.repeat(20_000);
    }
  }
  for await (const piece of zipped([{ content: endless(), path: 'a' }])) {
    if (piece.length > 1_000) break;
  }
  expect(written).toBeLessThan(100);
});
