/** Entry of the thread that reads entries of lists, with blobs of its own. */
import { workerData } from 'node:worker_threads';
import { DomainError } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { type EntryThreadOf, VersionEntries, type VersionText } from '#slices/lists';
import { openBlobStore } from '../../storage/index.ts';

export interface EntryTask {
  readonly what: 'entities' | 'facts';
  readonly version: VersionText;
  readonly ids: readonly string[];
}

export type EntryAnswer<Found> =
  | { readonly found: readonly (Found | undefined)[] }
  | { readonly code: string | undefined; readonly message: string };

const entries = openBlobStore({
  clock: systemClock,
  random: systemRandom,
  ...(workerData as EntryThreadOf),
}).then((blobs) => new VersionEntries({ blobs }));

/** Called by Piscina. */
export async function readEntries({
  ids,
  version,
  what,
}: EntryTask): Promise<EntryAnswer<unknown>> {
  try {
    const all = await entries;
    return { found: await all[what](version, ids) };
  } catch (error) {
    const code = error instanceof DomainError ? error.code : undefined;
    return { code, message: error instanceof Error ? error.message : String(error) };
  }
}
