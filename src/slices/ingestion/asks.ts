/** Questions of ingestion to other parts: the engine, publishers' files, and the resolution. */
import { adapter, port } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Config } from '#platform/config';
import type { Random } from '#platform/random';
import type { Cadences } from './cadences.ts';
import type { ExecuteRunPorts } from './executeRun.ts';
import type { CarriedOver, ImportPorts } from './importPorts.ts';
import type { ListFetcher } from './listFetch.ts';
import type { RebuildPorts } from './rebuildIndexes.ts';

/** Work of the engine for an import. */
export interface IndexTools
  extends Pick<ImportPorts, 'buildSnapshot' | 'inspectSnapshot'>,
    Required<Pick<ImportPorts, 'buildOverlay'>>,
    Pick<RebuildPorts, 'isLaterFormat'> {}

/** How lists are fetched and read. */
export interface ListSources extends Pick<ExecuteRunPorts, 'bundleReader' | 'readerOf'> {
  readonly fetcher: ListFetcher & { close(): Promise<void> };
}

export const indexTools = adapter<() => Promise<IndexTools>>();

/** Rejects with ConfigError where a file that the environment names cannot be read. */
export const listSources =
  adapter<
    (of: {
      readonly clock: Clock;
      readonly config: Config;
      readonly random: Random;
    }) => Promise<ListSources>
  >();

/** Which entries of a new version stand on other lists, too (ImportPorts). Unanswered: unknown. */
export type CarryOver = (
  of: Parameters<NonNullable<ImportPorts['carryOver']>>[0],
) => Promise<CarriedOver | undefined>;
export const carryOver = port<CarryOver>(() => async () => undefined);

/** Fires that tenants have added to the schedules of lists. Unanswered: there are none. */
export const cadences = port<() => Promise<Cadences>>(() => async () => ({}));
