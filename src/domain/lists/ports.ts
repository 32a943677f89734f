/**
 * Lists, their versions and where they are kept. src/storage/<technology>/listStore.ts implements
 * ListStore; src/storage/blob/ implements BlobStore.
 */
import type { EpochMs } from '#platform/clock';
import type { Change, SourceId } from '../kernel/index.ts';

/** A published, immutable version of one source's list. */
export interface ListVersion {
  readonly sourceId: SourceId;
  /** `v<date>.<letter>`, at most 32 characters. */
  readonly listVersion: string;
  /** SHA-256 hex over (ftm_id, last_seen_at) sorted by ftm_id (interface.md 2.12). */
  readonly listDigest: string;
  /** Over each entity's JCS without first and last seen (decisions 2.10; versions.ts). */
  readonly contentDigest: string;
  readonly entityCount: number;
  readonly nameCount: number;
  readonly publishedAt: EpochMs;
  /** Publisher's release date, YYYY-MM-DD. */
  readonly releaseDate: string;
  /** Content address of the signed bundle (list format v1, JSON lines) in the blob store. */
  readonly bundleBlob: string;
  /**
   * The whole bundle that `bundleBlob` holds the differences to (deltaBundle.ts). Absent:
   * `bundleBlob` is whole.
   */
  readonly bundleBase?: BundleBase;
  /**
   * Of a whole bundle: content address of what is kept of each of its lines (lineColumns.ts), for
   * deltas upon it. Absent: a small list, or a version of an earlier release.
   */
  readonly linesBlob?: string;
  readonly linesSeal?: StoredSeal;
  /**
   * Content address of the engine's binary snapshot: in the version's own record as it was
   * published, in `ListSource.active` as it is loaded (rebuildIndexes.ts).
   */
  readonly snapshotBlob: string;
  /** Of `snapshotBlob`, for overlays upon it; in the record of the version that it was made for. */
  readonly snapshotSeal?: StoredSeal;
  /**
   * Content address of the engine's overlay of what changed since `snapshotBlob` (then the
   * snapshot of an earlier version). Absent: `snapshotBlob` holds all of it.
   */
  readonly overlayBlob?: string;
  /**
   * Content address of what changed since the version before it: JSON lines `{"op","ftm_id"}`, op
   * is added, updated or removed (changes.ts). Absent: a version of an earlier release.
   */
  readonly changesBlob?: string;
  /** The run that published it. */
  readonly runId?: string;
  /** Of another installation's bundle: when that fetched it. An older one is not taken after it. */
  readonly bundledAt?: string;
}

/** A whole bundle that others hold the differences to. */
export interface BundleBase {
  readonly bundleBlob: string;
  readonly linesBlob: string;
  readonly linesSeal?: StoredSeal;
}

/** What a blob is held to instead of its address (storedSeal.ts); both in hex. */
export interface StoredSeal {
  readonly nonce: string;
  readonly tag: string;
}

/** What says where a version's text is. */
export type StoredBundle = Pick<ListVersion, 'bundleBlob' | 'bundleBase' | 'entityCount'>;

/** A publisher's list and how it is to be fetched (interface.md 2.11, sanctions_source). */
export interface ListSource {
  readonly sourceId: SourceId;
  readonly displayName: string;
  readonly kind: 'PUBLIC' | 'COMMERCIAL' | 'REGIONAL';
  readonly format: 'XML' | 'JSON' | 'CSV' | 'FtM_JSON';
  readonly url?: string;
  readonly enabled: boolean;
  /** Quartz, six fields, UTC. */
  readonly cronFull?: string;
  readonly cronDelta?: string;
  /** A file or folder under the configured root; where it is set nothing is fetched. */
  readonly airGapPath?: string;
  /** Why the scheduler disabled it by itself. */
  readonly disabledReason?: 'fired-too-often';
  readonly lastRunAt?: EpochMs;
  readonly lastRunId?: string;
  readonly lastStatus?: 'success' | 'failed' | 'running' | 'skipped' | 'partial';
  readonly lastCount?: number;
  /** The run that holds this source: one at a time. */
  readonly runningRunId?: string;
  /** When each schedule fired last: a fire happens once, over all workers. */
  readonly fires?: Readonly<Partial<Record<'full' | 'delta', Fire>>>;
  /** Of the file that was ingested last, to ask for it again only if it changed. */
  readonly validators?: {
    readonly etag?: string;
    readonly lastModified?: string;
    /** The publisher's name of it: what has changed since is asked for by that. */
    readonly publisherVersion?: string;
    readonly fileSha256: string;
  };
  readonly updatedAt: EpochMs;
  readonly updatedBy: string;
  readonly active?: ListVersion;
  readonly version: number;
}

export interface Fire {
  /** The time that the schedule names, whenever it was noticed. */
  readonly scheduledFor: EpochMs;
  /** When it really fired, latest last; three within a minute disable the source. */
  readonly recent: readonly EpochMs[];
}

/** `retry` follows a failed run by itself; `manual` comes from a person or a file. */
export type RunKind = 'full' | 'delta' | 'retry' | 'manual';

/** `partial`: published, though records of the file could not be read and stand in the log. */
export type RunStatus = 'running' | 'success' | 'failed' | 'partial' | 'skipped';

export interface RunLogLine {
  readonly at: EpochMs;
  readonly level: 'info' | 'warn' | 'error';
  /** Plain text, no personal data but what the public list itself says. */
  readonly text: string;
}

/** One ingestion run (interface.md 2.11, sanctions_list_run; 3.8). Kept 90 days. */
export interface ListRun {
  readonly runId: string;
  readonly sourceId: SourceId;
  readonly kind: RunKind;
  /** Of a `retry`: as what it is done. */
  readonly retryOf?: 'full' | 'delta';
  /** `cron`, or who asked: `cli:<user>`, `user:<issuer>|<subject>`, `key:<id>`. */
  readonly triggeredBy: string;
  readonly startedAt: EpochMs;
  readonly finishedAt?: EpochMs;
  readonly status: RunStatus;
  /** Where a running one is. */
  readonly stage?: string;
  /** Bytes read from the publisher or the file. */
  readonly fetchedBytes?: number;
  /** Records that the file declares, or holds where it declares none. */
  readonly fetchedCount?: number;
  readonly parsedCount?: number;
  readonly addedCount?: number;
  readonly updatedCount?: number;
  readonly removedCount?: number;
  /** What was kept as published, or could not be read, by kind. */
  readonly notes?: Readonly<Record<string, number>>;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  /** Content address of the signed bundle that it published. */
  readonly snapshotUri?: string;
  readonly listVersion?: string;
  /** Of the file, where it was read to its end. */
  readonly fileSha256?: string;
  /** Of the entities that would go, where they were too many (shrinkRelease.ts). */
  readonly removedDigest?: string;
  /** A shrunk list waits for it: the second signer of a release of the 10 % rule. */
  readonly shrinkApprovedBy?: string;
  /** What was released: more than it goes with another release only. */
  readonly shrinkReleased?: ShrinkRelease;
  /** At most RUN_LOG_LINES_MAX, the first and the last ones. */
  readonly log: readonly RunLogLine[];
  readonly durationsMs?: Readonly<Record<string, number>>;
  /** The worker that runs it; another takes over, or ends it, once it is silent (runs.ts). */
  readonly leaseHolder?: string;
  /** How many workers have begun it: one after its first claim. */
  readonly tries?: number;
  readonly leaseUntil?: EpochMs;
  readonly version: number;
}

/** What a run was refused for, that two persons looked at. */
export interface ShrinkRelease {
  readonly removedCount: number;
  readonly fileSha256: string;
  readonly removedDigest: string;
}

export const RUN_LOG_LINES_MAX = 500;

/** One signed change of a schedule (interface.md 2.11); the rows of a source are a hash chain. */
export interface ScheduleAudit {
  readonly auditId: string;
  readonly sourceId: SourceId;
  /** From 1 per source; unique (sourceId, seq). */
  readonly seq: number;
  readonly changedAt: EpochMs;
  readonly changedBy: string;
  readonly field: string;
  readonly oldValue: string | null;
  readonly newValue: string | null;
  readonly approvalUserId: string;
  readonly approvalReason: string;
  /** SHA-256 hex ("schedule-audit-v1\0" ‖ former chain_hash, or 64 zeros ‖ JCS of the row). */
  readonly chainHash: string;
}

export type ListChange =
  | (Change & {
      readonly kind: 'list.publish';
      readonly list: ListVersion;
      readonly versionExpected: number;
    })
  | (Change & {
      readonly kind: 'list.source.put';
      readonly source: ListSource;
      readonly versionExpected: number;
    });

export type RunChange =
  | (Change & {
      readonly kind: 'list.run.put';
      readonly run: ListRun;
      readonly versionExpected: number;
    })
  /** `stale` where (sourceId, seq) is taken. */
  | (Change & { readonly kind: 'list.schedule.audit'; readonly row: ScheduleAudit });

export interface ListStore {
  listSources(): Promise<ListSource[]>;
  findSource(sourceId: SourceId): Promise<ListSource | undefined>;
  /** Any version ever published, for replay. */
  findVersion(ask: {
    sourceId: SourceId;
    listDigest: string;
    contentDigest: string;
  }): Promise<ListVersion | undefined>;
  /** Latest published first; `before` is the label of a page's last version. */
  listVersions(page: {
    sourceId: SourceId;
    limit: number;
    before?: string;
  }): Promise<ListVersion[]>;
  /** Grows with every publication and resolution, cheap to ask: gateways poll it. */
  publicationCounter(): Promise<number>;
}

/** Runs and the signed changes of schedules. */
export interface RunStore {
  /**
   * Compare-and-set of a run without evidence: its lease, stage and log while it is under way.
   * `false`: its version is another one, or it has ended; nothing is written. What starts or ends a
   * run is a `list.run.put` of a commit.
   */
  saveRun(run: ListRun, versionExpected: number): Promise<boolean>;
  findRun(runId: string): Promise<ListRun | undefined>;
  /** Latest start first, ties by run id descending; `before` continues after a page's last run. */
  listRuns(page: {
    readonly sourceId?: SourceId;
    readonly status?: RunStatus;
    readonly since?: EpochMs;
    readonly before?: { readonly startedAt: EpochMs; readonly runId: string };
    readonly limit: number;
  }): Promise<ListRun[]>;
  /** Ended before `before`; answers how many went. */
  purgeRuns(before: EpochMs): Promise<number>;
  /** Latest first; `before` continues after a page's last seq. */
  listScheduleAudit(page: {
    sourceId: SourceId;
    limit: number;
    before?: number;
  }): Promise<ScheduleAudit[]>;
}

/** How a blob is to be put; all of it may be left to the store. */
export interface PutOptions {
  /** For this put alone; without it, one is drawn. */
  readonly sealKey?: Uint8Array;
  /**
   * Before it nobody removes the blob: a later put of the same bytes may put that off, and never
   * brings it forward.
   */
  readonly retainUntil?: EpochMs;
  /** About, of a stream whose length is known: a long one is digested in a thread. */
  readonly expectedBytes?: number;
}

/** Content-addressed, write-once. The address is the SHA-256 hex of the bytes. */
export interface BlobStore {
  /** Durable when it resolves; storing the same bytes again is a no-op. */
  put(bytes: Uint8Array | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<PutBlob>;
  /** Whole content, digest checked unless it has this seal; undefined when absent. */
  get(address: string, seal?: BlobSeal): Promise<Uint8Array | undefined>;
  /**
   * Into shared memory, checked as by `get`, without a second copy; into what `allocate` gives,
   * whose buffer may be longer than the bytes that it was asked for.
   */
  getShared(
    address: string,
    allocate?: (bytes: number) => SharedArrayBuffer,
    seal?: BlobSeal,
  ): Promise<SharedArrayBuffer | undefined>;
  /**
   * In pieces, in order; undefined when absent. The digest is known to be right only once the last
   * piece was taken: reading on then throws `list-damaged` where it is not. Whoever has just put it
   * may have it held to what that put answered instead: its seal is a tenth of the work, and finds
   * whatever a disk, or anybody else, has done to it since.
   */
  open(address: string, put?: PutBlob): Promise<AsyncIterable<Uint8Array> | undefined>;
  /**
   * To read here and there in it; undefined when absent. Nothing is held to its address: for
   * callers who know what they will find.
   */
  openRanges(address: string): Promise<BlobRanges | undefined>;
  has(address: string): Promise<boolean>;
  /** Bytes of its content; undefined when absent. */
  size(address: string): Promise<number | undefined>;
  /** Every blob, in no order, with when it was put last. */
  list(): AsyncIterable<StoredBlob>;
  /**
   * Removes a blob that nobody has put since `putBefore` and that need not be retained any more, or
   * answers false: of a put and a remove at the same time the put wins.
   */
  remove(address: string, options: { readonly putBefore: EpochMs }): Promise<boolean>;
}

export interface BlobRanges {
  /** Fewer bytes where it ends before. */
  read(start: number, bytes: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface PutBlob {
  readonly address: string;
  readonly bytes: number;
  /** Of the bytes as they were given; absent: the store does not seal. Its key is never stored. */
  readonly seal?: BlobSeal;
}

export interface BlobSeal {
  /** Of this put alone. */
  readonly key: Uint8Array;
  readonly tag: string;
}

export interface StoredBlob {
  readonly address: string;
  readonly bytes: number;
  readonly putAt: EpochMs;
}
