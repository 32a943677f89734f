/**
 * Removes blobs that no record names, and what a dead process left in the spool folder.
 *
 * Whoever puts a blob names it last, so a blob that no record names may be one that is about to be
 * named: only those go that nobody has put for a day, longer than any run. A put and a removal at
 * the same time are told apart by the store.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { EpochMs } from '#platform/clock';
import type { DigestSet } from '#platform/digestSet';
import type { BlobStore } from './ports.ts';

export const ORPHAN_AGE_MS = 24 * 3_600_000;

/** Removes what is not named and was put before; answers how much went. */
export async function sweepBlobs(
  blobs: Pick<BlobStore, 'list' | 'remove'>,
  { named, putBefore }: { readonly named: DigestSet; readonly putBefore: EpochMs },
): Promise<{ readonly removedBlobs: number; readonly removedBytes: number }> {
  let removedBlobs = 0;
  let removedBytes = 0;
  for await (const { address, bytes, putAt } of blobs.list()) {
    if (named.has(address) || putAt >= putBefore) continue;
    if (!(await blobs.remove(address, { putBefore }))) continue;
    removedBlobs++;
    removedBytes += bytes;
  }
  return { removedBlobs, removedBytes };
}

/** Removes the files of the folder that were written before; answers how many went. */
export async function removeOldSpools(folder: string, writtenBefore: EpochMs): Promise<number> {
  let removed = 0;
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(unlessMissing);
    if (!found?.isFile() || found.mtimeMs >= writtenBefore) continue;
    await rm(path, { force: true });
    removed++;
  }
  return removed;
}

const namesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder).catch(unlessMissing)) ?? [];

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
