/**
 * One chunk from its lease to its commit: subjects are read and screened, and the results put into
 * the blob store. Then, in one step, the chunk is done, the batch's figures grow, the chain gets
 * the root over every subject's result, and the event for the bus is stored.
 *
 * A worker that dies before the commit leaves only a blob that no record names; the lease ends, and
 * the next worker gives the same bytes. A worker that was only slow finds the chunk done.
 *
 * A chunk of costly subjects takes several turns: it is given back with the part that is done, and
 * whoever takes it next goes on behind it.
 */
import assert from 'node:assert/strict';
import { requireProcessing } from '#core/privacy';
import { WorkLost } from '#core/work';
import type { Exclusions } from '#slices/screening';
import type { Batch, BatchChunk, ChunkResult } from './batch.ts';
import { countsWith } from './batchCounts.ts';
import { chunkEntry } from './batchEvidence.ts';
import { chunkSeed } from './batchKeys.ts';
import { type BatchWorkPorts, type ChunkHold, commitBatch, openBatch } from './batchWork.ts';
import { readSubjects } from './chunkBlob.ts';
import { dropPart, getPart, putPart } from './chunkPart.ts';
import type { ChunkRest, ChunkWork } from './chunkPorts.ts';
import { retainedUntil } from './reportPorts.ts';
import { batchTable, chunkTable } from './tables.ts';

/**
 * The batch after it; as it was where the chunk was given back with its rest. Throws WorkLost where
 * the batch has ended or the chunk is another's.
 */
export async function runChunk<Index extends object>(
  ports: BatchWorkPorts<Index>,
  batch: Batch,
  hold: ChunkHold,
): Promise<Batch> {
  const work = await screen(ports, batch, hold);
  if ('part' in work) {
    await handBack(ports, { batch, hold, rest: work });
    return batch;
  }
  const { figures, merkleRoot, packed } = work;
  const completedAt = ports.clock.now();
  const retainUntil = retainedUntil(completedAt);
  const { address: blob } = await ports.blobs.put(packed, { retainUntil });
  hold.signal.throwIfAborted();
  const result: ChunkResult = { ...figures, blob, completedAt, merkleRoot };
  const after = await commitChunk(ports, batch, { chunk: hold.record, result, work });
  await dropPart(ports, hold.record.part);
  return after;
}

/** A worker that is lost here has kept the part before it. */
async function handBack<Index>(
  ports: BatchWorkPorts<Index>,
  of: { readonly batch: Batch; readonly hold: ChunkHold; readonly rest: ChunkRest },
): Promise<void> {
  const { batch, hold, rest } = of;
  const { record: chunk } = hold;
  const seed = await chunkSeed(ports.dataKeys, batch, chunk.chunkNo);
  const part = await putPart(ports, { batch, chunk, seed }, rest);
  const isSaved = await hold.giveBack({ hasGotOn: true, isTried: false, work: { part } });
  if (!isSaved) throw new WorkLost('another worker has the chunk');
  await dropPart(ports, chunk.part);
}

async function screen<Index extends object>(
  ports: BatchWorkPorts<Index>,
  batch: Batch,
  { record: chunk, signal }: ChunkHold,
): Promise<ChunkWork | ChunkRest> {
  const { tenantId } = batch;
  await requireProcessing(ports.mayProcess, { tenantId }, 'batch-screening');
  const { startedAt } = batch;
  assert(startedAt !== undefined, 'a batch of which a chunk is taken has been started');
  await ports.results.checkStart({ ...batch, startedAt });
  const exclusions = await pinnedExclusions(ports, batch);
  const seed = await chunkSeed(ports.dataKeys, batch, chunk.chunkNo);
  const input = await readSubjects(ports.blobs, chunk, seed);
  const part = await getPart(ports, { batch, chunk, seed });
  const { lists, release, resolution } = await ports.indexes.acquire(batch);
  try {
    const ask = { batch, chunk, exclusions, input, lists, part, resolution, seed };
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
  const { part: _, ...whole } = chunk;
  const { batchId, chunkNo } = whole;
  const latest = await openBatch(ports, known);
  const saved = await commitBatch(ports, latest, (batch) => {
    const next: Batch = { ...batch, counts: countsWith(batch.counts, chunk, result) };
    const progress = {
      partition: batch.tenantId,
      payload: { batchId, chunkNo, processed: next.counts.subjects, total: next.subjectsTotal },
      topic: 'sanctions.batch.progress' as const,
    };
    return {
      bus: [...work.bus, progress],
      // Whose lease it is does not matter: the work of two is the same to the byte.
      changes: [chunkTable.put({ ...whole, result })],
      events: [
        ...work.events,
        chunkEntry(ports, next, { chunkNo, result, subjects: chunk.subjects }),
      ],
      next,
    };
  });
  // Nothing holds the batch up any more; where that is not saved, the next chunk says so again.
  if (saved.notice !== undefined) {
    const ask = { key: { batchId }, work: { notice: undefined } };
    await ports.tables.saveWork(batchTable, ask).catch(() => false);
  }
  return saved;
}
