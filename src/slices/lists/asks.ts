/** What lists ask of others: the thread that reads entries, which stands beside the slices. */
import { adapter } from '#core/kernel';
import type { Config } from '#platform/config';
import type { ListEntity } from './entity.ts';
import type { EntryFacts } from './entryFacts.ts';
import type { EntryHistory, HistoryAsk } from './entryHistory.ts';
import type { VersionText } from './versionEntries.ts';

/**
 * Entries of versions, read in a thread of its own, which starts with the first call. Rejects as
 * VersionEntries does.
 */
export interface EntryThread {
  facts(version: VersionText, ids: readonly string[]): Promise<readonly (EntryFacts | undefined)[]>;
  entities(
    version: VersionText,
    ids: readonly string[],
  ): Promise<readonly (ListEntity | undefined)[]>;
  history(ask: HistoryAsk): Promise<EntryHistory>;
  /** Makes the table of a version that will be asked for, if the thread is there already. */
  prepare(version: VersionText): void;
  close(): Promise<void>;
}

/** Where the thread finds the blobs. */
export type EntryThreadOf = Pick<Config, 'dataDir' | 's3'>;

export const entryThread = adapter<(of: EntryThreadOf) => Promise<EntryThread>>();
