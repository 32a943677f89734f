/** A folder of this machine as the place of deposits: another program carries on from there. */
import { open, rename, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { DepositChannel } from './deposit.ts';

/** Renaming would replace a file of that name, so it is looked for before. */
export function folderChannel(folder: string): DepositChannel {
  const at = (name: string): string => join(folder, name);
  const sizeOf = async (name: string): Promise<number | undefined> => {
    try {
      return (await stat(at(name))).size;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  };
  return {
    label: `file://${resolve(folder)}`,
    async rename(from, to) {
      if ((await sizeOf(to)) !== undefined) throw new Error(`${to} is there`);
      await rename(at(from), at(to));
      await syncFolder(folder);
    },
    sizeOf,
    async write(name, pieces) {
      const file = await open(at(name), 'w', 0o600);
      try {
        for await (const piece of pieces) await file.writeFile(piece);
        await file.sync();
      } finally {
        await file.close();
      }
    },
  };
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync();
  await handle.close();
}
