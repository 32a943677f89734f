/**
 * What a worker needs to bring batches to their end, and how a batch's record is changed while
 * others change it: by a commit, compare-and-set of its version, that begins anew where another
 * worker was quicker. What is saved beside commits (tables.ts) competes with none of them.
 */
import {
  type AuditStore,
  type Commit,
  type CommitEvidence,
  type Erasures,
  type KeyRing,
  overwrite,
} from '#core/audit';
import type { BlobStore, DataKeys } from '#core/blobs';
import { chainOf, type TableChange, type Tables } from '#core/kernel';
import type { MayProcess } from '#core/privacy';
import { type Hold, type LeaseTimes, WorkLost } from '#core/work';
import type { Clock } from '#platform/clock';
import type { Signer } from '#platform/ed25519';
import type { Random } from '#platform/random';
import type { KnownCountries } from '#slices/intake';
import type { ExclusionsInForce } from '#slices/screening';
import {
  type Batch,
  type BatchChunk,
  type BatchReports,
  hasEnded,
  type PlacedBatch,
  type Reissue,
} from './batch.ts';
import type { BatchIndexes, ChunkThreads } from './chunkPorts.ts';
import type { PinnedSet } from './pinLists.ts';
import type { BatchStore } from './ports.ts';
import type { SignedResults } from './signedResults.ts';
import { batchTable } from './tables.ts';

/** What an attestation of reports that are written again stands on. */
export interface ReissueEvidence {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
  readonly erasures: Pick<Erasures, 'partsOf'>;
  readonly keyRing: KeyRing;
}

export interface BatchPorts {
  readonly batches: BatchStore;
  /** For leases, and for what is saved beside commits. */
  readonly tables: Tables;
  readonly blobs: Pick<BlobStore, 'put' | 'get' | 'open'>;
  readonly dataKeys: Pick<DataKeys, 'find'>;
  /** AuditLog.commit. */
  readonly commit: CommitEvidence;
  readonly clock: Clock;
  readonly random: Random;
  readonly results: SignedResults;
  /** For what reports that are written again stand on. */
  readonly evidence: ReissueEvidence;
  readonly pinLists: (batch: Batch) => Promise<PinnedSet>;
  readonly exclusions: ExclusionsInForce;
  readonly mayProcess: MayProcess;
  /**
   * Writes the reports of a batch whose chunks are all done, with `completedAt` and `resultsRoot`
   * set. Rejects with the reason of `signal` once another worker has the batch.
   */
  readonly writeReports: (
    batch: PlacedBatch,
    signal?: AbortSignal,
    reissue?: Reissue,
  ) => Promise<BatchReports>;
  readonly countries: KnownCountries;
  /** Folder for data that does not fit in memory; it must exist. */
  readonly spoolDirectory: string;
}

/** All that screening itself needs as well. */
export interface BatchWorkPorts<Index> extends BatchPorts {
  readonly blobs: Pick<BlobStore, 'get' | 'open' | 'put' | 'remove'>;
  /** For parts of chunks. */
  readonly signer: Pick<Signer, 'publicKey' | 'sign'>;
  readonly indexes: BatchIndexes<Index>;
  readonly threads: ChunkThreads<Index>;
}

/** A batch as a whole in hand: its cohort is read, or its reports are written. */
export type BatchHold = Hold<Batch, 'batchId'>;
/** A chunk in hand. */
export type ChunkHold = Hold<BatchChunk, 'batchId' | 'chunkNo'>;

/** The work of a killed worker waits for so long (decisions 4.1: 20 s at the most). */
export const BATCH_LEASE: LeaseTimes = { leaseMs: 10_000, renewMs: 3_000 };

type Store = Pick<BatchPorts, 'batches'>;

/** The batch as it is stored now. Throws WorkLost once it has ended. */
export async function openBatch({ batches }: Store, batch: Batch): Promise<Batch> {
  const found = await batches.findBatch(batch);
  if (found === undefined || hasEnded(found)) throw new WorkLost(`batch ${batch.batchId} ended`);
  return found;
}

/** The changes that go with the next state of a batch in one commit. */
export interface BatchStep {
  readonly next: Batch;
  readonly events: Commit['events'];
  readonly bus?: Commit['bus'];
  /** Applied before the batch's own. */
  readonly changes?: readonly TableChange[];
  /** Where `next` has ended: what it writes of what is saved beside commits. */
  readonly work?: readonly 'notice'[];
}

/**
 * Commits what `step` makes of the batch. `step` may run several times. Throws WorkLost once the
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
      const { bus = [], changes = [], events, next, work = [] } = step(batch);
      const saved = { ...next, version: batch.version + 1 };
      const put = batchTable.put(saved, batch.version, { work });
      await ports.commit(chainOf(batch.tenantId), { bus, changes: [...changes, put], events });
      return saved;
    },
    {
      mayRepeat: async ({ changeIndex }) => {
        const { changes = [] } = step(batch);
        if (changeIndex < changes.length) throw new WorkLost('done by another worker');
        batch = await openBatch(ports, batch);
        return true;
      },
    },
  );
}
