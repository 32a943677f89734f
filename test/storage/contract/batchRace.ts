/** Workers that end chunks beside one that saves the batch: what each was told holds at the end. */
import { expect, test } from 'vitest';
import type { Batch } from '#slices/batches';
import { batchTable, chunkTable } from '../../../src/slices/batches/tables.ts';
import type { Storage } from '../../../src/storage/index.ts';
import { batchIdOf, endChunk, makeBatch, makeChunks, putBatch } from './batchRecords.ts';
import { append, at, type MakeHarness } from './harness.ts';

const CHUNKS = 8;
const batchId = batchIdOf(1);

export function batchRaceContract(technology: string, makeHarness: MakeHarness): void {
  test(`${technology}: chunks that end at once are each counted, and no save is lost`, async () => {
    const harness = await makeHarness();
    const stores = [await harness.open(), await harness.open(), await harness.open()] as const;
    await append(stores[0], { changes: [putBatch(makeBatch(1))] });
    await stores[0].tables.insertMissing(chunkTable, makeChunks(CHUNKS));
    let isRunning = true;
    const saves = saveUntil(stores[2], () => !isRunning);
    const [one, two] = await Promise.all([
      endChunks(stores[0], 'w1'),
      endChunks(stores[1], 'w2'),
    ]).finally(() => {
      isRunning = false;
    });
    const lastSaved = await saves;
    const batch = await read(stores[0]);
    expect(one + two).toBe(CHUNKS);
    expect(batch.counts.chunks).toBe(CHUNKS);
    expect(batch.rejectedTotal).toBe(lastSaved);
    for (const storage of stores) await storage.close();
    await harness.dispose();
  });
}

async function read({ tables }: Storage): Promise<Batch> {
  const batch = await tables.find(batchTable, { batchId });
  if (batch === undefined) throw new Error('no batch');
  return batch;
}

/** Chunk after chunk, each with its count, upon the batch as it is then; answers how many. */
async function endChunks(storage: Storage, holder: string): Promise<number> {
  for (let count = 0; ; count++) {
    const ask = { holder, lane: [batchId], limit: 1, now: at(1) };
    const [chunk] = await storage.tables.lease(chunkTable, ask);
    if (chunk === undefined) return count;
    while (!(await endChunkOnce(storage, chunk.record.chunkNo)));
  }
}

async function endChunkOnce(storage: Storage, chunkNo: number): Promise<boolean> {
  const batch = await read(storage);
  const counts = { ...batch.counts, chunks: batch.counts.chunks + 1 };
  const next = { ...batch, counts, version: batch.version + 1 };
  const changes = [endChunk(chunkNo), putBatch(next, batch.version)];
  const { result } = await append(storage, { changes });
  if (result.kind === 'stale') expect(result.changeIndex).toBe(1);
  else expect(['appended', 'fenced']).toContain(result.kind);
  return result.kind === 'appended';
}

/**
 * Once for each count that it sees, or the others would hardly come to commit. Answers what it was
 * told last that it has saved.
 */
async function saveUntil(storage: Storage, isOver: () => boolean): Promise<number> {
  let saved = 0;
  let seen = -1;
  while (!isOver()) {
    const batch = await read(storage);
    if (batch.counts.chunks === seen) continue;
    const work = { rejectedTotal: saved + 1 };
    if (!(await storage.tables.saveWork(batchTable, { key: { batchId }, work }))) continue;
    saved = work.rejectedTotal;
    seen = batch.counts.chunks;
  }
  return saved;
}
