/** The parts for runs of lists: stores, the way to publishers, their readers, the engine. */
import { join } from 'node:path';
import type { Tables } from '#core/kernel';
import {
  type ExecuteRunPorts,
  type ImportPorts,
  type RunStore,
  runStore,
  signedSources,
} from '#slices/ingestion';
import { type ListStore, listStore, signedVersions } from '#slices/lists';
import type { Installation, SliceProcess } from '../../processes.ts';
import {
  type CarryOver,
  carryOver,
  type IndexTools,
  indexTools,
  type ListSources,
  listSources,
} from '../asks.ts';

export type RunParts = ExecuteRunPorts & {
  readonly isLaterFormat: IndexTools['isLaterFormat'];
  readonly lists: ListStore;
  readonly runs: RunStore;
  readonly tables: Tables;
};

interface Beside {
  readonly carryOver: CarryOver;
  readonly tools: IndexTools;
}

/** One set for the process; its connections are closed with it. */
export const runPartsOf = (process: SliceProcess): Promise<RunParts> => process.once(openRunParts);

async function openRunParts(process: SliceProcess): Promise<RunParts> {
  const tools = await process.need(indexTools)();
  const sources = await process.need(listSources)(process);
  process.onClose(() => sources.fetcher.close());
  return runParts(process, { carryOver: process.ask(carryOver), sources, tools });
}

/** The ports of a run. */
export function runParts(
  of: Installation,
  beside: Beside & { readonly sources: ListSources },
): RunParts {
  const { clock, random, storage, tracer } = of;
  const imports = importPorts(of, beside);
  return {
    ...beside.sources,
    clock,
    commit: imports.commit,
    imports,
    isLaterFormat: beside.tools.isLaterFormat,
    lists: listStore(storage.tables),
    random,
    runs: runStore(storage.tables),
    signed: signedSources({ audit: storage.audit, keyRing: of.keyRing }),
    tables: storage.tables,
    tracer,
  };
}

/** The ports of `importList`. */
export function importPorts(
  { audit, blobs, clock, config, keyRing, random, signer, storage }: Installation,
  { carryOver, tools }: Beside,
): ImportPorts {
  const { buildOverlay, buildSnapshot, inspectSnapshot } = tools;
  return {
    blobs,
    buildOverlay,
    buildSnapshot,
    carryOver,
    clock,
    commit: (chainId, commit) => audit.commit(chainId, commit),
    inspectSnapshot,
    lists: listStore(storage.tables),
    random,
    signed: signedVersions({ audit: storage.audit, keyRing }),
    signer,
    spoolDirectory: join(config.dataDir, 'spool'),
  };
}
