/**
 * One query of a pool, from its caller to its answer, and the memory that a task has for itself.
 * pool.ts decides what runs when; this file knows when a query is over and what became of it.
 */
import { callerGoneError, deadlineError, type StopFlag, sharedMonotonicMs } from './deadline.ts';
import type { EngineError } from './errors.ts';
import { BATCH_MAX, BLOCK, BLOCK_LENGTH, STATUS, type TaskQuery } from './messages.ts';
import type { NormalizedQuery } from './ports.ts';

/** One query, and who waits for it. */
export interface PoolAsk {
  readonly task: TaskQuery;
  /** Whose turn it takes: a tenant. */
  readonly turn: string;
  /** Fires when the answer is not wanted any more. */
  readonly signal?: AbortSignal | undefined;
}

/** A query that waits or runs. */
export interface Job extends PoolAsk {
  readonly settle: (
    outcome: { query: NormalizedQuery; block: Float64Array } | { error: Error },
  ) => void;
  /** While it runs: where its thread is told that its caller has left. */
  stop: StopFlag | undefined;
  attempts: number;
}

/** What one task at a time has for itself. */
export interface Slot {
  /** The lists' scratch of this number. */
  readonly number: number;
  readonly answers: SharedArrayBuffer;
  /** By position in the task: not 0 once the query's caller has left. */
  readonly stop: Int32Array;
  /** The count of dropped indexes that the thread of its last task was told of. */
  told: number;
}

/** A slot for tasks that use the lists' scratch `number`. */
export function newSlot(number: number): Slot {
  return {
    answers: new SharedArrayBuffer(BATCH_MAX * BLOCK_LENGTH * 8),
    number,
    stop: new Int32Array(new SharedArrayBuffer(BATCH_MAX * Int32Array.BYTES_PER_ELEMENT)),
    told: 0,
  };
}

/** Why a query must not begin any more; undefined where it may. */
export function endOf({ signal, task }: Job): EngineError | undefined {
  if (signal?.aborted === true) return callerGoneError();
  return sharedMonotonicMs() > task.expiresAt ? deadlineError() : undefined;
}

/** Gives a job of a finished task its answer, or the error that its block and message stand for. */
export function settleJob(
  job: Job,
  block: Float64Array,
  of: { message: string | undefined; normalized: NormalizedQuery | null | undefined },
): void {
  const status = block[BLOCK.status];
  const { query } = job.task;
  const compared = 'names' in query ? query : of.normalized;
  if (status === STATUS.done && compared) job.settle({ block, query: compared });
  else if (status === STATUS.expired) job.settle({ error: deadlineError() });
  else if (status === STATUS.abandoned) job.settle({ error: callerGoneError() });
  else job.settle({ error: new Error(of.message ?? 'engine: no answer from the thread') });
}
