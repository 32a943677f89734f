/** What works on batches, in a worker. */
import { join } from 'node:path';
import {
  type Batch,
  type BatchReports,
  type BatchWorkPorts,
  PinnedLists,
  pinLists,
  readFindings,
  retainedUntil,
  type ScreenedBatch,
} from '#domain/aml';
import { buildSnapshotAside, createEngine, type Engine, type LoadedIndex } from '#engine';
import countries from '../../config/tables/countries.json' with { type: 'json' };
import type { Installation } from './installation.ts';
import { ENGINE_QUEUE_MAX } from './screening.ts';

export interface BatchParts {
  readonly ports: BatchWorkPorts<LoadedIndex>;
  close(): Promise<void>;
}

/** What works on batches. The engine starts with the first one: most workers never see any. */
export function openBatches(installation: Installation): BatchParts {
  const { audit, blobs, clock, config, random, signer, storage } = installation;
  let started: Engine | undefined;
  const engine = (): Engine => {
    started ??= createEngine({ queueMax: ENGINE_QUEUE_MAX, threads: config.engineThreads });
    return started;
  };
  const indexes = new PinnedLists<LoadedIndex>({
    allocate: (bytes) => engine().allocate(bytes),
    blobs,
    buildSnapshot: buildSnapshotAside,
    lists: storage.lists,
    load: (base, overlay) => engine().loadInSteps(base, overlay),
    signer,
  });
  return {
    close: async () => {
      indexes.close();
      await started?.close();
    },
    ports: {
      batches: storage.batches,
      blobs,
      clock,
      commit: (chainId, commit) => audit.commit(chainId, commit),
      countries,
      engine: {
        normalize: (query) => engine().normalize(query),
        screen: (call) => engine().screen(call),
      },
      indexes,
      pinLists: (batch) => pinLists({ batches: storage.batches, lists: storage.lists }, batch),
      random,
      spoolDirectory: join(config.dataDir, 'spool'),
      writeReports: (batch) => writeReportsOf(installation, batch),
    },
  };
}

async function writeReportsOf(installation: Installation, batch: Batch): Promise<BatchReports> {
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
      chunks: () => readFindings({ batches: storage.batches, blobs }, batch),
      tenantName: tenant?.name ?? batch.tenantId,
    },
  );
}
