/** The folder of blobs: the contract, and what only a folder has: modes, halves, damage. */
import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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
  const bytes = new TextEncoder().encode('evidence');

  test('a blob is read-only and lies under the first two digits of its address', async () => {
    const { address } = await (await openFolderBlobStore({ directory })).put(bytes);
    expect((await stat(pathOf(address))).mode & 0o777).toBe(0o444);
    expect(await readFile(pathOf(address))).toEqual(Buffer.from(bytes));
    expect(await readdir(join(directory, 'tmp'))).toEqual([]);
  });

  test('a flipped or a cut byte is found on reading, never handed out', async () => {
    const blobs = await openFolderBlobStore({ directory });
    const { address } = await blobs.put(bytes);
    await chmod(pathOf(address), 0o644);
    await writeFile(pathOf(address), 'evidencf');
    await expect(blobs.get(address)).rejects.toMatchObject({ code: 'list-damaged' });
    await expect(blobs.getShared(address)).rejects.toMatchObject({ code: 'list-damaged' });
    await truncate(pathOf(address), 3);
    await expect(blobs.get(address)).rejects.toMatchObject({ code: 'list-damaged' });
  });

  test('putting the bytes again mends a file that was cut', async () => {
    const blobs = await openFolderBlobStore({ directory });
    const { address } = await blobs.put(bytes);
    await chmod(pathOf(address), 0o644);
    await truncate(pathOf(address), 3);
    await blobs.put(bytes);
    expect(await blobs.get(address)).toEqual(bytes);
  });

  test('opening removes what a dead process left, and not what a live one writes', async () => {
    await openFolderBlobStore({ directory });
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const temporary = (name: string) => join(directory, 'tmp', name);
    await writeFile(temporary(`${dead}-1.tmp`), 'half');
    await writeFile(temporary(`${process.pid}-999999.tmp`), 'of an earlier life');
    await writeFile(temporary(`${process.ppid}-1.tmp`), 'still being written');
    await openFolderBlobStore({ directory });
    expect(await readdir(join(directory, 'tmp'))).toEqual([`${process.ppid}-1.tmp`]);
  });

  test('a process killed while writing leaves no blob, and no half after opening', async () => {
    const script = fileURLToPath(new URL('./dieWriting.ts', import.meta.url));
    const child = spawnSync(process.execPath, [script, directory]);
    expect(child.signal).toBe('SIGKILL');
    expect(await readdir(join(directory, 'tmp'))).toHaveLength(1);
    await openFolderBlobStore({ directory });
    expect(await readdir(join(directory, 'tmp'))).toEqual([]);
    expect(await readdir(join(directory, 'sha256'))).toEqual([]);
  });
});
