/** Workers that end chunks beside one that saves the batch: what each was told holds at the end. */
import { expect, test } from 'vitest';
import type { ChainId } from '#core/kernel';
import type { Batch } from '#slices/batches';
import type { Storage } from '../../../src/storage/index.ts';
import { batchIdOf, endChunk, makeBatch, makeChunks, putBatch } from './batchRecords.ts';
import { append, at, CHAIN_A, CHAIN_B, type MakeHarness, TENANT_A } from './harness.ts';

const CHUNKS = 8;
const batchId = batchIdOf(1);

export function batchRaceContract(technology: string, makeHarness: MakeHarness): void {
  test(`${technology}: chunks that end at once are each counted, and no save is lost`, async () => {
    const harness = await makeHarness();
    const stores = [await harness.open(), await harness.open(), await harness.open()] as const;
    await append(stores[0], { changes: [putBatch(makeBatch(1))] });
    await stores[0].batches.addChunks(makeChunks(CHUNKS));
    let isRunning = true;
    const saves = saveUntil(stores[2], () => !isRunning);
    const [one, two] = await Promise.all([
      endChunks(stores[0], CHAIN_A),
      endChunks(stores[1], CHAIN_B),
    ]).finally(() => {
      isRunning = false;
    });
    const lastSaved = await saves;
    const batch = await read(stores[0]);
    expect(one + two).toBe(CHUNKS);
    expect(batch.counts.chunks).toBe(CHUNKS);
    expect(batch.leaseUntil ?? 0).toBe(lastSaved);
    for (const storage of stores) await storage.close();
    await harness.dispose();
  }, 60_000);
}

async function read({ batches }: Storage): Promise<Batch> {
  const batch = await batches.findBatch({ batchId, tenantId: TENANT_A });
  if (batch === undefined) throw new Error('no batch');
  return batch;
}

/** Chunk after chunk, each with its count, upon the batch as it is then; answers how many. */
async function endChunks(storage: Storage, chain: ChainId): Promise<number> {
  for (let count = 0; ; count++) {
    const ask = { batchId, holder: chain, now: at(1), until: at(2) };
    const chunk = await storage.batches.leaseChunk(ask);
    if (chunk === undefined) return count;
    while (!(await endChunkOnce(storage, chain, chunk.chunkNo)));
  }
}

async function endChunkOnce(storage: Storage, chain: ChainId, chunkNo: number): Promise<boolean> {
  const batch = await read(storage);
  const counts = { ...batch.counts, chunks: batch.counts.chunks + 1 };
  const next = { ...batch, counts, version: batch.version + 1 };
  const changes = [endChunk(chunkNo), putBatch(next, batch.version)];
  const { result } = await append(storage, { chain, changes });
  if (result.kind === 'stale') expect(result.changeIndex).toBe(1);
  else expect(result.kind).toBe('appended');
  return result.kind === 'appended';
}

/**
 * Once for each count that it sees, or the others would never come to commit upon what they read.
 * Answers what it was told last that it has saved.
 */
async function saveUntil(storage: Storage, isOver: () => boolean): Promise<number> {
  let saved = 0;
  let seen = -1;
  while (!isOver()) {
    const batch = await read(storage);
    if (batch.counts.chunks === seen) continue;
    const leaseUntil = at(saved + 1);
    const next = { ...batch, leaseUntil, version: batch.version + 1 };
    if (!(await storage.batches.saveBatch(next, batch.version))) continue;
    saved = leaseUntil;
    seen = batch.counts.chunks;
  }
  return saved;
}
