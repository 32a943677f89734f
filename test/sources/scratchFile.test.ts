/** Blocks that a reader lays down, in memory and on the disk. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScratchFile } from '../../src/sources/scratchFile.ts';

let parent = '';
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'scratch-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

const blockOf = (index: number): Buffer => Buffer.alloc(1_000 + index, index);

async function layDown(scratch: ScratchFile, count: number): Promise<void> {
  const blocks = [];
  for (let index = 0; index < count; index++) {
    blocks.push(scratch.keep(blockOf(index)));
    if (index % 3 === 0) await scratch.settle();
  }
  for (const [index, block] of blocks.entries()) {
    const bytes = await scratch.take(block);
    expect(bytes.equals(blockOf(index))).toBe(true);
    expect(bytes.byteOffset).toBe(0);
  }
}

test('few blocks never touch the disk', async () => {
  const folder = join(parent, 'folder');
  const scratch = new ScratchFile({ folder });
  await layDown(scratch, 20);
  expect(scratch.isOnDisk).toBe(false);
  expect(existsSync(folder)).toBe(false);
  await scratch.close();
});

test('without a folder no block touches the disk', async () => {
  const scratch = new ScratchFile({ keptBytesMax: 0 });
  await layDown(scratch, 20);
  expect(scratch.isOnDisk).toBe(false);
  await scratch.close();
});

test.each([0, 5_000])('beyond %i bytes they go to a file without a name', async (keptBytesMax) => {
  const folder = join(parent, 'folder');
  const scratch = new ScratchFile({ folder, keptBytesMax });
  await layDown(scratch, 20);
  expect(scratch.isOnDisk).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
  await scratch.close();
});

test('a disk that cannot be written to is told', async () => {
  const folder = join(parent, 'file');
  writeFileSync(folder, '');
  const scratch = new ScratchFile({ folder, keptBytesMax: 0 });
  scratch.keep(blockOf(1));
  await expect(scratch.settle()).rejects.toThrow(/EEXIST|ENOTDIR/);
  await scratch.close();
});
