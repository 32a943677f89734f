/** The parts for work on batches in a worker: stores, pinned lists, threads, writers of reports. */
import { join } from 'node:path';
import { Erasures } from '#core/audit';
import { identityStore } from '#core/identity';
import { mayProcess } from '#core/privacy';
import {
  type BatchFile,
  type BatchReports,
  type BatchWorkPorts,
  batchStore,
  findBatchKey,
  hitFactsOf,
  meteredThreads,
  type PlacedBatch,
  pinLists,
  pinnedParts,
  putFile,
  type Reissue,
  type ReportName,
  type ReportPorts,
  readFindings,
  retainedUntil,
  type ScreenedBatch,
  type SignedResults,
  signedResults,
} from '#slices/batches';
import { factsOfProcess } from '#slices/lists';
import { exclusions } from '#slices/screening';
import countries from '../../../../config/tables/countries.json' with { type: 'json' };
import type { WorkerProcess } from '../../processes.ts';
import { type ChunkEngine, chunkEngine, writeReports } from '../asks.ts';
import type { ReleasableIndex } from '../heldIndexes.ts';

/** One for the process; its threads start with the first chunk, and end with the process. */
export const workPartsOf = (process: WorkerProcess): BatchWorkPorts<ReleasableIndex> =>
  process.once(openWork);

const engineOf = (process: WorkerProcess): Promise<ChunkEngine> =>
  process.need(chunkEngine)({ threads: process.config.batchThreads });

function openWork(process: WorkerProcess): BatchWorkPorts<ReleasableIndex> {
  const { blobs, clock, commit, config, dataKeys, metrics, random, signer } = process;
  const { storage, tracer } = process;
  const { tables } = storage;
  const batches = batchStore(tables);
  const engine = (): Promise<ChunkEngine> => process.once(engineOf);
  const { evidence, indexes, lists, signed } = pinnedParts<ReleasableIndex>(process, engine);
  const results = signedResults({ ...evidence, blobs, dataKeys });
  return {
    batches,
    blobs,
    clock,
    commit,
    countries,
    dataKeys,
    evidence: { ...evidence, erasures: new Erasures(evidence) },
    exclusions: process.ask(exclusions),
    indexes,
    mayProcess: process.ask(mayProcess),
    pinLists: (batch) => pinLists({ ...evidence, batches, lists, results, signed }, batch),
    random,
    results,
    signer,
    spoolDirectory: join(config.dataDir, 'spool'),
    tables,
    threads: meteredThreads(
      {
        atOnce: config.batchThreads,
        screen: async (asked, signal) => (await engine()).threads.screen(asked, signal),
      },
      metrics,
      clock,
      tracer,
    ),
    writeReports: (batch, signal, reissue) =>
      writeReportsOf(process, { batch, reissue, results, signal }),
  };
}

async function writeReportsOf(
  process: WorkerProcess,
  of: {
    readonly batch: PlacedBatch;
    readonly reissue: Reissue | undefined;
    readonly results: SignedResults;
    readonly signal: AbortSignal | undefined;
  },
): Promise<BatchReports> {
  const { batch, reissue, results, signal } = of;
  const { blobs, dataKeys, random, signer, storage } = process;
  const tenant = await identityStore(storage.tables).findTenant(batch.tenantId);
  const screened = batch as ScreenedBatch;
  const retainUntil = retainedUntil(screened.completedAt);
  const key = batch.lineVersion && (await findBatchKey(dataKeys, batch));
  const put: ReportPorts['put'] = (bytes, name) => {
    const file = { bytes, key: isPersonal(name) ? key : undefined, name: name as BatchFile };
    return putFile({ blobs, random }, file, { retainUntil });
  };
  return process.need(writeReports)(
    { put, signer },
    {
      batch: screened,
      chunks: () => readFindings({ batches: batchStore(storage.tables), results }, batch, signal),
      factsOf: hitFactsOf(factsOfProcess(process), screened, { turn: screened.tenantId }),
      tenantName: tenant?.name ?? batch.tenantId,
      ...(reissue !== undefined && { reissue }),
    },
  );
}

/** What names subjects; the attestation and its PDF have figures and digests alone. */
const isPersonal = (name: ReportName): boolean => name === 'csv' || name === 'xlsx';
