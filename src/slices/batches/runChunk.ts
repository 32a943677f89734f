/**
 * One chunk from its lease to its commit: subjects are read and screened, and the results put into
 * the blob store. Then, in one step, the chunk is done, the batch's figures grow, the chain gets
 * the root over every subject's result, and the event for the bus is stored.
 *
 * A worker that dies before the commit leaves only a blob that no record names; the lease ends, and
 * the next worker gives the same bytes. A worker that was only slow finds the chunk done.
 */
import assert from 'node:assert/strict';
import { requireProcessing } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import type { Exclusions } from '#slices/screening';
import type { Batch, BatchChunk, BatchCounts, ChunkResult } from './batch.ts';
import { chunkEntry } from './batchEvidence.ts';
import { BATCH_LEASE_MS, BATCH_RENEW_MS } from './batchHold.ts';
import {
  BatchLost,
  type BatchPorts,
  type BatchWorkPorts,
  commitBatch,
  type Holder,
  openBatch,
} from './batchWork.ts';
import { readSubjects } from './chunkBlob.ts';
import type { ChunkWork } from './chunkPorts.ts';
import { faultCode, isCounted } from './faultCode.ts';
import { retainedUntil } from './reportPorts.ts';

/** The first chunk that waits, leased; undefined where there is none. */
export function leaseChunk(
  { batches, clock }: Pick<BatchPorts, 'batches' | 'clock'>,
  batch: Batch,
  holder: Holder,
): Promise<BatchChunk | undefined> {
  const now = clock.now();
  const until = (now + BATCH_LEASE_MS) as EpochMs;
  return batches.leaseChunk({ batchId: batch.batchId, holder, now, until });
}

/** Returns the chunk as if it had not been leased. */
export function returnChunk(
  { batches }: Pick<BatchPorts, 'batches'>,
  { chunk, holder }: Pick<ChunkRun, 'chunk' | 'holder'>,
): Promise<boolean> {
  return batches.returnChunk({ batchId: chunk.batchId, chunkNo: chunk.chunkNo, holder });
}

export interface ChunkRun {
  readonly chunk: BatchChunk;
  readonly holder: Holder;
  /** The worker stops: the chunk is given back. */
  readonly signal: AbortSignal;
  readonly renewMs?: number;
}

/** The batch after it. Throws BatchLost where the batch has ended or the chunk is another's. */
export async function runChunk<Index extends object>(
  ports: BatchWorkPorts<Index>,
  batch: Batch,
  run: ChunkRun,
): Promise<Batch> {
  const lease = new ChunkLease(ports, run);
  try {
    const work = await screen(ports, batch, { run, signal: lease.signal });
    const { figures, merkleRoot, packed } = work;
    const completedAt = ports.clock.now();
    const retainUntil = retainedUntil(completedAt);
    const { address: blob } = await ports.blobs.put(packed, { retainUntil });
    lease.signal.throwIfAborted();
    const result: ChunkResult = { ...figures, blob, completedAt, merkleRoot };
    return await commitChunk(ports, batch, { chunk: run.chunk, result, work });
  } catch (error) {
    await lease.giveBack(error);
    throw error;
  } finally {
    lease.end();
  }
}

async function screen<Index extends object>(
  ports: BatchWorkPorts<Index>,
  batch: Batch,
  { run, signal }: { readonly run: ChunkRun; readonly signal: AbortSignal },
): Promise<ChunkWork> {
  const { chunk } = run;
  const { tenantId } = batch;
  await requireProcessing(ports.mayProcess, { tenantId }, 'batch-screening');
  const exclusions = await pinnedExclusions(ports, batch);
  const input = await readSubjects(ports.blobs, chunk);
  const { lists, release, resolution } = await ports.indexes.acquire(batch);
  try {
    const ask = { batch, chunk, exclusions, input, lists, resolution };
    return await ports.threads.screen(ask, signal);
  } finally {
    release();
  }
}

/** The same for all chunks of a batch, even after later decisions. */
async function pinnedExclusions<Index>(
  ports: Pick<BatchWorkPorts<Index>, 'exclusions'>,
  { exclusions: digest, tenantId }: Batch,
): Promise<Exclusions | undefined> {
  if (digest === undefined) return undefined;
  const found = await ports.exclusions({ digest, tenantId });
  assert(found?.digest === digest, 'pinned exclusions are kept as long as their batch');
  return found;
}

interface ScreenedChunk {
  readonly chunk: BatchChunk;
  readonly result: ChunkResult;
  readonly work: Pick<ChunkWork, 'events' | 'bus'>;
}

/** One after the other for a batch: else two chunks of one worker would be in each other's way. */
const committing = new Map<string, Promise<unknown>>();

async function commitChunk<Index>(
  ports: BatchWorkPorts<Index>,
  batch: Batch,
  done: ScreenedChunk,
): Promise<Batch> {
  const before = committing.get(batch.batchId) ?? Promise.resolve();
  const own = before.then(() => commitNow(ports, batch, done));
  const settled = own.catch(() => undefined); // its own caller gets the error
  committing.set(batch.batchId, settled);
  try {
    return await own;
  } finally {
    if (committing.get(batch.batchId) === settled) committing.delete(batch.batchId);
  }
}

async function commitNow<Index>(
  ports: BatchWorkPorts<Index>,
  known: Batch,
  { chunk, result, work }: ScreenedChunk,
): Promise<Batch> {
  const { batchId, chunkNo } = chunk;
  const latest = await openBatch(ports, known);
  return commitBatch(ports, latest, (batch) => {
    const { notice: _, ...rest } = batch;
    const next: Batch = { ...rest, counts: countsWith(batch.counts, chunk, result) };
    const progress = {
      partition: batch.tenantId,
      payload: { batchId, processed: next.counts.subjects, total: next.subjectsTotal },
      topic: 'sanctions.batch.progress' as const,
    };
    return {
      bus: [...work.bus, progress],
      changes: [{ batchId, chunkNo, kind: 'batch.chunk.done', result } as const],
      events: [
        ...work.events,
        chunkEntry(ports, next, { chunkNo, result, subjects: chunk.subjects }),
      ],
      next,
    };
  });
}

function countsWith(
  before: BatchCounts,
  { subjects }: BatchChunk,
  result: ChunkResult,
): BatchCounts {
  return {
    byDecision: sums(before.byDecision, result.byDecision),
    byMatchType: sums(before.byMatchType, result.byMatchType),
    chunks: before.chunks + 1,
    hits: before.hits + result.hits,
    subjects: before.subjects + subjects,
    subjectsWithHits: before.subjectsWithHits + result.subjectsWithHits,
  };
}

function sums<Name extends string>(
  one: Readonly<Record<Name, number>>,
  other: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> {
  const names = Object.keys(one) as Name[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Record<
    Name,
    number
  >;
}

/** Renewed every few seconds; given up where it is another's, or the worker stops. */
class ChunkLease {
  readonly signal: AbortSignal;
  readonly #ports: Pick<BatchPorts, 'batches' | 'clock'>;
  readonly #run: ChunkRun;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #renewedMs: number;

  constructor(ports: Pick<BatchPorts, 'batches' | 'clock'>, run: ChunkRun) {
    this.#ports = ports;
    this.#run = run;
    this.#renewedMs = ports.clock.monotonicMs();
    this.signal = AbortSignal.any([run.signal, this.#lost.signal]);
    this.#timer = setInterval(() => void this.#renew(), run.renewMs ?? BATCH_RENEW_MS);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /**
   * Returns the chunk, so that others need not wait for the lease's end. It counts as a try only
   * where the chunk may be at fault.
   */
  async giveBack(error: unknown): Promise<void> {
    this.end();
    if (this.#lost.signal.aborted) return;
    const isLost = this.signal.aborted || error instanceof BatchLost;
    const isTried = !isLost && isCounted(faultCode(error));
    const given = isTried ? this.#set(0) : returnChunk(this.#ports, this.#run);
    await given.catch(() => undefined); // the store is away: they wait for it, then
  }

  #set(leaseMs: number): Promise<boolean> {
    const { batches, clock } = this.#ports;
    const { chunk, holder } = this.#run;
    const until = (clock.now() + leaseMs) as EpochMs;
    return batches.renewChunk({ batchId: chunk.batchId, chunkNo: chunk.chunkNo, holder, until });
  }

  async #renew(): Promise<void> {
    try {
      if (await this.#set(BATCH_LEASE_MS)) {
        this.#renewedMs = this.#ports.clock.monotonicMs();
        return;
      }
      this.#lost.abort(new BatchLost('another worker has the chunk'));
    } catch (error) {
      const silentMs = this.#ports.clock.monotonicMs() - this.#renewedMs;
      if (silentMs < BATCH_LEASE_MS) return; // the store may be back in time
      this.#lost.abort(new BatchLost('its lease could not be renewed', { cause: error }));
    }
  }
}
