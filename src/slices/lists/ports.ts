/** Lists and their versions: the records (tables.ts), and what is read of them (listStore.ts). */
import type { SourceId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

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
   * For a whole bundle: content address of the table of its lines (lineColumns.ts), for deltas
   * against it. Absent: a small list, or a version of an earlier release.
   */
  readonly linesBlob?: string;
  readonly linesSeal?: StoredSeal;
  /**
   * Content address of the engine's binary snapshot. In the version's own record it is the one
   * published; in `ListSource.active` it is the one to load (rebuildIndexes.ts).
   */
  readonly snapshotBlob: string;
  /**
   * Seal of `snapshotBlob`, for overlays on it. It stands in the record of the version whose
   * snapshot it is.
   */
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
  /**
   * For a bundle of another installation: when that one fetched it. An older one is refused after
   * it.
   */
  readonly bundledAt?: string;
}

/** A whole bundle to which others hold the differences. */
export interface BundleBase {
  readonly bundleBlob: string;
  readonly linesBlob: string;
  readonly linesSeal?: StoredSeal;
}

/**
 * The seal against which a blob is verified instead of its address (storedSeal.ts); both in hex.
 */
export interface StoredSeal {
  readonly nonce: string;
  readonly tag: string;
}

/** The members that say where a version's text is. */
export type StoredBundle = Pick<ListVersion, 'bundleBlob' | 'bundleBase' | 'entityCount'>;

/** A publisher's list and how to fetch it (interface.md 2.11, sanctions_source). */
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
  /** A file or folder under the configured root. Where it is set, nothing is fetched. */
  readonly airGapPath?: string;
  /** Why the scheduler itself disabled the source. */
  readonly disabledReason?: 'fired-too-often';
  readonly lastRunAt?: EpochMs;
  readonly lastRunId?: string;
  readonly lastStatus?: 'success' | 'failed' | 'running' | 'skipped' | 'partial';
  readonly lastCount?: number;
  /** The run that has this source: one at a time. */
  readonly runningRunId?: string;
  /** When each schedule fired last: each time fires once over all workers. */
  readonly fires?: Readonly<Partial<Record<'full' | 'delta', Fire>>>;
  /** Validators of the file that was ingested last, to request it again only if it changed. */
  readonly validators?: {
    readonly etag?: string;
    readonly lastModified?: string;
    /**
     * The publisher's name of the file's version; a request for the changes since then names it.
     */
    readonly publisherVersion?: string;
    readonly fileSha256: string;
  };
  readonly updatedAt: EpochMs;
  readonly updatedBy: string;
  readonly active?: ListVersion;
  readonly version: number;
}

export interface Fire {
  /** The time that the schedule names, even if it was noticed later. */
  readonly scheduledFor: EpochMs;
  /** When it really fired, latest last; three within a minute disable the source. */
  readonly recent: readonly EpochMs[];
}

export interface ListStore {
  /** By id. */
  listSources(): Promise<readonly ListSource[]>;
  findSource(sourceId: SourceId): Promise<ListSource | undefined>;
  /** Any version ever published, by its label. */
  findVersion(key: Pick<ListVersion, 'sourceId' | 'listVersion'>): Promise<ListVersion | undefined>;
  /** The latest published, the last one first; at most 1,000. */
  listVersions(of: { sourceId: SourceId; limit: number }): Promise<readonly ListVersion[]>;
  /** All of a source, the last one published first. */
  everyVersion(sourceId: SourceId): AsyncIterable<ListVersion>;
  /** Grows with every publication and resolution. Cheap to read, because gateways poll it. */
  publicationCounter(): Promise<number>;
}
