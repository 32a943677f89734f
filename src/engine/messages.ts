/**
 * What the pool and its threads say to each other. A task carries several queries, so that
 * Piscina's price per call (20 to 27 µs) is shared under load. Answers come back in a shared
 * Float64Array that the pool owns, one block per query, in place of objects that would have to be
 * cloned:
 *   [0] status  [1] candidates  [2] truncated  [3..] rows of ROW_LENGTH (topK.ts)
 */
import type { ListMemory } from './listMemory.ts';
import type { NormalizedQuery, ScorerSettings } from './ports.ts';
import { CANDIDATES_MAX, ROW_LENGTH } from './topK.ts';

/** Queries of one task. */
export const BATCH_MAX = 8;
const BLOCK_HEAD = 3;
/** Float64 elements of one query's answer. */
export const BLOCK_LENGTH = BLOCK_HEAD + CANDIDATES_MAX * ROW_LENGTH;
/** Places in a block. */
export const BLOCK = { status: 0, count: 1, truncated: 2, rows: BLOCK_HEAD } as const;
/** `failed`: this query threw; the message is in the task's result. */
export const STATUS = { pending: 0, done: 1, expired: 2, failed: 3 } as const;

/** One query of a task; strings and numbers only. */
export interface TaskQuery {
  readonly query: NormalizedQuery;
  readonly settings: ScorerSettings;
  /** Numbers of loaded parts, in the call's order. */
  readonly indexes: readonly number[];
  /** On the clock of sharedMonotonicMs: after it nobody waits for the answer. */
  readonly expiresAt: number;
}

/** One list of a call, as a thread opens it. */
export interface PartBuffer {
  readonly number: number;
  readonly buffer: SharedArrayBuffer;
  /** The buffer laid out for all threads; without it a runner makes a copy for itself. */
  readonly memory?: ListMemory | undefined;
  /** Bitmap of entities that an overlay hides; the overlay's own follow as the next part. */
  readonly removed?: Uint8Array | undefined;
}

/** One call of a thread. */
export interface Task {
  /** JSON of TaskQuery[]: cheaper to hand over than objects. */
  readonly queries: string;
  /** All parts in use: a thread drops those that it holds beyond them. */
  readonly indexes: readonly PartBuffer[];
  readonly answers: SharedArrayBuffer;
  /** The scratch of each list that is this task's while it runs: the number of its answers. */
  readonly slot: number;
}

/** Messages of failed queries by position. */
export type TaskResult = readonly (readonly [number, string])[];
