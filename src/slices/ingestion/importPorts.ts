/**
 * What a run of a list needs and what it returns: the types of importList.ts, for code that starts
 * runs (workers, command line) and code that provides its ports
 * (edge/runParts.ts).
 */
import type { Actor, Commit } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import type { ChainId, TableChange } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import type { Random } from '#platform/random';
import type {
  IndexableEntity,
  IndexBytes,
  IndexInspection,
  ListChanges,
  ListSource,
  ListStore,
  ListVersion,
  SignedVersions,
} from '#slices/lists';
import type { RunKind, ShrinkRelease } from './ports.ts';
import type { RcaOptions } from './rca.ts';
import type { ListReader, ReadList } from './reader.ts';
import type { RunEnd } from './runs.ts';

export interface CarriedOver {
  readonly change: TableChange;
  /** Content address of the resolution that is in force with the version. */
  readonly resolution: string;
}

export interface ImportPorts extends IndexInspection {
  /** What the list was, by the entries about it. */
  readonly signed: Pick<
    SignedVersions,
    'changesSince' | 'checkBundle' | 'checkPublished' | 'lastLabel'
  >;
  readonly lists: Pick<ListStore, 'findSource' | 'findVersion' | 'listVersions'>;
  readonly blobs: Pick<BlobStore, 'put' | 'open' | 'openRanges' | 'get' | 'getShared'>;
  /** AuditLog.commit: durable when it resolves, `state-conflict` where another run was first. */
  readonly commit: (chainId: ChainId, commit: Commit) => Promise<unknown>;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly random: Random;
  /** Folder for data too large for memory, on a disk of this host, shared with other runs. */
  readonly spoolDirectory: string;
  /** Bytes that are sorted in memory before they are laid down; absent: SPOOL_RUN_BYTES. */
  readonly spoolRunBytes?: number;
  /** Entities from which on a delta is kept as one; absent: DELTA_FROM_ENTITIES (writeDelta.ts). */
  readonly deltaFromEntities?: number;
  /**
   * Carries the links to other lists over to the new version: a part of its commit, computed again
   * where that commit conflicts. Absent: all of its entries stand alone at first.
   */
  readonly carryOver?: (of: {
    readonly former: ListVersion | undefined;
    readonly version: ListVersion;
    readonly changes: ListChanges;
  }) => Promise<CarriedOver | undefined>;
  /** The engine's buildSnapshotFrom; entities come sorted by id. */
  readonly buildSnapshot: (
    batches: AsyncIterable<readonly IndexableEntity[]>,
  ) => Promise<IndexBytes>;
  /** The engine's overlay of what changed since `base`; absent: every version is a snapshot. */
  readonly buildOverlay?: (of: {
    readonly base: SharedArrayBuffer;
    readonly removed: readonly string[];
    /** Sorted by id. */
    readonly changed: readonly IndexableEntity[];
  }) => Promise<IndexBytes>;
}

export type ImportStage = 'read' | 'compare' | 'bundle' | 'index' | 'verify' | 'publish';

export interface ImportProgress {
  readonly stage: ImportStage;
  /** Bytes of the file, while it is read. */
  readonly bytes: number;
}

export interface ListCounts {
  readonly entities: number;
  readonly added: number;
  /** Entities whose content changed; a later date of last sight alone is no change. */
  readonly updated: number;
  readonly removed: number;
  /** Entities with a path to a sanctioned or politically exposed one. */
  readonly related: number;
}

/** Releases of checks that refuse by default (releaseChecks.ts) and may be wrong. */
export interface Allowances {
  /** A release older than the one in force. */
  readonly older: boolean;
  /** More removals than a tenth. */
  readonly shrink: boolean;
  /** The same, limited to the losses that two persons released. */
  readonly shrinkReleased?: ShrinkRelease;
  /** Who approved the shrink beside the one who runs it; stands in the evidence. */
  readonly shrinkApprovedBy?: string;
}

export interface ImportListOptions {
  readonly sourceId: string;
  /** The file; read once, in order. */
  readonly read: AsyncIterable<Uint8Array>;
  readonly reader: ListReader;
  readonly ports: ImportPorts;
  readonly actor: Actor;
  /** A run that has begun already; absent: one begins here, of kind `manual`. */
  readonly run?: { readonly runId: string; readonly kind: RunKind; readonly startedAt: EpochMs };
  /** Refusals (releaseChecks.ts) that the caller knows to be wrong. */
  readonly allow?: Partial<Allowances>;
  readonly rca?: RcaOptions;
  /**
   * Whether related-party paths are worked out anew, or kept as they are until a run does: entities
   * that are new then have none. Absent: `keep` for runs of kind `delta`, else `rebuild`.
   */
  readonly rcaPaths?: 'rebuild' | 'keep';
  /** The publisher's statements about the file; called once it was read. */
  readonly validators?: (read: ReadList) => Omit<NonNullable<RunEnd['validators']>, 'fileSha256'>;
  /**
   * Fires once another holder has the run: that one decides its end, and nothing is recorded here.
   */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Lines for a person who follows the run: what was skipped and why. */
  readonly onLog?: (level: 'info' | 'warn' | 'error', text: string) => void;
  /**
   * The records after the run, committed together with its effect: the source (each commit moves
   * its version by one) and the changes beside it, as the run's own. Called again with a fresh
   * source where that changed meanwhile. Absent: only the source notes how the run ended.
   */
  readonly endRun?: (of: {
    readonly source: ListSource;
    readonly end: RunEnd;
    readonly at: EpochMs;
  }) => EndedRun | Promise<EndedRun>;
}

export interface EndedRun {
  /** `source` with version + 1. */
  readonly source: ListSource;
  readonly changes: readonly TableChange[];
}

export interface ImportResult {
  /** `partial`: published, though records of the file could not be read (`skipped`). */
  readonly status: 'success' | 'partial' | 'skipped';
  readonly runId: string;
  readonly kind: RunKind;
  /** The version in force after the run. */
  readonly version: ListVersion;
  readonly counts: ListCounts;
  /** Records that the reader passed on, removals of a delta included. */
  readonly parsedCount: number;
  /** Records that the file declares, where its format does. */
  readonly declaredCount?: number;
  /** Records that could not be read: where and why. */
  readonly skipped: readonly string[];
  /** Counts of values that could not be normalised and were kept as published, by kind. */
  readonly notes: Readonly<Record<string, number>>;
  /** SHA-256 hex of the file's bytes. */
  readonly fileSha256: string;
  readonly fileBytes: number;
  readonly durationsMs: Readonly<Partial<Record<ImportStage, number>>>;
}
