/**
 * Removes blobs that no record names, and files that a dead process left in the spool folder.
 *
 * A blob is put before a record names it, so an unnamed blob may be about to be named. Only blobs
 * without a put for a day, longer than any run, are therefore removed. The store settles a put and
 * a removal at the same time.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, EpochMs } from '#platform/clock';
import { DigestSet } from '#platform/digestSet';
import type { BlobStore } from './ports.ts';

/** Age in milliseconds from which an unnamed blob or a spool file is removed: a day. */
export const ORPHAN_AGE_MS = 24 * 3_600_000;

/** What the sweep needs. */
export interface SweepPorts {
  readonly blobs: Pick<BlobStore, 'list' | 'remove'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Addresses of all blobs that are kept (namedBlobs.ts). */
  readonly named: AsyncIterable<string>;
  readonly spoolDirectory: string;
}

/** How much was removed. */
export interface SweepResult {
  readonly removedBlobs: number;
  readonly removedBytes: number;
  readonly removedSpools: number;
}

/**
 * Removes blobs that are not named and were put more than ORPHAN_AGE_MS ago, and spool files as
 * old. Safe beside runs and beside itself.
 */
export async function sweepBlobs({
  blobs,
  clock,
  named,
  spoolDirectory,
}: SweepPorts): Promise<SweepResult> {
  const putBefore = (clock.now() - ORPHAN_AGE_MS) as EpochMs;
  const kept = new DigestSet();
  for await (const address of named) kept.add(address);
  let removedBlobs = 0;
  let removedBytes = 0;
  for await (const { address, bytes, putAt } of blobs.list()) {
    if (kept.has(address) || putAt >= putBefore) continue;
    if (!(await blobs.remove(address, { putBefore }))) continue;
    removedBlobs++;
    removedBytes += bytes;
  }
  const removedSpools = await removeOldSpools(spoolDirectory, putBefore);
  return { removedBlobs, removedBytes, removedSpools };
}

/**
 * Removes the folder's files that were last written before this instant; returns how many. A
 * missing folder counts as empty.
 */
async function removeOldSpools(folder: string, writtenBefore: EpochMs): Promise<number> {
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
