/**
 * The completed chunks of a batch in order, read page by page while workers complete them in any
 * order. Where the batch has ended without some chunks, these are skipped. Otherwise the walk ends
 * at the first incomplete one, and says so.
 */
import { type Batch, type BatchChunk, hasEnded } from './batch.ts';
import type { BatchStore } from './ports.ts';

const PAGE_CHUNKS = 500;

export type DoneChunk = BatchChunk & { readonly result: NonNullable<BatchChunk['result']> };
export type WalkedChunk =
  | { readonly isDone: true; readonly chunkNo: number; readonly chunk: DoneChunk }
  /** The last of the walk: it will be done. */
  | { readonly isDone: false; readonly chunkNo: number };

export async function* chunksFrom(
  batches: Pick<BatchStore, 'listChunks'>,
  batch: Batch,
  fromNo: number,
): AsyncGenerator<WalkedChunk> {
  const isOver = hasEnded(batch);
  let chunkNo = fromNo;
  for (;;) {
    const ask = { batchId: batch.batchId, fromNo: chunkNo, limit: PAGE_CHUNKS };
    const page = await batches.listChunks(ask);
    for (const chunk of page) {
      const { result } = chunk;
      if (result === undefined && !isOver) return yield { chunkNo: chunk.chunkNo, isDone: false };
      chunkNo = chunk.chunkNo + 1;
      if (result !== undefined) {
        yield { chunk: { ...chunk, result }, chunkNo: chunk.chunkNo, isDone: true };
      }
    }
    if (page.length === PAGE_CHUNKS) continue;
    // Further chunks come while the cohort is read.
    if (!isOver && chunkNo !== batch.chunksTotal) yield { chunkNo, isDone: false };
    return;
  }
}

export const firstOrdinal = ({ chunkSubjects }: Batch, chunkNo: number): number =>
  chunkNo * chunkSubjects;
export const chunkOf = ({ chunkSubjects }: Batch, ordinal: number): number =>
  Math.floor(ordinal / chunkSubjects);
