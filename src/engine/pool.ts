/**
 * The engine's threads behind one bounded queue. Queries wait here, not in Piscina: a free thread
 * takes up to BATCH_MAX of them at once, so the fixed price of a call shrinks as the load grows. A
 * query whose caller has given up is dropped before it costs anything, and a running one ends by
 * itself when its deadline passes (deadline.ts).
 *
 * A thread that dies takes its batch with it. The batch's queries run once more, one by one, so
 * that a poison query fails alone. Piscina starts a new thread by itself.
 */
import assert from 'node:assert/strict';
import { Piscina } from 'piscina';
import { keepAlive } from '#platform/threadRevival';
import { deadlineError, sharedMonotonicMs } from './deadline.ts';
import { EngineError } from './errors.ts';
import {
  BATCH_MAX,
  BLOCK,
  BLOCK_LENGTH,
  STATUS,
  type Task,
  type TaskQuery,
  type TaskResult,
} from './messages.ts';

/** A query that waits or runs. */
interface Job {
  readonly task: TaskQuery;
  readonly settle: (outcome: { block: Float64Array } | { error: Error }) => void;
  attempts: number;
}

interface PoolOptions {
  readonly threads: number;
  readonly queueMax: number;
  /** Buffers of all lists in use, at the time of the call. */
  readonly indexes: () => Task['indexes'];
  /** Another thread entry, for tests of what happens when one dies. */
  readonly threadUrl?: URL;
}

const ATTEMPTS_MAX = 2;

/**
 * A bounded queue of queries in front of `threads` threads. Rejects with EngineError
 * `engine-queue-full` or `deadline-exceeded`, and with an Error where a query threw or killed its
 * thread twice.
 */
export class Pool {
  readonly #piscina: Piscina<Task, TaskResult>;
  readonly #options: PoolOptions;
  readonly #waiting: Job[] = [];
  /** Answer buffers, one per task that may run at a time. */
  readonly #buffers: SharedArrayBuffer[];
  /**
   * Number of each answer buffer. Only one task writes to a buffer at a time, so it alone uses the
   * lists' scratch of this number.
   */
  readonly #slots: ReadonlyMap<SharedArrayBuffer, number>;
  /**
   * How often indexes were dropped, and the count that the last user of each buffer was told of.
   */
  #gone = 0;
  readonly #told = new Map<SharedArrayBuffer, number>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#buffers = Array.from(
      { length: options.threads },
      () => new SharedArrayBuffer(BATCH_MAX * BLOCK_LENGTH * 8),
    );
    this.#slots = new Map(this.#buffers.map((buffer, slot) => [buffer, slot]));
    this.#piscina = new Piscina<Task, TaskResult>({
      filename: (options.threadUrl ?? new URL('./thread.ts', import.meta.url)).href,
      name: 'runTask',
      minThreads: options.threads,
      maxThreads: options.threads,
      idleTimeout: Number.POSITIVE_INFINITY,
    });
    const noAnswers = new SharedArrayBuffer(0);
    keepAlive(this.#piscina, async () => {
      if (!this.#closed) await this.#runTask('[]', noAnswers);
    });
  }

  /**
   * Queues a query and resolves with what `read` makes of its answer block. `read` must copy what
   * it needs at once, because the next query overwrites the block.
   */
  run<T>(task: TaskQuery, read: (block: Float64Array) => T): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('engine: closed'));
    if (this.#waiting.length >= this.#options.queueMax) {
      const detail = `engine queue: expected at most ${this.#options.queueMax} waiting`;
      return Promise.reject(new EngineError('engine-queue-full', detail));
    }
    return new Promise<T>((resolve, reject) => {
      const settle: Job['settle'] = (outcome) => {
        if ('error' in outcome) reject(outcome.error);
        else resolve(read(outcome.block));
      };
      this.#waiting.push({ task, settle, attempts: 0 });
      // Queries of one turn of the event loop travel together.
      if (this.#waiting.length === 1) queueMicrotask(() => this.#dispatch());
    });
  }

  #dispatch(): void {
    while (this.#waiting.length > 0 && !this.#closed) {
      const buffer = this.#buffers.pop();
      if (buffer === undefined) return;
      void this.#runBatch(this.#takeBatch(), buffer);
    }
  }

  #takeBatch(): Job[] {
    // Queries are shared out evenly: one thread must not take all while another is free.
    const share = Math.ceil(this.#waiting.length / (this.#buffers.length + 1));
    const first = this.#waiting[0];
    const retried = first !== undefined && first.attempts > 0;
    return this.#waiting.splice(0, retried ? 1 : Math.min(BATCH_MAX, share));
  }

  async #runBatch(batch: Job[], buffer: SharedArrayBuffer): Promise<void> {
    const live = batch.filter((job) => !expire(job));
    const answers = new Float64Array(buffer);
    try {
      if (live.length === 0) return;
      for (let at = 0; at < live.length; at++) answers[at * BLOCK_LENGTH] = STATUS.pending;
      const queries = JSON.stringify(live.map(({ task }) => task));
      const messages = new Map(await this.#runTask(queries, buffer));
      live.forEach((job, at) => {
        settleJob(
          job,
          answers.subarray(at * BLOCK_LENGTH, (at + 1) * BLOCK_LENGTH),
          messages.get(at),
        );
      });
    } catch (error) {
      this.#retry(live, error);
    } finally {
      this.#giveBack([buffer]);
    }
  }

  #runTask(queries: string, answers: SharedArrayBuffer): Promise<TaskResult> {
    this.#told.set(answers, this.#gone);
    const indexes = this.#options.indexes();
    return this.#piscina.run({ answers, indexes, queries, slot: this.#slots.get(answers) ?? 0 });
  }

  #giveBack(buffers: readonly SharedArrayBuffer[]): void {
    this.#buffers.push(...buffers);
    this.#dispatch();
    // Threads that were at work while an index was dropped are told now.
    if (this.#buffers.some((buffer) => this.#told.get(buffer) !== this.#gone)) {
      void this.#tellIdle();
    }
  }

  #retry(jobs: readonly Job[], cause: unknown): void {
    for (const job of jobs.toReversed()) {
      job.attempts += 1;
      if (this.#closed || job.attempts >= ATTEMPTS_MAX) {
        job.settle({
          error: new Error('engine: a thread ended while it ran this query', { cause }),
        });
      } else {
        this.#waiting.unshift(job);
      }
    }
  }

  /**
   * Tells the threads that an index was dropped: idle ones free it now, the others when they fall
   * idle.
   */
  forget(): void {
    this.#gone++;
    void this.#tellIdle();
  }

  /** All idle threads are told at once, since Piscina decides which thread gets which task. */
  async #tellIdle(): Promise<void> {
    if (this.#closed) return;
    const idle = this.#buffers.splice(0);
    await Promise.allSettled(idle.map((buffer) => this.#runTask('[]', buffer)));
    this.#giveBack(idle);
  }

  /** Ends the threads; waiting and running queries reject. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#waiting.splice(0)) job.settle({ error: new Error('engine: closed') });
    await this.#piscina.destroy();
    assert.equal(this.#waiting.length, 0);
  }
}

function expire(job: Job): boolean {
  if (sharedMonotonicMs() <= job.task.expiresAt) return false;
  job.settle({ error: deadlineError() });
  return true;
}

function settleJob(job: Job, block: Float64Array, message: string | undefined): void {
  if (block[BLOCK.status] === STATUS.done) job.settle({ block });
  else if (block[BLOCK.status] === STATUS.expired) job.settle({ error: deadlineError() });
  else job.settle({ error: new Error(message ?? 'engine: no answer from the thread') });
}
