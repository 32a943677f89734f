/** Entry of a thread that screens chunks: the engine's reader joined to the batches' work. */
import { IndexReader, type SharedIndex, type SharedIndexes } from '#engine';
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { ChunkWorker } from '#slices/batches';
import type { ChunkTask } from './chunkPool.ts';

const engine = new IndexReader();
const worker = new ChunkWorker<SharedIndex>({ clock: systemClock, engine, random: systemRandom });

/** Called by Piscina. */
export function runChunkTask({
  indexes,
  order,
}: ChunkTask<SharedIndexes['inUse'][number]>): ReturnType<typeof worker.answer> | undefined {
  engine.use(indexes);
  return order && worker.answer(order);
}
