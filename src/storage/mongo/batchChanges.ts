/**
 * Plans the changes of batches; see applyChange. A chunk's version distinguishes waiting from done.
 */
import type { BatchId } from '#core/kernel';
import type { BatchChange, BatchChunk, ChunkResult, HitReview } from '#slices/batches';
import { batchRecord } from './batchRecord.ts';
import type { RecordDocument } from './collections.ts';
import { padId } from './effects.ts';
import type { RecordView } from './recordView.ts';

export const WAITING = 1;
const DONE = 2;

/** Ids of a batch's chunks end here, in the order of their numbers. */
export const LAST_CHUNK_NO = 10 ** 12 - 1;
export const chunkId = (batchId: BatchId, chunkNo: number): string =>
  `${batchId}/${padId(chunkNo)}`;
export const reviewId = (batchId: BatchId, hitId: string): string => `${batchId}/${hitId}`;

export function waitingChunk(chunk: BatchChunk): RecordDocument {
  const { batchId, chunkNo } = chunk;
  return {
    _id: chunkId(batchId, chunkNo),
    version: WAITING,
    document: JSON.stringify(chunk),
    batchId,
    no: chunkNo,
    leaseHolder: null,
    leaseUntil: 0,
    tries: 0,
  };
}

export function planBatch(view: RecordView, change: BatchChange): Promise<boolean> {
  switch (change.kind) {
    case 'batch.put':
      return putBatch(view, change);
    case 'batch.chunk.done':
      return endChunk(view, change);
    case 'batch.review.put':
      return view.put('batch_review', change.versionExpected, reviewRecord(change.review));
  }
}

/** A batch that has ended stays as it is, and no batch moves to another tenant. */
async function putBatch(
  view: RecordView,
  { batch, versionExpected }: Extract<BatchChange, { kind: 'batch.put' }>,
): Promise<boolean> {
  const before = await view.find('batch', batch.batchId);
  const isOurs = before === undefined || before.tenantId === batch.tenantId;
  if (!isOurs || before?.isOpen === false) return false;
  return view.put('batch', versionExpected, batchRecord(batch));
}

async function endChunk(
  view: RecordView,
  { batchId, chunkNo, result }: { batchId: BatchId; chunkNo: number; result: ChunkResult },
): Promise<boolean> {
  const before = await view.find('batch_chunk', chunkId(batchId, chunkNo));
  if (before === undefined) return false;
  const chunk = JSON.parse(before.document) as BatchChunk;
  const document = JSON.stringify({ ...chunk, result });
  const record = { ...waitingChunk(chunk), version: DONE, document };
  return view.put('batch_chunk', WAITING, record);
}

function reviewRecord(review: HitReview): RecordDocument {
  const { batchId, tenantId, hitId, decision, ordinal, position, version } = review;
  return {
    _id: reviewId(batchId, hitId),
    version,
    document: JSON.stringify(review),
    tenantId,
    batchId,
    decision,
    ordinal,
    position,
  };
}
