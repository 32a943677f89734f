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
  /** SHA-256 hex over each entity's JCS without first and last seen (decisions 2.10). */
  readonly contentDigest: string;
  readonly entityCount: number;
  readonly nameCount: number;
  readonly publishedAt: EpochMs;
  /** Publisher's release date, YYYY-MM-DD. */
  readonly releaseDate: string;
  /** Content address of the signed bundle (list format v1, JSON lines) in the blob store. */
  readonly bundleBlob: string;
  /** Content address of the engine's binary snapshot. */
  readonly snapshotBlob: string;
}

export interface ListSource {
  readonly sourceId: SourceId;
  readonly displayName: string;
  readonly kind: 'PUBLIC' | 'COMMERCIAL' | 'REGIONAL';
  readonly format: 'XML' | 'JSON' | 'CSV' | 'FtM_JSON';
  readonly active?: ListVersion;
  readonly lastStatus?: 'success' | 'failed' | 'running' | 'skipped';
  readonly version: number;
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

export interface ListStore {
  listSources(): Promise<ListSource[]>;
  findSource(sourceId: SourceId): Promise<ListSource | undefined>;
  /** Any version ever published, for replay. */
  findVersion(ask: {
    sourceId: SourceId;
    listDigest: string;
    contentDigest: string;
  }): Promise<ListVersion | undefined>;
  listVersions(page: { sourceId: SourceId; limit: number }): Promise<ListVersion[]>;
  /** Grows with every publication, cheap to ask: gateways poll it. */
  publicationCounter(): Promise<number>;
}

/** Content-addressed, write-once. The address is the SHA-256 hex of the bytes. */
export interface BlobStore {
  /** Durable when it resolves; storing the same bytes again is a no-op. */
  put(bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ address: string; bytes: number }>;
  /** Whole content, digest checked; undefined when absent. */
  get(address: string): Promise<Uint8Array | undefined>;
  /** Into shared memory, digest checked, without a second copy. */
  getShared(address: string): Promise<SharedArrayBuffer | undefined>;
  has(address: string): Promise<boolean>;
}
