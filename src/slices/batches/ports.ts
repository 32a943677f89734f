/** What the slice needs of other parts. */
import type { BatchId, Leased, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Subject } from '#slices/intake';
import type {
  Batch,
  BatchChunk,
  BatchIssue,
  BatchKind,
  BatchStatus,
  HitDecision,
  HitReview,
} from './batch.ts';

/** Selects a tenant's stored cases; an absent member does not narrow. */
export interface CohortFilter {
  readonly caseStatus?: string;
  /** Any of them; never empty. */
  readonly caseRiskTiers?: readonly string[];
  /** ISO 3166 alpha-2. */
  readonly countryResidence?: string;
}

/** The words that a filter over cases has. */
export interface CaseWords {
  readonly statuses: readonly string[];
  readonly riskTiers: readonly string[];
}

/** The tenant's customers as identity verification keeps them. */
export interface StoredCases {
  /** Which there are is the cases' to say. */
  words(): Promise<CaseWords>;
  /**
   * By external_id in code-unit order, each once, at most `limit` (1..1000); pass the last one seen
   * for the next page. No cases is an empty page. One without a name has an empty `full_name`,
   * and is named among the rejected.
   */
  listSubjects(page: {
    readonly tenantId: TenantId;
    readonly filter: CohortFilter;
    readonly limit: number;
    readonly afterExternalId?: string;
  }): Promise<readonly Subject[]>;
}

/** Whether the tenant's own system took the news that a batch is completed. */
export type WebhookDelivered = (
  batch: Readonly<{ batchId: BatchId; tenantId: TenantId }>,
) => Promise<boolean>;

/** Which of a tenant's batches; what is absent does not narrow. */
export interface BatchPage {
  readonly tenantId: TenantId;
  readonly kind?: BatchKind;
  readonly name?: string;
  readonly status?: BatchStatus;
  readonly before?: { readonly requestedAt: EpochMs; readonly batchId: BatchId };
  readonly limit: number;
}

/** Which reviews of a batch. */
export interface ReviewPage {
  readonly batchId: BatchId;
  readonly decision?: HitDecision;
  readonly after?: Pick<HitReview, 'ordinal' | 'position'>;
  /** Exclusive. */
  readonly toOrdinal?: number;
  readonly limit: number;
}

/**
 * What the slice reads of its tables; batchStore.ts implements it. What is written is a change of a
 * commit, a lease, or the work of its holder.
 */
export interface BatchStore {
  /** Another tenant's batch is as unknown as one that there is not. */
  findBatch(ask: { tenantId: TenantId; batchId: BatchId }): Promise<Batch | undefined>;
  /** Latest request first, ties by batch id descending; `before` goes on after a page's last. */
  listBatches(page: BatchPage): Promise<readonly Batch[]>;
  /**
   * Queued and running ones, what workers look for: the oldest request of each tenant, then the
   * second of each, and so on, within a turn by request. So no tenant's many hide another's few.
   */
  openBatches(limit: number): Promise<readonly Batch[]>;
  /** Batches that a worker has in hand as a whole, with its lease, by batch id. */
  heldBatches(limit: number): Promise<readonly Leased<Batch>[]>;
  findChunk(batchId: BatchId, chunkNo: number): Promise<BatchChunk | undefined>;
  /** Ascending from `fromNo`. */
  listChunks(page: {
    readonly batchId: BatchId;
    readonly fromNo: number;
    readonly limit: number;
  }): Promise<readonly BatchChunk[]>;
  findReview(batchId: BatchId, hitId: string): Promise<HitReview | undefined>;
  /** Since the last erasure; undefined: nobody of the batch was ever erased. */
  latestIssue(batchId: BatchId): Promise<BatchIssue | undefined>;
  /** Those that wait for their reports, by tenant. */
  openIssues(limit: number): Promise<readonly BatchIssue[]>;
  /** By ordinal and position; `after` goes on after a page's last. */
  listReviews(page: ReviewPage): Promise<readonly HitReview[]>;
}
