/** What is swept, and above all what is not. */
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ORPHAN_AGE_MS } from '#core/blobs';
import type { SourceId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { applyListRetention, type ListVersion } from '#slices/lists';
import { openFolderBlobStore } from '../../../src/storage/index.ts';

const HOUR = 3_600_000;
const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('retention of lists', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'retention-'));
  });
  afterEach(() => rm(directory, { force: true, recursive: true }));

  async function setUp(versionCount: number) {
    const blobs = await openFolderBlobStore({ directory: join(directory, 'blobs') });
    const spoolDirectory = join(directory, 'spool');
    const put = async (text: string) => (await blobs.put(bytesOf(text))).address;
    const orphan = await put('a run that died');
    const resolution = await put('which entries are one');
    const versions: ListVersion[] = [];
    for (let at = 0; at < versionCount; at++) {
      versions.push({
        // For a version that has no record of its own any more.
        bundleBase: { bundleBlob: await put(`base ${at}`), linesBlob: await put(`lines ${at}`) },
        bundleBlob: await put(`bundle ${at}`),
        changesBlob: await put(`changes ${at}`),
        linesBlob: await put(`own lines ${at}`),
        listVersion: `v2026-01-01.${at}`,
        overlayBlob: await put(`overlay ${at}`),
        snapshotBlob: await put(`snapshot ${at}`),
        sourceId: 'DEMO' as SourceId,
      } as ListVersion);
    }
    async function* alsoNamed() {
      yield resolution;
    }
    const ask = (after: number) => ({
      alsoNamed: alsoNamed(),
      blobs,
      clock: { now: () => (Date.now() + after) as EpochMs },
      lists: {
        listSources: async () => [{ sourceId: 'DEMO' as SourceId } as never],
        // Two a page, as a store with many versions would.
        listVersions: async ({ before }: { before?: string }) => {
          const from = versions.findIndex(({ listVersion }) => listVersion === before) + 1;
          return versions.slice(from, from + 2);
        },
      },
      spoolDirectory,
    });
    return { ask, blobs, orphan, put, resolution, versions };
  }

  test('what any version names stays, however old; what none names goes after a day', async () => {
    const { ask, blobs, orphan, resolution, versions } = await setUp(5);
    expect(await applyListRetention(ask(ORPHAN_AGE_MS - HOUR))).toMatchObject({ removedBlobs: 0 });
    const result = await applyListRetention(ask(400 * 24 * HOUR));
    expect(result).toEqual({ removedBlobs: 1, removedBytes: 15, removedSpools: 0, versions: 5 });
    expect(await blobs.has(orphan)).toBe(false);
    expect(await blobs.has(resolution)).toBe(true);
    for (const { bundleBase, changesBlob, linesBlob, overlayBlob, ...of } of versions) {
      const base = [bundleBase?.bundleBlob, bundleBase?.linesBlob];
      const own = [of.bundleBlob, changesBlob, linesBlob, overlayBlob, of.snapshotBlob];
      for (const address of [...own, ...base]) {
        expect(await blobs.has(address ?? '')).toBe(true);
      }
    }
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
    const result = await applyListRetention({ ...ask(0), blobs: { ...blobs, remove } });
    expect(result.removedBlobs).toBe(0);
    expect(await blobs.has(orphan)).toBe(true);
  });

  test("others' blobs stay where their addresses are given", async () => {
    const { ask, blobs, orphan } = await setUp(1);
    async function* alsoNamed() {
      yield orphan;
    }
    await applyListRetention({ ...ask(2 * ORPHAN_AGE_MS), alsoNamed: alsoNamed() });
    expect(await blobs.has(orphan)).toBe(true);
  });

  test('spools of a process that died go after a day', async () => {
    const { ask } = await setUp(1);
    const { spoolDirectory } = ask(0);
    await mkdir(spoolDirectory);
    await writeFile(join(spoolDirectory, 'old.tmp'), 'x');
    await writeFile(join(spoolDirectory, 'new.tmp'), 'x');
    const old = new Date(Date.now() - 2 * ORPHAN_AGE_MS);
    await utimes(join(spoolDirectory, 'old.tmp'), old, old);
    expect((await applyListRetention(ask(0))).removedSpools).toBe(1);
    expect(await readdir(spoolDirectory)).toContain('new.tmp');
  });
});
