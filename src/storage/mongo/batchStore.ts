/**
 * BatchStore on MongoDB: reads, leases, waiting chunks, and saves of a running batch. Changes that
 * leave evidence are in batchChanges.
 */
import type { Filter } from 'mongodb';
import type { BatchId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Batch, BatchChunk, BatchStore, HitReview } from '#slices/batches';
import { blobOfChunk, blobsOfBatch, type PagedBatchStore } from '../batchBlobs.ts';
import { assertNewer, assertOpen, assertWaiting } from '../knownChange.ts';
import { PAGE_ROWS_MAX } from '../limits.ts';
import type { AppendTools } from './append.ts';
import { chunkId, LAST_CHUNK_NO, reviewId, WAITING, waitingChunk } from './batchChanges.ts';
import { batchRecord } from './batchRecord.ts';
import type { RecordDocument } from './collections.ts';
import { areDuplicates } from './errors.ts';
import { rollChangesForward } from './rollForward.ts';

type Store = PagedBatchStore<string>;

export const batchStore = (tools: AppendTools): Store => ({
  ...batches(tools),
  ...waitingChunks(tools),
  ...chunks(tools),
  ...reviews(tools),
});

/** A committed change that is not applied yet must be seen before it is written beside. */
async function seeCommitted(tools: AppendTools): Promise<void> {
  if (!tools.hasTransactions) await rollChangesForward(tools);
}

function batches(
  tools: AppendTools,
): Pick<Store, 'findBatch' | 'listBatches' | 'openBatches' | 'saveBatch' | 'batchBlobs'> {
  const { batch } = tools.collections.records;
  return {
    async findBatch({ batchId, tenantId }) {
      const found = await batch.findOne({ _id: batchId, tenantId });
      return found === null ? undefined : toBatch(found);
    },
    async listBatches(page) {
      const found = await batch
        .find(batchFilter(page))
        .sort({ requestedAt: -1, _id: -1 })
        .limit(Math.min(page.limit, PAGE_ROWS_MAX))
        .toArray();
      return found.map(toBatch);
    },
    async openBatches(limit) {
      const turns = batch.aggregate<{ readonly found: readonly RecordDocument[] }>([
        ...openInTurns(Math.min(limit, PAGE_ROWS_MAX)),
        {
          $lookup: {
            from: batch.collectionName,
            localField: '_id',
            foreignField: '_id',
            as: 'found',
          },
        },
      ]);
      const found = (await turns.toArray()).flatMap((turn) => turn.found);
      // One may have ended between its turn and its document.
      return found.filter(({ isOpen }) => isOpen).map(toBatch);
    },
    async saveBatch(saved, versionExpected) {
      assertNewer(saved, versionExpected);
      assertOpen(saved);
      await seeCommitted(tools);
      const { _id, ...fields } = batchRecord(saved);
      const { tenantId } = saved;
      const filter = { _id, isOpen: true, tenantId, version: versionExpected };
      return (await batch.updateOne(filter, { $set: fields })).matchedCount === 1;
    },
    async batchBlobs(after) {
      const filter = after === undefined ? {} : { _id: { $gt: after as string } };
      const found = await batch.find(filter).sort({ _id: 1 }).limit(PAGE_ROWS_MAX).toArray();
      const page = found.map(toBatch);
      return { addresses: page.flatMap(blobsOfBatch), next: page.at(-1)?.batchId };
    },
  };
}

/** Ids of open batches: each tenant's oldest, then each one's second. */
const openInTurns = (limit: number) => [
  { $match: { isOpen: true } },
  // From the index alone, in which a tenant has a hundred entries at most.
  { $project: { requestedAt: 1, tenantId: 1 } },
  {
    $setWindowFields: {
      output: { turn: { $documentNumber: {} } },
      partitionBy: '$tenantId',
      sortBy: { requestedAt: 1, _id: 1 },
    },
  },
  { $sort: { turn: 1, requestedAt: 1, _id: 1 } },
  { $limit: limit },
];

const toBatch = ({ document }: RecordDocument): Batch => JSON.parse(document) as Batch;

function batchFilter(page: Parameters<BatchStore['listBatches']>[0]): Filter<RecordDocument> {
  const { tenantId, name, status, before } = page;
  const after = before && [
    { requestedAt: { $lt: before.requestedAt } },
    { requestedAt: before.requestedAt, _id: { $lt: before.batchId } },
  ];
  return {
    tenantId,
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    // The range beside the choice, so that a page begins at its place in the index.
    ...(before && after && { requestedAt: { $lte: before.requestedAt }, $or: after }),
  };
}

function waitingChunks(
  tools: AppendTools,
): Pick<Store, 'addChunks' | 'leaseChunk' | 'renewChunk' | 'returnChunk'> {
  const { batch_chunk: chunk } = tools.collections.records;
  return {
    async addChunks(given) {
      given.forEach(assertWaiting);
      if (given.length === 0) return;
      try {
        await chunk.insertMany(given.map(waitingChunk), { ordered: false });
      } catch (error) {
        if (!areDuplicates(error)) throw error;
      }
    },
    async leaseChunk({ batchId, holder, now, until }) {
      await seeCommitted(tools);
      const found = await chunk.findOneAndUpdate(
        { batchId, leaseUntil: { $lte: now }, version: WAITING },
        { $set: { leaseHolder: holder, leaseUntil: until }, $inc: { tries: 1 } },
        { returnDocument: 'after', sort: { no: 1 } },
      );
      return found === null ? undefined : toChunk(found);
    },
    async renewChunk({ batchId, chunkNo, holder, until }) {
      await seeCommitted(tools);
      const filter = { _id: chunkId(batchId, chunkNo), leaseHolder: holder, version: WAITING };
      const found = await chunk.updateOne(filter, { $set: { leaseUntil: until } });
      return found.matchedCount === 1;
    },
    async returnChunk({ batchId, chunkNo, holder }) {
      await seeCommitted(tools);
      const filter = { _id: chunkId(batchId, chunkNo), leaseHolder: holder, version: WAITING };
      // Only while no other worker has it, so a second give-back has no effect.
      const free = { $set: { leaseHolder: null, leaseUntil: 0 }, $inc: { tries: -1 } };
      return (await chunk.updateOne(filter, free)).matchedCount === 1;
    },
  };
}

function chunks(tools: AppendTools): Pick<Store, 'findChunk' | 'listChunks' | 'chunkBlobs'> {
  const { batch_chunk: chunk } = tools.collections.records;
  return {
    async findChunk(batchId, chunkNo) {
      const found = await chunk.findOne({ _id: chunkId(batchId, chunkNo) });
      return found === null ? undefined : toChunk(found);
    },
    async listChunks({ batchId, fromNo, limit }) {
      const found = await chunk
        .find({ _id: { $gte: chunkId(batchId, fromNo), $lte: chunkId(batchId, LAST_CHUNK_NO) } })
        .sort({ _id: 1 })
        .limit(Math.min(limit, PAGE_ROWS_MAX))
        .toArray();
      return found.map(toChunk);
    },
    async chunkBlobs(after) {
      const filter = after === undefined ? {} : { _id: { $gt: after } };
      const found = await chunk.find(filter).sort({ _id: 1 }).limit(PAGE_ROWS_MAX).toArray();
      const addresses = found.map((record) => blobOfChunk(toChunk(record)));
      return { addresses, next: found.at(-1)?._id };
    },
  };
}

function toChunk(record: RecordDocument): BatchChunk {
  const { document, leaseHolder, leaseUntil, tries = 0 } = record;
  return {
    ...(JSON.parse(document) as BatchChunk),
    ...(typeof leaseHolder === 'string' && { leaseHolder, leaseUntil: leaseUntil as EpochMs }),
    ...(tries > 0 && { tries }),
  };
}

function reviews(tools: AppendTools): Pick<Store, 'findReview' | 'listReviews'> {
  const { batch_review: review } = tools.collections.records;
  return {
    async findReview(batchId: BatchId, hitId: string) {
      const found = await review.findOne({ _id: reviewId(batchId, hitId) });
      return found === null ? undefined : toReview(found);
    },
    async listReviews(page) {
      const found = await review
        .find(reviewFilter(page))
        .sort({ ordinal: 1, position: 1 })
        .limit(Math.min(page.limit, PAGE_ROWS_MAX))
        .toArray();
      return found.map(toReview);
    },
  };
}

const toReview = ({ document }: RecordDocument): HitReview => JSON.parse(document) as HitReview;

function reviewFilter(page: Parameters<BatchStore['listReviews']>[0]): Filter<RecordDocument> {
  const { batchId, decision, after, toOrdinal } = page;
  const later = after && [
    { ordinal: { $gt: after.ordinal } },
    { ordinal: after.ordinal, position: { $gt: after.position } },
  ];
  const ordinal = {
    $gte: after?.ordinal ?? 0,
    ...(toOrdinal !== undefined && { $lt: toOrdinal }),
  };
  return {
    batchId,
    ordinal,
    ...(decision !== undefined && { decision }),
    ...(later && { $or: later }),
  };
}
