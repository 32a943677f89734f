/** What works on batches, in a worker. */
import { join } from 'node:path';
import { buildSnapshotAside, IndexShelf, type LoadedIndex, type SharedIndexes } from '#engine';
import {
  type Batch,
  type BatchReports,
  type BatchWorkPorts,
  PinnedLists,
  pinLists,
  readFindings,
  retainedUntil,
  type ScreenedBatch,
} from '#slices/batches';
import countries from '../../../config/tables/countries.json' with { type: 'json' };
import type { Installation } from '../installation.ts';
import { ChunkPool } from './chunkPool.ts';

/** Screenings on the same machine come first; the process itself is niced already. */
const CHUNK_NICE_INCREMENT = 9;

export interface BatchParts {
  readonly ports: BatchWorkPorts<LoadedIndex>;
  close(): Promise<void>;
}

export function openBatches(installation: Installation): BatchParts {
  const { audit, blobs, clock, config, random, signer, storage } = installation;
  const shelf = new IndexShelf({
    onUnused: () => threads.forget(),
    slots: config.batchThreads,
  });
  const threads = new ChunkPool<LoadedIndex, SharedIndexes['inUse'][number]>({
    niceIncrement: CHUNK_NICE_INCREMENT,
    shelf,
    threads: config.batchThreads,
    threadUrl: new URL('./chunkThread.ts', import.meta.url),
  });
  const indexes = new PinnedLists<LoadedIndex>({
    allocate: (bytes) => shelf.allocate(bytes),
    blobs,
    buildSnapshot: buildSnapshotAside,
    lists: storage.lists,
    load: (base, overlay) => shelf.loadInSteps(base, overlay),
    signer,
  });
  return {
    close: async () => {
      indexes.close();
      await threads.close();
    },
    ports: {
      batches: storage.batches,
      blobs,
      clock,
      commit: (chainId, commit) => audit.commit(chainId, commit),
      countries,
      indexes,
      pinLists: (batch) => pinLists({ batches: storage.batches, lists: storage.lists }, batch),
      random,
      spoolDirectory: join(config.dataDir, 'spool'),
      threads,
      writeReports: (batch, signal) => writeReportsOf(installation, batch, signal),
    },
  };
}

async function writeReportsOf(
  installation: Installation,
  batch: Batch,
  signal?: AbortSignal,
): Promise<BatchReports> {
  // Fonts and workbooks: loaded by the first batch that ends here.
  const { writeReports } = await import('../../reports/index.ts');
  const { blobs, signer, storage } = installation;
  const tenant = await storage.identity.findTenant(batch.tenantId);
  const screened = batch as ScreenedBatch;
  const retainUntil = retainedUntil(screened.completedAt);
  return writeReports(
    { put: (bytes) => blobs.put(bytes, { retainUntil }), signer },
    {
      batch: screened,
      chunks: () => readFindings({ batches: storage.batches, blobs }, batch, signal),
      tenantName: tenant?.name ?? batch.tenantId,
    },
  );
}
