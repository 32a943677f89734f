/** Entry of the thread that reads entries of lists, with blobs of its own. */
import { workerData } from 'node:worker_threads';
import { DomainError } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import {
  countCategories,
  type EntryThreadOf,
  entryHistory,
  type HistoryAsk,
  VersionEntries,
  type VersionText,
} from '#slices/lists';
import { openBlobStore } from '../../storage/index.ts';

export type EntryTask =
  | {
      readonly what: 'entities' | 'facts' | 'lines';
      readonly version: VersionText;
      readonly ids: readonly string[];
    }
  | { readonly what: 'categories'; readonly version: VersionText }
  | { readonly what: 'history'; readonly ask: HistoryAsk };

export type EntryAnswer =
  | { readonly found: unknown }
  | { readonly code: string | undefined; readonly message: string };

const opened = openBlobStore({
  clock: systemClock,
  random: systemRandom,
  ...(workerData as EntryThreadOf),
}).then((blobs) => ({ blobs, entries: new VersionEntries({ blobs }) }));

/** Called by Piscina. */
export async function readEntries(task: EntryTask): Promise<EntryAnswer> {
  try {
    const { blobs, entries } = await opened;
    if (task.what === 'categories') return { found: await countCategories(task.version, blobs) };
    if (task.what === 'history') return { found: await entryHistory(blobs, entries, task.ask) };
    if (task.what === 'lines') {
      const lines = await entries.lines(task.version, task.ids);
      // A line may be part of a longer text, all of which would be copied.
      return { found: lines.map((line) => line && Uint8Array.from(line)) };
    }
    return { found: await entries[task.what](task.version, task.ids) };
  } catch (error) {
    const code = error instanceof DomainError ? error.code : undefined;
    return { code, message: error instanceof Error ? error.message : String(error) };
  }
}
