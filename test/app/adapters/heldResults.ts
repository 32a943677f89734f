/** A thread entry for tests of turns: a chunk of a held batch occupies the thread for good. */
import type { ResultAnswer } from '../../../src/app/adapters/resultReader.ts';
import type { ChunkTask } from '../../../src/slices/batches/index.ts';

export const HELD = 'held';

export function readResults({ chunk }: ChunkTask): ResultAnswer {
  if (chunk.batchId === HELD) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  return { read: { signed: { seq: chunk.chunkNo } } } as unknown as ResultAnswer;
}
