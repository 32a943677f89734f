/** What does runs of lists: stores, the way to publishers, their readers. */
import { join } from 'node:path';
import { buildOverlay, buildSnapshotAside, inspectIndex } from '#engine';
import type { ExecuteRunPorts, ImportPorts, RunStore } from '#slices/ingestion';
import { carryResolution } from '#slices/resolution';
import countries from '../../config/tables/countries.json' with { type: 'json' };
import { bundleReader, createListReaders, openListFetcher } from '../sources/index.ts';
import type { Storage } from '../storage/index.ts';
import type { Installation } from './installation.ts';

/** What `importList` needs, from an installation. */
export function importPorts(installation: Installation): ImportPorts {
  const { blobs } = installation;
  const { lists } = installation.storage;
  return {
    blobs,
    buildOverlay,
    buildSnapshot: buildSnapshotAside,
    carryOver: (of) => carryResolution({ blobs, lists }, of),
    clock: installation.clock,
    commit: (chainId, commit) => installation.audit.commit(chainId, commit),
    inspectSnapshot: inspectIndex,
    lists,
    random: installation.random,
    signer: installation.signer,
    spoolDirectory: join(installation.config.dataDir, 'spool'),
  };
}

/** What does runs: stores, the way to publishers, their readers. Close it after the last run. */
export type RunParts = ExecuteRunPorts & {
  readonly lists: Storage['lists'];
  readonly runs: RunStore;
  close(): Promise<void>;
};

export function openRuns(installation: Installation): RunParts {
  const { clock, config, random, storage } = installation;
  const imports = importPorts(installation);
  const fetcher = openListFetcher({ clock, config, random });
  const readers = createListReaders(countries);
  return {
    bundleReader,
    clock,
    close: () => fetcher.close(),
    commit: imports.commit,
    fetcher,
    imports,
    lists: storage.lists,
    random,
    readerOf: (sourceId) => readers.get(sourceId),
    runs: storage.runs,
  };
}
