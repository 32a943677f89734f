/** The folder of blobs: the contract, and what only a folder has: modes, halves, damage. */
import { spawnSync } from 'node:child_process';
import {
  chmod,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { openFolderBlobStore } from '../../../src/storage/index.ts';
import { blobStoreContract } from '../contract/blobStore.ts';

blobStoreContract('folder', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'blobs-'));
  return {
    open: () => openFolderBlobStore({ directory }),
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
});

describe('folder of blobs', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'blobs-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const pathOf = (address: string) =>
    join(directory, 'sha256', address.slice(0, 2), address.slice(2));
  const makeOld = async (path: string) => {
    const before = new Date(Date.now() - 2 * 60 * 60_000);
    await utimes(path, before, before);
  };
  const bytes = new TextEncoder().encode('evidence');

  test('a blob is read-only and lies under the first two digits of its address', async () => {
    const { address } = await (await openFolderBlobStore({ directory })).put(bytes);
    expect((await stat(pathOf(address))).mode & 0o777).toBe(0o444);
    expect(await readFile(pathOf(address))).toEqual(Buffer.from(bytes));
    expect(await readdir(join(directory, 'tmp'))).toEqual([]);
  });

  test('a flipped or a cut byte is found on reading, never handed out', async () => {
    const blobs = await openFolderBlobStore({ directory });
    const put = await blobs.put(bytes);
    const { address } = put;
    const readBack = async () => {
      for await (const _ of (await blobs.open(address, put)) ?? []);
    };
    await chmod(pathOf(address), 0o644);
    await writeFile(pathOf(address), 'evidencf');
    await expect(readBack()).rejects.toMatchObject({ code: 'blob-damaged' });
    await expect(blobs.get(address)).rejects.toMatchObject({ code: 'blob-damaged' });
    await expect(blobs.getShared(address)).rejects.toMatchObject({ code: 'blob-damaged' });
    await expect(blobs.get(address, put.seal)).rejects.toMatchObject({ code: 'blob-damaged' });
    await truncate(pathOf(address), 3);
    await expect(readBack()).rejects.toMatchObject({ code: 'blob-damaged' });
    await expect(blobs.get(address)).rejects.toMatchObject({ code: 'blob-damaged' });
  });

  test('putting the bytes again mends a file that was cut or flipped', async () => {
    const blobs = await openFolderBlobStore({ directory });
    const { address } = await blobs.put(bytes);
    await chmod(pathOf(address), 0o644);
    await truncate(pathOf(address), 3);
    await blobs.put(bytes);
    expect(await blobs.get(address)).toEqual(bytes);
    await chmod(pathOf(address), 0o644);
    await writeFile(pathOf(address), 'evidencf');
    await blobs.put(bytes);
    expect(await blobs.get(address)).toEqual(bytes);
  });

  test('opening removes what nobody has written to for an hour, and nothing younger', async () => {
    await openFolderBlobStore({ directory });
    const temporary = (name: string) => join(directory, 'tmp', name);
    await writeFile(temporary('old.tmp'), 'half');
    await makeOld(temporary('old.tmp'));
    // Another container's process may have our number, and be in the middle of it.
    await writeFile(temporary(`${process.pid}-1.tmp`), 'still being written');
    const blobs = await openFolderBlobStore({ directory });
    expect(await readdir(join(directory, 'tmp'))).toEqual([`${process.pid}-1.tmp`]);
    // In a store that stays open for weeks, by whoever clears up.
    await makeOld(temporary(`${process.pid}-1.tmp`));
    for await (const _ of blobs.list());
    expect(await readdir(join(directory, 'tmp'))).toEqual([]);
  });

  test('a retention ends at its time, the latest that was asked for', async () => {
    const start = Date.now() as EpochMs;
    let now = start;
    const clock = { monotonicMs: () => 0, now: () => now };
    const blobs = await openFolderBlobStore({ clock, directory });
    const until = (ms: number) => ({ retainUntil: (start + ms) as EpochMs });
    const { address } = await blobs.put(bytes, until(2_000));
    await blobs.put(bytes, until(5_000));
    await blobs.put(bytes, until(1_000));
    const remove = () => blobs.remove(address, { putBefore: (start + 60_000) as EpochMs });
    now = (start + 4_999) as EpochMs;
    expect(await remove()).toBe(false);
    now = (start + 5_000) as EpochMs;
    expect(await remove()).toBe(true);
    expect(await readdir(join(directory, 'sha256', address.slice(0, 2)))).toEqual([]);
  });

  test('an opening in the middle of a write leaves the write alone', async () => {
    const blobs = await openFolderBlobStore({ directory });
    async function* interrupted() {
      yield bytes.subarray(0, 3);
      await openFolderBlobStore({ directory });
      yield bytes.subarray(3);
    }
    const { address } = await blobs.put(interrupted());
    expect(await blobs.get(address)).toEqual(bytes);
  });

  test('a process killed while writing leaves no blob, and no half after opening', async () => {
    const script = fileURLToPath(new URL('./dieWriting.ts', import.meta.url));
    const child = spawnSync(process.execPath, [script, directory]);
    expect(child.signal).toBe('SIGKILL');
    const [half, ...others] = await readdir(join(directory, 'tmp'));
    expect(others).toEqual([]);
    await makeOld(join(directory, 'tmp', half ?? ''));
    await openFolderBlobStore({ directory });
    expect(await readdir(join(directory, 'tmp'))).toEqual([]);
    expect(await readdir(join(directory, 'sha256'))).toEqual([]);
  });
});
