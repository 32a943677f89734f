/**
 * A batch, its chunks and the reviews of its hits, as the store keeps them.
 *
 * Little of a batch is in the database: its record, a record a chunk, and a record a reviewed hit.
 * The subjects and all findings are in the blob store, a blob a chunk (resultLine.ts), written once
 * and named by its digest; an unreviewed hit has no other record. So ten million customers are ten
 * thousand small records, and the results are write-once as such.
 */
import type { StoredFile } from '#core/blobs';
import type { BatchId, SourceId, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { SourceFormat } from '#slices/intake';
import type { ListSet, ScreeningSettings } from '#slices/screening';

/** interface.md 2.3; docs/decisions/0024 says which entities each one screens against. */
export const BATCH_MODES = ['full', 'delta', 'listsdelta', 'newlist'] as const;
export type BatchMode = (typeof BATCH_MODES)[number];

export const BATCH_STATUSES = ['queued', 'running', 'completed', 'failed', 'canceled'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

/**
 * `aml`: subjects against thresholds, one event a chunk. `sanctions` (interface.md 4.8): as many
 * screenings by the tenant's policy, one event each.
 */
export const BATCH_KINDS = ['aml', 'sanctions'] as const;
export type BatchKind = (typeof BATCH_KINDS)[number];

export const MATCH_TYPES = ['sanction', 'pep', 'adverse_media', 'rca'] as const;
export type MatchType = (typeof MATCH_TYPES)[number];

export const SUBJECT_DECISIONS = ['auto_clear', 'review', 'match'] as const;
export type SubjectDecision = (typeof SUBJECT_DECISIONS)[number];

/** Compared with directScore (interface.md 2.3): 0 < autoClear ≤ review ≤ autoMatch ≤ 1. */
export interface BatchThresholds {
  /** Below it there is no hit. */
  readonly autoClear: number;
  /** From autoClear to below it a subject is for review, from it on a match. */
  readonly review: number;
  /** A match with at least this score is a strong one, and comes first. */
  readonly autoMatch: number;
}

export type { StoredFile } from '#core/blobs';

/** Where the subjects came from. `address` is the SHA-256 of the bytes as they were sent. */
export interface BatchSource extends StoredFile {
  readonly type: 'csv' | 'json' | 'query';
  /** Format of the blob: a query's answer is stored as JSON. */
  readonly format: SourceFormat;
  /** The client's name for it, without its folders. */
  readonly fileName?: string;
  /** For `query`: the filter as it was given. */
  readonly filter?: Readonly<Record<string, unknown>>;
}

/** One list of a batch, pinned when the batch starts, named as events name lists. */
export interface PinnedList {
  readonly source: SourceId;
  readonly list_version: string;
  readonly list_digest: string;
  readonly content_digest: string;
  readonly published_at: EpochMs;
  /** Address of its index; absent in batches of a former release. */
  readonly index?: string;
  /** Address of what the index has changed since, where there is something. */
  readonly overlay?: string;
  /**
   * For modes other than full: the version that is known already. Entities that have not changed
   * since are not sought. Absent: all of this list is new.
   */
  readonly since?: {
    readonly list_version: string;
    readonly list_digest: string;
    readonly content_digest: string;
  };
}

/** Sums over the chunks that are done. They only grow. */
export interface BatchCounts {
  readonly chunks: number;
  readonly subjects: number;
  readonly subjectsWithHits: number;
  readonly hits: number;
  readonly byDecision: Readonly<Record<SubjectDecision, number>>;
  /** Hits. */
  readonly byMatchType: Readonly<Record<MatchType, number>>;
}

export const REPORT_FORMATS = ['csv', 'xlsx', 'pdf'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface BatchReports extends Readonly<Record<ReportFormat, StoredFile>> {
  /** JCS of the attestation with its signature, as it is embedded in the PDF. */
  readonly attestation: StoredFile;
  /** Detached Ed25519 signature of the PDF, base64. */
  readonly pdfSignature: string;
}

export interface Batch {
  readonly batchId: BatchId;
  readonly tenantId: TenantId;
  readonly kind: BatchKind;
  readonly name: string;
  readonly mode: BatchMode;
  /** Codes or source ids, as asked; none: all that are in force for the tenant. */
  readonly lists: readonly string[];
  readonly includePep: boolean;
  readonly includeAdverseMedia: boolean;
  readonly source: BatchSource;
  /** The instant that was requested, for `delta`. */
  readonly since?: EpochMs;
  /** Its subjects are watched once it is completed (`aml.batch.monitored`). */
  readonly monitor?: true;
  /** The batch that `delta`, `listsdelta` and `newlist` go on from. */
  readonly baseBatchId?: BatchId;
  readonly sandbox: boolean;
  /** Id of the API key or of the account. */
  readonly requestedBy: string;
  readonly requestedAt: EpochMs;
  /** `https://host/v1` as the caller reached it: URLs of reports begin with it. */
  readonly baseUrl: string;
  /** Both pinned when it was requested. */
  readonly settings: ScreeningSettings;
  readonly thresholds: BatchThresholds;
  /** 32 bytes in base64, of this batch alone: salts of result lines, and hit ids. */
  readonly secret: string;
  /** Result lines are of version 2 (subjectSeal.ts); absent: a batch of a former release. */
  readonly lineVersion?: 2;
  /** Subjects of a chunk, but for the last. */
  readonly chunkSubjects: number;

  readonly status: BatchStatus;
  readonly failure?: { readonly code: string; readonly detail: string };
  /** The transient failure that holds it up, until it goes on: a full disk, for one. */
  readonly notice?: { readonly code: string; readonly at: EpochMs };
  /** The number of its last turn among the batches that workers screen (core/work/turns.ts). */
  readonly turn?: number;
  readonly startedAt?: EpochMs;
  readonly completedAt?: EpochMs;
  /** Rows that came in; once the cohort was read, those of them that are screened. */
  readonly subjectsTotal: number;
  /** Rows so far that are not screened. */
  readonly rejectedTotal: number;
  /** `rejected.csv`: which ones, and why; once the whole cohort was read. */
  readonly rejected?: StoredFile;
  /** Set once the whole cohort was read. */
  readonly chunksTotal?: number;
  /** The lists by source, set at the start. */
  readonly listsPinned?: readonly PinnedList[];
  /** SHA-256 of the set of lists, as screenings have it (decisions 2.10). */
  readonly listVersion?: string;
  /** How that was made; absent: by a former release. */
  readonly listVersionV?: ListSet['listVersionV'];
  /** Digest of the tenant's exclusions at the start; absent: there were none. */
  readonly exclusions?: string;
  /** The resolution in force at the start: which entries of the lists are one. */
  readonly resolution?: string;
  readonly counts: BatchCounts;
  /** Merkle root in hex over the chunks' roots, in their order; once all are done. */
  readonly resultsRoot?: string;
  readonly reports?: BatchReports;
  /** W3C Trace Context of the request that ordered it, where that is traced. */
  readonly traceparent?: string;

  readonly version: number;
}

/** An event of the tenant's chain. */
export interface ChainPlace {
  readonly seq: number;
  readonly hash: string;
}

/** With the last of the entries that its reports stand on. */
export type PlacedBatch = Batch & { readonly chainPlace: ChainPlace };

/** CHUNK_SUBJECTS subjects: the unit of work and of recovery. */
export interface BatchChunk {
  readonly batchId: BatchId;
  readonly tenantId: TenantId;
  /** From 0. Holds the accepted subjects from chunkNo × chunkSubjects on. */
  readonly chunkNo: number;
  readonly subjects: number;
  /** Blob of its subjects (chunkBlob.ts). */
  readonly input: string;
  /** Its batch's, where that is traced. */
  readonly traceparent?: string;
  /** What was done of it when its rest was handed back (chunkPart.ts). */
  readonly part?: ChunkPart;
  /** Once it is done. */
  readonly result?: ChunkResult;
}

/** The first subjects of a chunk, screened. */
export interface ChunkPart {
  readonly blob: string;
  readonly subjects: number;
  /** By the key of the process that did it, base64. */
  readonly signature: string;
}

export interface ChunkResult {
  /** Blob of its result lines (resultLine.ts). */
  readonly blob: string;
  /** RFC 6962 over the lines, hex; it stands in the chunk's event. */
  readonly merkleRoot: string;
  readonly completedAt: EpochMs;
  readonly subjectsWithHits: number;
  readonly hits: number;
  readonly byDecision: Readonly<Record<SubjectDecision, number>>;
  readonly byMatchType: Readonly<Record<MatchType, number>>;
}

/** That reports are written again, and in place of which. */
export interface Reissue {
  /** The batch's first attestation. */
  readonly attestation_sha256: string;
  /** Subjects that were erased so far. */
  readonly erased_subjects: number;
}

/** The files of a batch since somebody of it was erased. */
export interface BatchIssue {
  readonly batchId: BatchId;
  readonly tenantId: TenantId;
  /** Version of the batch's data key since then: what is written of it lies under that one. */
  readonly keyVersion: number;
  readonly erasedAt: EpochMs;
  readonly rejected?: StoredFile;
  /** Once they are written again. */
  readonly reports?: BatchReports;
  /** Once they are, or need not be. */
  readonly endedAt?: EpochMs;
  readonly version: number;
}

export const HIT_DECISIONS = ['true_positive', 'false_positive'] as const;
export type HitDecision = (typeof HIT_DECISIONS)[number];

/** A person's decision about one hit. A hit without one is pending. */
export interface HitReview {
  readonly batchId: BatchId;
  readonly tenantId: TenantId;
  readonly hitId: string;
  /** Place of its subject in the batch, from 0, and of the hit among the subject's. */
  readonly ordinal: number;
  readonly position: number;
  readonly decision: HitDecision;
  readonly notes: string;
  readonly reviewerId: string;
  readonly reviewedAt: EpochMs;
  readonly version: number;
}

const noneOf = <Name extends string>(names: readonly Name[]): Readonly<Record<Name, number>> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;

export const noCounts = (): BatchCounts => ({
  byDecision: noneOf(SUBJECT_DECISIONS),
  byMatchType: noneOf(MATCH_TYPES),
  chunks: 0,
  hits: 0,
  subjects: 0,
  subjectsWithHits: 0,
});

export const hasEnded = ({ status }: Pick<Batch, 'status'>): boolean =>
  status !== 'queued' && status !== 'running';
