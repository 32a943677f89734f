/**
 * Messages between the pool and its threads. A task carries several queries, so that Piscina's
 * price per call (20 to 27 µs) is shared under load. Answers come back in a shared Float64Array
 * that the pool owns, one block per query, instead of objects that would have to be cloned:
 *   [0] status  [1] candidates  [2] truncated  [3..6] stages  [7..] rows of ROW_LENGTH (topK.ts)
 */
import type { ListMemory } from './listMemory.ts';
import type { NormalizedQuery, RawQuery, ScorerSettings } from './ports.ts';
import { CANDIDATES_MAX, ROW_LENGTH } from './topK.ts';

/** Queries that one task carries at most. */
export const BATCH_MAX = 8;
const BLOCK_HEAD = 7;
/** Float64 elements of one query's answer. */
export const BLOCK_LENGTH = BLOCK_HEAD + CANDIDATES_MAX * ROW_LENGTH;
/** Places in a block; `rows` is where the first row begins. */
export const BLOCK = {
  status: 0,
  count: 1,
  truncated: 2,
  /** On the clock of sharedMonotonicMs; 0: nobody wanted to know. */
  startMs: 3,
  readMs: 4,
  endMs: 5,
  rerankMs: 6,
  rows: BLOCK_HEAD,
} as const;
/**
 * A block's status. `failed`: the query threw, and the task's result has the message. `abandoned`:
 * its caller has left.
 */
export const STATUS = { pending: 0, done: 1, expired: 2, failed: 3, abandoned: 4 } as const;

/** One query of a task, as JSON: strings and numbers only. */
export interface TaskQuery {
  /** Raw: the thread normalises it, and the task's result has what came of it. */
  readonly query: RawQuery | NormalizedQuery;
  readonly settings: ScorerSettings;
  /** Numbers of loaded parts, in the call's order. */
  readonly indexes: readonly number[];
  /** Milliseconds on the clock of sharedMonotonicMs; nobody waits for the answer after it. */
  readonly expiresAt: number;
  /** Its caller wants to know how long its stages took. */
  readonly isTimed?: true;
}

/**
 * One part of an index, as a thread opens it: a snapshot, and the entities that an overlay hides.
 */
export interface PartBuffer {
  readonly number: number;
  readonly buffer: SharedArrayBuffer;
  /** The buffer laid out for all threads; without it a runner lays out a copy of its own. */
  readonly memory?: ListMemory | undefined;
  /**
   * Bitmap of entities that an overlay hides (isRemoved); the overlay's own follow as the next
   * part.
   */
  readonly removed?: Uint8Array | undefined;
}

/**
 * One call of a thread. Its answers have BLOCK_LENGTH float64 per query, in the order of `queries`.
 */
export interface Task {
  /** JSON of TaskQuery[]: cheaper to hand over than objects. */
  readonly queries: string;
  /** All parts in use: a thread drops any other that it holds. */
  readonly indexes: readonly PartBuffer[];
  readonly answers: SharedArrayBuffer;
  /**
   * Scratch of each list that no other task uses while this one runs: the number of its answer
   * buffer.
   */
  readonly slot: number;
  /** In shared memory, by position in the task: not 0 once the query's caller has left. */
  readonly stop: Int32Array;
}

/** The result of a task, beside the answers in shared memory. */
export interface TaskResult {
  /** Messages of failed queries, each with the position of its query in the task. */
  readonly failures: readonly (readonly [number, string])[];
  /**
   * JSON of (NormalizedQuery | null)[], by position: what a raw query was normalised to; null for
   * one that came normalised, or has no answer.
   */
  readonly normalized: string;
}
