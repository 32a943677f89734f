/** Entry of the thread that reads results of batches, with blobs of its own. */
import { workerData } from 'node:worker_threads';
import { DomainError } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { type ChunkRead, type ChunkTask, type ResultThreadOf, readChunk } from '#slices/batches';
import { openBlobStore } from '../../storage/index.ts';

export type ResultAnswer =
  | { readonly read: ChunkRead }
  | { readonly code: string | undefined; readonly message: string };

const { keyRing, ...place } = workerData as ResultThreadOf;
const opened = openBlobStore({ clock: systemClock, random: systemRandom, ...place });

/** Called by Piscina. */
export async function readResults(task: ChunkTask): Promise<ResultAnswer> {
  try {
    return { read: await readChunk({ blobs: await opened, keyRing }, task) };
  } catch (error) {
    const code = error instanceof DomainError ? error.code : undefined;
    return { code, message: error instanceof Error ? error.message : String(error) };
  }
}
