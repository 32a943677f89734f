/** What works on batches, in a worker. */
import { join } from 'node:path';
import {
  type Batch,
  type BatchReports,
  type BatchWorkPorts,
  type ChunkThreads,
  PinnedLists,
  pinLists,
  readFindings,
  retainedUntil,
  type ScreenedBatch,
} from '#domain/aml';
import { buildSnapshotAside, IndexShelf, type LoadedIndex, type SharedIndexes } from '#engine';
import countries from '../../config/tables/countries.json' with { type: 'json' };
import { ChunkPool } from '../workers/chunkThreads.ts';
import type { Installation } from './installation.ts';

/** Screenings on the same machine come first; the process itself is niced already. */
const CHUNK_NICE_INCREMENT = 9;

export interface BatchParts {
  readonly ports: BatchWorkPorts<LoadedIndex>;
  close(): Promise<void>;
}

/** What works on batches. Threads start with the first one: most workers never see any. */
export function openBatches(installation: Installation): BatchParts {
  const { audit, blobs, clock, config, random, signer, storage } = installation;
  const screeners = new ChunkScreeners(config.batchThreads);
  const indexes = new PinnedLists<LoadedIndex>({
    allocate: (bytes) => screeners.shelf.allocate(bytes),
    blobs,
    buildSnapshot: buildSnapshotAside,
    lists: storage.lists,
    load: (base, overlay) => screeners.shelf.loadInSteps(base, overlay),
    signer,
  });
  return {
    close: async () => {
      indexes.close();
      await screeners.close();
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
      threads: screeners,
      writeReports: (batch, signal) => writeReportsOf(installation, batch, signal),
    },
  };
}

/** The indexes of batches, and the threads that screen against them. */
class ChunkScreeners implements ChunkThreads<LoadedIndex> {
  readonly atOnce: number;
  readonly shelf: IndexShelf;
  #pool: ChunkPool<LoadedIndex, unknown, SharedIndexes['inUse'][number]> | undefined;

  constructor(threads: number) {
    this.atOnce = threads;
    this.shelf = new IndexShelf({ onUnused: () => void this.#pool?.forget(), slots: threads });
  }

  screen(...ask: Parameters<ChunkThreads<LoadedIndex>['screen']>) {
    this.#pool ??= new ChunkPool({
      niceIncrement: CHUNK_NICE_INCREMENT,
      shelf: this.shelf,
      threads: this.atOnce,
      threadUrl: new URL('./chunkThread.ts', import.meta.url),
    });
    return this.#pool.screen(...ask);
  }

  async close(): Promise<void> {
    await this.#pool?.close();
    this.#pool = undefined;
  }
}

async function writeReportsOf(
  installation: Installation,
  batch: Batch,
  signal?: AbortSignal,
): Promise<BatchReports> {
  // Fonts and workbooks: loaded by the first batch that ends here.
  const { writeReports } = await import('../reports/index.ts');
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
