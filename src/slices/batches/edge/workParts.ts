/** The parts for work on batches in a worker: stores, pinned lists, threads, writers of reports. */
import { join } from 'node:path';
import { identityStore } from '#core/identity';
import { mayProcess } from '#core/privacy';
import {
  type BatchReports,
  type BatchWorkPorts,
  batchStore,
  hitFactsOf,
  meteredThreads,
  PinnedLists,
  type PlacedBatch,
  pinLists,
  readFindings,
  retainedUntil,
  type ScreenedBatch,
  type SignedResults,
  signedResults,
} from '#slices/batches';
import { indexTools } from '#slices/ingestion';
import { factsOfProcess, signedVersions } from '#slices/lists';
import { resolvedListStore, signedResolutionStore } from '#slices/resolution';
import { exclusions } from '#slices/screening';
import countries from '../../../../config/tables/countries.json' with { type: 'json' };
import type { WorkerProcess } from '../../processes.ts';
import { chunkEngine, writeReports } from '../asks.ts';
import type { ReleasableIndex } from '../heldIndexes.ts';

/** One for the process; its threads end with it. */
export const workPartsOf = (process: WorkerProcess): Promise<BatchWorkPorts<ReleasableIndex>> =>
  process.once(openWork);

async function openWork(process: WorkerProcess): Promise<BatchWorkPorts<ReleasableIndex>> {
  const { blobs, clock, commit, config, keyRing, metrics, random, signer, storage } = process;
  const { tables } = storage;
  const batches = batchStore(tables);
  const evidence = { audit: storage.audit, keyRing };
  const results = signedResults({ ...evidence, blobs });
  const signed = signedVersions(evidence);
  const stored = resolvedListStore(tables);
  const lists = { ...stored, ...signedResolutionStore(stored, evidence) };
  const engine = await process.need(chunkEngine)({ threads: config.batchThreads });
  const { buildSnapshot } = await process.need(indexTools)();
  const indexes = new PinnedLists<ReleasableIndex>({
    allocate: (bytes) => engine.allocate(bytes),
    blobs,
    buildSnapshot,
    lists,
    load: (base, overlay) => engine.loadInSteps(base, overlay),
    signed,
    signer,
  });
  process.onClose(async () => {
    indexes.close();
    await engine.close();
  });
  return {
    batches,
    blobs,
    clock,
    commit,
    countries,
    exclusions: process.ask(exclusions),
    indexes,
    mayProcess: process.ask(mayProcess),
    pinLists: (batch) => pinLists({ ...evidence, batches, lists, results, signed }, batch),
    random,
    results,
    signer,
    spoolDirectory: join(config.dataDir, 'spool'),
    tables,
    threads: meteredThreads(engine.threads, metrics, clock),
    writeReports: (batch, signal) => writeReportsOf(process, { batch, results, signal }),
  };
}

async function writeReportsOf(
  process: WorkerProcess,
  of: {
    readonly batch: PlacedBatch;
    readonly results: SignedResults;
    readonly signal: AbortSignal | undefined;
  },
): Promise<BatchReports> {
  const { batch, results, signal } = of;
  const { blobs, signer, storage } = process;
  const tenant = await identityStore(storage.tables).findTenant(batch.tenantId);
  const screened = batch as ScreenedBatch;
  const retainUntil = retainedUntil(screened.completedAt);
  return process.need(writeReports)(
    { put: (bytes) => blobs.put(bytes, { retainUntil }), signer },
    {
      batch: screened,
      chunks: () => readFindings({ batches: batchStore(storage.tables), results }, batch, signal),
      factsOf: hitFactsOf(factsOfProcess(process), screened),
      tenantName: tenant?.name ?? batch.tenantId,
    },
  );
}
