/** What the slice needs of other parts. */
import type { BatchId, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Subject } from '#slices/intake';
import type { Batch, BatchChunk, BatchStatus, HitDecision, HitReview } from './batch.ts';

/** Selects a tenant's stored cases; an absent member does not narrow. */
export interface CohortFilter {
  readonly caseStatus?: string;
  /** Any of them; never empty. */
  readonly caseRiskTiers?: readonly string[];
  /** ISO 3166 alpha-2. */
  readonly countryResidence?: string;
}

/** The tenant's customers as identity verification keeps them. */
export interface StoredCases {
  /**
   * By external_id in code-unit order, each once, at most `limit` (1..1000); pass the last one seen
   * for the next page. No cases is an empty page.
   */
  listSubjects(page: {
    readonly tenantId: TenantId;
    readonly filter: CohortFilter;
    readonly limit: number;
    readonly afterExternalId?: string;
  }): Promise<readonly Subject[]>;
}

/**
 * Batches, their chunks and reviews. What leaves evidence is a BatchChange of a commit; leases and
 * chunks that wait are written here, without. src/storage/<technology>/batchStore.ts implements it.
 */
export interface BatchStore {
  findBatch(ask: { tenantId: TenantId; batchId: BatchId }): Promise<Batch | undefined>;
  /** Latest request first, ties by batch id descending; `before` goes on after a page's last. */
  listBatches(page: {
    readonly tenantId: TenantId;
    readonly name?: string;
    readonly status?: BatchStatus;
    readonly before?: { readonly requestedAt: EpochMs; readonly batchId: BatchId };
    readonly limit: number;
  }): Promise<Batch[]>;
  /**
   * Queued and running ones, what workers look for: the oldest request of each tenant, then the
   * second of each, and so on, within a turn by request. So no tenant's many hide another's few.
   */
  openBatches(limit: number): Promise<Batch[]>;
  /**
   * Compare-and-set without evidence: the lease, and how far the cohort was read. `false`: its
   * version is another one, or it has ended; nothing is written.
   */
  saveBatch(batch: Batch, versionExpected: number): Promise<boolean>;
  /** Chunks that are there already stay as they are: a cohort may be read again after a crash. */
  addChunks(chunks: readonly BatchChunk[]): Promise<void>;
  /**
   * The first chunk of the batch that is neither done nor leased beyond `now`, leased to `holder`
   * until `until`, with one more try, in one step; undefined where there is none. Of two that ask
   * at once each gets another one.
   */
  leaseChunk(ask: {
    readonly batchId: BatchId;
    readonly holder: string;
    readonly now: EpochMs;
    readonly until: EpochMs;
  }): Promise<BatchChunk | undefined>;
  /** `false`: it is done, or another's. An `until` in the past gives it back; the try counts. */
  renewChunk(ask: {
    readonly batchId: BatchId;
    readonly chunkNo: number;
    readonly holder: string;
    readonly until: EpochMs;
  }): Promise<boolean>;
  /** Gives it back as if it had not been leased: the try does not count. `false`: as above. */
  returnChunk(ask: {
    readonly batchId: BatchId;
    readonly chunkNo: number;
    readonly holder: string;
  }): Promise<boolean>;
  findChunk(batchId: BatchId, chunkNo: number): Promise<BatchChunk | undefined>;
  /** Ascending from `fromNo`. */
  listChunks(page: {
    readonly batchId: BatchId;
    readonly fromNo: number;
    readonly limit: number;
  }): Promise<BatchChunk[]>;
  findReview(batchId: BatchId, hitId: string): Promise<HitReview | undefined>;
  /** By ordinal and position; `after` goes on after a page's last. */
  listReviews(page: {
    readonly batchId: BatchId;
    readonly decision?: HitDecision;
    readonly after?: Pick<HitReview, 'ordinal' | 'position'>;
    /** Exclusive. */
    readonly toOrdinal?: number;
    readonly limit: number;
  }): Promise<HitReview[]>;
  /**
   * Every blob that a batch names, over all tenants: sources, results, reports, and the inputs of
   * chunks that are not done. A batch is kept for ten years, and these with it.
   */
  namedBlobs(): AsyncIterable<string>;
}
