/**
 * Ports for the work on a chunk: the lists that its batch has pinned, and threads that screen
 * against them. Input and output of threads are plain data.
 */
import type { EventDraft } from '#core/audit';
import type { BusEvent } from '#core/kernel';
import type { ResolvedList } from '#slices/resolution';
import type { Exclusions } from '#slices/screening';
import type { Batch, BatchChunk, ChunkResult } from './batch.ts';

/** The lists of a batch, held in memory until they are released. */
export interface BatchLists<Index> {
  readonly lists: readonly { readonly source: string; readonly index: Index }[];
  readonly resolution?: PinnedResolution | undefined;
  release(): void;
}

/** Which entries of the lists are one. */
export interface PinnedResolution {
  /** The blob, in memory that threads share. */
  readonly bytes: Uint8Array;
  /** Its address. */
  readonly digest: string;
  /** The versions for which the links were made: links of other versions do not count. */
  readonly inForce: readonly ResolvedList[];
}

/**
 * The lists that a batch has pinned: the same for all its chunks, even after later publications.
 */
export interface BatchIndexes<Index> {
  /** Rejects with DomainError `list-unavailable` where a version cannot be loaded. */
  acquire(batch: Batch): Promise<BatchLists<Index>>;
}

/** A chunk that is to be screened; `Index` is an index as who screens knows it. */
export interface ChunkAsked<Index> extends Pick<BatchLists<Index>, 'lists' | 'resolution'> {
  readonly batch: Batch;
  readonly chunk: Pick<BatchChunk, 'chunkNo' | 'input' | 'subjects'>;
  /** Exclusions that the batch has pinned. */
  readonly exclusions?: Exclusions | undefined;
  /** The blob at `chunk.input`. */
  readonly input: Uint8Array;
  /** What was done of it before. */
  readonly part?: Uint8Array | undefined;
  /** Seed of the keys of its subjects; absent in batches of a former release. */
  readonly seed?: Uint8Array | undefined;
}

/** A chunk that took too long for one piece: the part that is done, all told. */
export interface ChunkRest {
  readonly part: Uint8Array;
  /** Subjects in it; more than before. */
  readonly subjects: number;
}

/** The figures that a chunk adds to its batch's counts. */
export type ChunkFigures = Omit<ChunkResult, 'blob' | 'merkleRoot' | 'completedAt'>;

/** A chunk that is screened. */
export interface ChunkWork {
  /** Its result lines, as they are stored. */
  readonly packed: Uint8Array;
  /** Hex. */
  readonly merkleRoot: string;
  readonly figures: ChunkFigures;
  /** For kind `sanctions`: the evidence of each screening, for the chunk's commit. */
  readonly events: readonly EventDraft[];
  readonly bus: readonly BusEvent[];
}

/** Screens chunks: in the product in threads of their own, each over the lists in shared memory. */
export interface ChunkThreads<Index> {
  /** Chunks screened at a time; further ones wait. */
  readonly atOnce: number;
  /**
   * Screens a chunk, or as much of it as a piece of work may take. Once it settles no thread works
   * on the chunk any more, so the lists may be released. Ends soon after `signal`, with its reason
   * or with WorkLost. Rejects with DomainError as screening does.
   */
  screen(asked: ChunkAsked<Index>, signal: AbortSignal): Promise<ChunkWork | ChunkRest>;
}
