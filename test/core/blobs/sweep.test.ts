/** What is swept, and above all what is not. */
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { namedBlobs, ORPHAN_AGE_MS, sweepBlobs } from '#core/blobs';
import { table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { openFolderBlobStore } from '../../../src/storage/index.ts';
import { createModelTables } from '../../storage/modelTables.ts';

const HOUR = 3_600_000;
const bytesOf = (text: string) => new TextEncoder().encode(text);

interface Paper {
  readonly paperId: string;
  readonly scans: readonly string[];
  readonly version: number;
}
const papers = table<Paper, 'paperId'>('paper', {
  key: ['paperId'],
  chain: 'any',
  blobs: ({ scans }) => scans,
  personal: 'none',
});
const notes = table<Omit<Paper, 'scans'>, 'paperId'>('note', {
  key: ['paperId'],
  chain: 'any',
  personal: 'none',
});
const DECLARED = [notes, papers];

describe('a sweep of blobs', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sweep-'));
  });
  afterEach(() => rm(directory, { force: true, recursive: true }));

  async function setUp(paperCount: number) {
    const blobs = await openFolderBlobStore({ directory: join(directory, 'blobs') });
    const spoolDirectory = join(directory, 'spool');
    const put = async (text: string) => (await blobs.put(bytesOf(text))).address;
    const orphan = await put('a run that died');
    const model = createModelTables(DECLARED);
    const named: string[] = [];
    for (let at = 0; at < paperCount; at++) {
      const scans = [await put(`front ${at % 7}`), await put(`back ${at % 7}`)];
      named.push(...scans);
      model.seed(papers, { paperId: `${at}`, scans, version: 1 });
      model.seed(notes, { paperId: `${at}`, version: 1 });
    }
    const ask = (afterMs: number) => ({
      blobs,
      clock: { now: () => (Date.now() + afterMs) as EpochMs },
      named: namedBlobs(model.tables, DECLARED),
      spoolDirectory,
    });
    return { ask, blobs, named, orphan, put, spoolDirectory };
  }

  test('what any record names stays, however old; what none names goes after a day', async () => {
    // More than a page of them.
    const { ask, blobs, named, orphan } = await setUp(1_001);
    expect(await sweepBlobs(ask(ORPHAN_AGE_MS - HOUR))).toMatchObject({ removedBlobs: 0 });
    const result = await sweepBlobs(ask(400 * 24 * HOUR));
    expect(result).toEqual({ removedBlobs: 1, removedBytes: 15, removedSpools: 0 });
    expect(await blobs.has(orphan)).toBe(false);
    for (const address of new Set(named)) expect(await blobs.has(address)).toBe(true);
  });

  test('a blob that is put again while it is swept stays', async () => {
    const { ask, blobs, orphan, put } = await setUp(0);
    const path = join(directory, 'blobs', 'sha256', orphan.slice(0, 2), orphan.slice(2));
    const old = new Date(Date.now() - 2 * ORPHAN_AGE_MS);
    await utimes(path, old, old);
    const remove: typeof blobs.remove = async (address, options) => {
      await put('a run that died');
      return blobs.remove(address, options);
    };
    const result = await sweepBlobs({ ...ask(0), blobs: { ...blobs, remove } });
    expect(result.removedBlobs).toBe(0);
    expect(await blobs.has(orphan)).toBe(true);
  });

  test('spools of a process that died go after a day', async () => {
    const { ask, spoolDirectory } = await setUp(1);
    await mkdir(spoolDirectory);
    await writeFile(join(spoolDirectory, 'old.tmp'), 'x');
    await writeFile(join(spoolDirectory, 'new.tmp'), 'x');
    const old = new Date(Date.now() - 2 * ORPHAN_AGE_MS);
    await utimes(join(spoolDirectory, 'old.tmp'), old, old);
    expect((await sweepBlobs(ask(0))).removedSpools).toBe(1);
    expect(await readdir(spoolDirectory)).toContain('new.tmp');
  });
});
