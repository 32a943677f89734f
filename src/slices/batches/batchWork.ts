/**
 * What a worker needs to complete batches, and the two ways to change a batch's record that other
 * workers also change: with evidence (a commit) and without (a save). Both are compare-and-set of
 * its version, and start again where another worker was first.
 */
import { type Commit, type CommitEvidence, overwrite } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import { type Change, chainOf, DomainError } from '#core/kernel';
import type { MayProcess } from '#core/privacy';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { KnownCountries } from '#slices/intake';
import type { ExclusionsInForce } from '#slices/screening';
import { type Batch, type BatchReports, hasEnded } from './batch.ts';
import type { BatchIndexes, ChunkThreads } from './chunkPorts.ts';
import type { PinnedSet } from './pinLists.ts';
import type { BatchStore } from './ports.ts';

export interface BatchPorts {
  readonly batches: BatchStore;
  readonly blobs: Pick<BlobStore, 'put' | 'get' | 'open'>;
  /** AuditLog.commit. */
  readonly commit: CommitEvidence;
  readonly clock: Clock;
  readonly random: Random;
  readonly pinLists: (batch: Batch) => Promise<PinnedSet>;
  readonly exclusions: ExclusionsInForce;
  readonly mayProcess: MayProcess;
  /**
   * Writes the reports of a batch whose chunks are all done, with `completedAt` and `resultsRoot`
   * set. Rejects with the reason of `signal` once another worker has the batch.
   */
  readonly writeReports: (batch: Batch, signal?: AbortSignal) => Promise<BatchReports>;
  readonly countries: KnownCountries;
  /** Folder for data that does not fit in memory; it must exist. */
  readonly spoolDirectory: string;
}

/** All that screening itself needs as well. */
export interface BatchWorkPorts<Index> extends BatchPorts {
  readonly indexes: BatchIndexes<Index>;
  readonly threads: ChunkThreads<Index>;
}

/** Name of a worker: unique to this process and start. */
export type Holder = string;

/** Under which a batch's record is looked for anew. */
const CONFLICTS_MAX = 50;

/** The batch has ended, or another worker has it. Work on it stops; nothing failed. */
export class BatchLost extends Error {
  override readonly name = 'BatchLost';
}

type Store = Pick<BatchPorts, 'batches'>;

/** The batch as it is stored now. Throws BatchLost once it has ended. */
export async function openBatch({ batches }: Store, batch: Batch): Promise<Batch> {
  const found = await batches.findBatch(batch);
  if (found === undefined || hasEnded(found)) throw new BatchLost(`batch ${batch.batchId} ended`);
  return found;
}

/**
 * Saves what `change` makes of the batch, without evidence. `change` may run several times, and
 * answers undefined where there is nothing to save. Throws BatchLost once it has ended.
 */
export async function updateBatch(
  ports: Store,
  known: Batch,
  change: (batch: Batch) => Batch | undefined,
): Promise<Batch | undefined> {
  let batch = known;
  for (let tries = 0; tries < CONFLICTS_MAX; tries++) {
    const next = change(batch);
    if (next === undefined) return undefined;
    const saved = { ...next, version: batch.version + 1 };
    if (await ports.batches.saveBatch(saved, batch.version)) return saved;
    batch = await openBatch(ports, batch);
  }
  throw new DomainError('state-conflict', { detail: `batch ${known.batchId}: too many changes` });
}

/** The changes that go with the next state of a batch in one commit. */
export interface BatchStep {
  readonly next: Batch;
  readonly events: Commit['events'];
  readonly bus?: Commit['bus'];
  /** Applied before the batch's own. */
  readonly changes?: readonly Change[];
}

/**
 * Commits what `step` makes of the batch. `step` may run several times. Throws BatchLost once the
 * batch has ended, and where one of the step's own changes did not hold.
 */
export async function commitBatch(
  ports: Pick<BatchPorts, 'batches' | 'commit'>,
  known: Batch,
  step: (batch: Batch) => BatchStep,
): Promise<Batch> {
  let batch = known;
  return overwrite(
    async () => {
      const { bus = [], changes = [], events, next } = step(batch);
      const saved = { ...next, version: batch.version + 1 };
      const put = { batch: saved, kind: 'batch.put', versionExpected: batch.version };
      await ports.commit(chainOf(batch.tenantId), { bus, changes: [...changes, put], events });
      return saved;
    },
    {
      mayRepeat: async ({ changeIndex }) => {
        const { changes = [] } = step(batch);
        if (changeIndex < changes.length) throw new BatchLost('done by another worker');
        batch = await openBatch(ports, batch);
        return true;
      },
    },
  );
}
