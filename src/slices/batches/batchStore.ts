/**
 * Batches, their chunks and reviews, as the slice reads them: one store over the tables, whichever
 * database they lie in. What is written is a change of a commit, a lease, or work of its holder.
 */
import type { PageAsk, Tables } from '#core/kernel';
import { BATCH_KINDS } from './batch.ts';
import type { BatchPage, BatchStore, ReviewPage } from './ports.ts';
import { batchTable, chunkTable, issueTable, reviewTable } from './tables.ts';

/** Behind every id of a hit, in the order of text. */
const LAST_HIT_ID = '~';

/** The store over these tables. */
export function batchStore(tables: Pick<Tables, 'find' | 'held' | 'inTurns' | 'page'>): BatchStore {
  return {
    async findBatch({ batchId, tenantId }) {
      const found = await tables.find(batchTable, { batchId });
      return found?.tenantId === tenantId ? found : undefined;
    },
    async findChunk(batchId, chunkNo) {
      return tables.find(chunkTable, { batchId, chunkNo });
    },
    async findReview(batchId, hitId) {
      return tables.find(reviewTable, { batchId, hitId });
    },
    heldBatches: (limit) => tables.held(batchTable, { limit }),
    async latestIssue(batchId) {
      const ask = { direction: 'descending', equal: { batchId }, index: 'key', limit: 1 } as const;
      return (await tables.page(issueTable, ask)).records[0];
    },
    async listBatches(page) {
      return (await tables.page(batchTable, batchesAsk(page))).records;
    },
    async listChunks({ batchId, fromNo, limit }) {
      // Without one of them there would be fewer hits.
      const ask = { equal: { batchId }, from: fromNo, index: 'key', isWhole: true, limit } as const;
      return (await tables.page(chunkTable, ask)).records;
    },
    async listReviews(page) {
      return (await tables.page(reviewTable, reviewsAsk(page))).records;
    },
    async openIssues(limit) {
      const ask = { equal: { isOpen: true }, index: 'open', limit };
      return (await tables.page(issueTable, ask)).records;
    },
    openBatches: (limit) =>
      tables.inTurns(batchTable, {
        equal: { isOpen: true },
        index: 'open',
        lane: 'tenantId',
        limit,
      }),
  };
}

/** Each choice of filters finds its index; of both kinds two ranges of it are merged. */
function batchesAsk({ before, kind, limit, name, status, tenantId }: BatchPage): PageAsk {
  const equal = {
    tenantId,
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
  };
  return {
    direction: 'descending',
    equal: kind === undefined ? equal : { ...equal, kind },
    index: indexOf(name, status),
    limit,
    ...(kind === undefined && { in: { field: 'kind', values: BATCH_KINDS } }),
    ...(before && { after: [before.requestedAt, before.batchId] }),
  };
}

function indexOf(name: string | undefined, status: string | undefined): string {
  if (name === undefined) return status === undefined ? 'byKind' : 'byStatusAndKind';
  return status === undefined ? 'byNameAndKind' : 'byNameStatusAndKind';
}

function reviewsAsk({ after, batchId, decision, limit, toOrdinal }: ReviewPage): PageAsk {
  return {
    equal: decision === undefined ? { batchId } : { batchId, decision },
    index: decision === undefined ? 'byPlace' : 'byDecision',
    isWhole: true,
    limit,
    // One hit stands at each place.
    ...(after && { after: [after.ordinal, after.position, batchId, LAST_HIT_ID] }),
    ...(toOrdinal !== undefined && { to: toOrdinal }),
  };
}
