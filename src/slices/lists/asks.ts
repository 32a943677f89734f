/** What lists ask of others: the thread that reads entries, which stands beside the slices. */
import { adapter } from '#core/kernel';
import type { Config } from '#platform/config';
import type { ListEntity } from './entity.ts';
import type { EntryFacts } from './entryFacts.ts';
import type { HistoryAsk, HistoryPiece } from './entryHistory.ts';
import type { VersionText } from './versionEntries.ts';

/** Who asks for entries, and for how long he waits. */
export interface EntryCaller {
  /** Whose turn it takes: a tenant. */
  readonly turn: string;
  /** Fires when the client goes away: what waits is then dropped. */
  readonly signal?: AbortSignal | undefined;
  /** Absent: as long as it takes. */
  readonly deadlineMs?: number;
}

/**
 * `answers`: facts beside an answer that waits for them alone, in a thread that does nothing else.
 * `pages`: all else, behind which no answer ever waits.
 */
export type EntryLane = 'answers' | 'pages';

/** Who asks for facts. */
export interface FactsCaller extends EntryCaller {
  readonly lane: EntryLane;
}

/**
 * Entries of versions, read in threads, each of which starts with the first call of its lane.
 * Callers take turns. Rejects as VersionEntries does, and with `deadline-exceeded`,
 * `engine-queue-full` or `body-aborted`.
 */
export interface EntryThread {
  facts(
    version: VersionText,
    ids: readonly string[],
    by: FactsCaller,
  ): Promise<readonly (EntryFacts | undefined)[]>;
  entities(
    version: VersionText,
    ids: readonly string[],
    by: EntryCaller,
  ): Promise<readonly (ListEntity | undefined)[]>;
  /** Texts of entries, for who takes them to another thread: they are copied, never parsed. */
  lines(
    version: VersionText,
    ids: readonly string[],
    by: EntryCaller,
  ): Promise<readonly (Uint8Array | undefined)[]>;
  /** A piece of a history, short enough for others to have their turn after it. */
  history(ask: HistoryAsk, by: EntryCaller): Promise<HistoryPiece>;
  /** Entities by category. Rejects as the others do. */
  categories(version: VersionText, by: EntryCaller): Promise<Readonly<Record<string, number>>>;
  /** Makes the table of a version that will be asked for, if the thread is there already. */
  prepare(version: VersionText): void;
  close(): Promise<void>;
}

/** Where the thread finds the blobs. */
export type EntryThreadOf = Pick<Config, 'dataDir' | 's3'>;

export const entryThread = adapter<(of: EntryThreadOf) => Promise<EntryThread>>();
