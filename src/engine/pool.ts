/**
 * The engine's threads behind one bounded queue, in which callers take turns (turnQueue.ts).
 * Queries wait here, not in Piscina: a free thread takes up to BATCH_MAX of them at once, so the
 * fixed price of a call shrinks as the load grows. A query whose time is over or whose caller has
 * left is dropped before it costs anything, and a running one ends by itself (deadline.ts).
 *
 * A thread that dies takes its batch with it. The batch's queries run once more, one by one, so
 * that a poison query fails alone. Piscina starts a new thread by itself.
 */
import assert from 'node:assert/strict';
import { Piscina } from 'piscina';
import { keepAlive } from '#platform/threadRevival';
import { TurnQueue } from '#platform/turnQueue';
import { callerGoneError } from './deadline.ts';
import { EngineError } from './errors.ts';
import { BATCH_MAX, BLOCK_LENGTH, STATUS, type Task, type TaskResult } from './messages.ts';
import { endOf, type Job, newSlot, type PoolAsk, type Slot, settleJob } from './poolJob.ts';
import type { NormalizedQuery } from './ports.ts';
import { queryUnits } from './queryUnits.ts';

interface PoolOptions {
  readonly threads: number;
  readonly queueMax: number;
  /** Buffers of all lists in use, at the time of the call. */
  readonly indexes: () => Task['indexes'];
  /** Number of the first scratch of the lists that is this pool's; it uses `threads` of them. */
  readonly firstSlot?: number;
  /** Its queries may take long: threads give way to others, and rest. */
  readonly isForLong?: boolean;
  /** Threads start with the first query, and end once they have had none for a while. */
  readonly threadsRest?: boolean;
  /** Another thread entry, for tests of what happens when one dies. */
  readonly threadUrl?: URL;
}

const ATTEMPTS_MAX = 2;
/** Units after which a batch is full: what waits together ends together, so it must be short. */
const BATCH_UNITS_MAX = 1_024;
/** While queries wait, those whose time is over are told so this often. */
const EXPIRY_MS = 50;
/** Each thread has kernels and tables of its own, some 40 MB: too much for one that rests. */
const REST_MS = 60_000;
const LONG_NICE_INCREMENT = 5;

/**
 * A bounded queue of queries in front of `threads` threads. Rejects with EngineError
 * `engine-queue-full`, `deadline-exceeded` or `caller-gone`, and with an Error where a query threw
 * or killed its thread twice.
 */
export class Pool {
  readonly #piscina: Piscina<Task, TaskResult>;
  readonly #options: PoolOptions;
  readonly #waiting: TurnQueue<Job>;
  /** Queries of a thread that died; they come first, each alone. */
  readonly #retried: Job[] = [];
  /** One per task that may run at a time; those that no task has. */
  readonly #slots: Slot[];
  /** How often indexes were dropped. */
  #gone = 0;
  #expiry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: PoolOptions) {
    const { firstSlot = 0, isForLong = false, threads } = options;
    const { threadsRest = isForLong } = options;
    this.#options = options;
    this.#waiting = new TurnQueue(options.queueMax);
    this.#slots = Array.from({ length: threads }, (_, at) => newSlot(firstSlot + at));
    this.#piscina = new Piscina<Task, TaskResult>({
      filename: (options.threadUrl ?? new URL('./thread.ts', import.meta.url)).href,
      name: 'runTask',
      minThreads: threadsRest ? 0 : threads,
      maxThreads: threads,
      idleTimeout: threadsRest ? REST_MS : Number.POSITIVE_INFINITY,
      niceIncrement: isForLong ? LONG_NICE_INCREMENT : 0,
    });
    const nothing = newSlot(firstSlot);
    keepAlive(this.#piscina, async () => {
      if (!this.#closed) await this.#runTask('[]', nothing);
    });
  }

  /**
   * Queues a query and resolves with what `read` makes of it, normalised, and of its answer block.
   * `read` must copy what it needs at once, because the next query overwrites the block.
   */
  run<T>(ask: PoolAsk, read: (query: NormalizedQuery, block: Float64Array) => T): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('engine: closed'));
    const { signal } = ask;
    if (signal?.aborted === true) return Promise.reject(callerGoneError());
    return new Promise<T>((resolve, reject) => {
      const onGone = (): void => this.#abandon(job);
      const settle: Job['settle'] = (outcome) => {
        signal?.removeEventListener('abort', onGone);
        if ('error' in outcome) reject(outcome.error);
        else resolve(read(outcome.query, outcome.block));
      };
      const job: Job = { ...ask, attempts: 0, settle, stop: undefined };
      if (!this.#waiting.offer(job)) {
        reject(new EngineError('engine-queue-full', this.#refusal()));
        return;
      }
      signal?.addEventListener('abort', onGone, { once: true });
      // Queries of one turn of the event loop travel together.
      if (this.#waiting.count === 1) queueMicrotask(() => this.#dispatch());
    });
  }

  #refusal(): string {
    const { queueMax } = this.#options;
    return `engine queue: expected at most ${queueMax} waiting, of one tenant as many as are free`;
  }

  /** The caller has left: a query that waits never begins, one that runs ends soon. */
  #abandon(job: Job): void {
    if (this.#waiting.remove(job)) job.settle({ error: callerGoneError() });
    else if (job.stop !== undefined) Atomics.store(job.stop.flags, job.stop.at, 1);
  }

  #dispatch(): void {
    while (!this.#closed && this.#slots.length > 0) {
      const batch = this.#takeBatch();
      const slot = batch.length > 0 ? this.#slots.pop() : undefined;
      if (slot === undefined) return;
      void this.#runBatch(batch, slot);
    }
    if (this.#waiting.count > 0) this.#watchExpiry();
  }

  /** What is handed over may still be answered; empty where nothing waits. */
  #takeBatch(): Job[] {
    const retried = this.#nextOf(() => this.#retried.shift());
    if (retried !== undefined) return [retried];
    // Queries are shared out evenly: one thread must not take all while another is free.
    const share = Math.ceil(this.#waiting.count / this.#slots.length);
    const most = Math.min(BATCH_MAX, share);
    const batch: Job[] = [];
    for (let units = 0; batch.length < most && units < BATCH_UNITS_MAX; ) {
      const job = this.#nextOf(() => this.#waiting.take());
      if (job === undefined) break;
      batch.push(job);
      units += queryUnits(job.task.query);
    }
    return batch;
  }

  /** The next one whose answer is still waited for; those before it are told that it is over. */
  #nextOf(take: () => Job | undefined): Job | undefined {
    for (let job = take(); job !== undefined; job = take()) {
      const error = endOf(job);
      if (error === undefined) return job;
      job.settle({ error });
    }
    return undefined;
  }

  /** Threads may be busy for as long as a query may run: nobody waits for them past the time. */
  #watchExpiry(): void {
    if (this.#expiry !== undefined) return;
    const look = (): void => {
      this.#expiry = undefined;
      for (const job of this.#waiting.removeOver((one) => endOf(one) !== undefined)) {
        const error = endOf(job);
        assert(error !== undefined, 'what is over stays over');
        job.settle({ error });
      }
      if (this.#waiting.count > 0) this.#watchExpiry();
    };
    this.#expiry = setTimeout(look, EXPIRY_MS).unref();
  }

  async #runBatch(batch: readonly Job[], slot: Slot): Promise<void> {
    const answers = new Float64Array(slot.answers);
    try {
      batch.forEach((job, at) => {
        answers[at * BLOCK_LENGTH] = STATUS.pending;
        Atomics.store(slot.stop, at, 0);
        job.stop = { at, flags: slot.stop };
      });
      const queries = JSON.stringify(batch.map(({ task }) => task));
      const result = await this.#runTask(queries, slot);
      const normalized = JSON.parse(result.normalized) as readonly (NormalizedQuery | null)[];
      const messages = new Map(result.failures);
      batch.forEach((job, at) => {
        job.stop = undefined;
        const block = answers.subarray(at * BLOCK_LENGTH, (at + 1) * BLOCK_LENGTH);
        settleJob(job, block, { message: messages.get(at), normalized: normalized[at] });
      });
    } catch (error) {
      this.#retry(batch, error);
    } finally {
      this.#giveBack([slot]);
    }
  }

  #runTask(queries: string, slot: Slot): Promise<TaskResult> {
    slot.told = this.#gone;
    const { answers, number, stop } = slot;
    const indexes = this.#options.indexes();
    return this.#piscina.run({ answers, indexes, queries, slot: number, stop });
  }

  #giveBack(slots: readonly Slot[]): void {
    this.#slots.push(...slots);
    this.#dispatch();
    // Threads that were at work while an index was dropped are told now.
    if (this.#slots.some(({ told }) => told !== this.#gone)) void this.#tellIdle();
  }

  #retry(jobs: readonly Job[], cause: unknown): void {
    for (const job of jobs.toReversed()) {
      job.stop = undefined;
      job.attempts += 1;
      if (this.#closed || job.attempts >= ATTEMPTS_MAX) {
        job.settle({
          error: new Error('engine: a thread ended while it ran this query', { cause }),
        });
      } else {
        this.#retried.unshift(job);
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
    const idle = this.#slots.splice(0);
    if (this.#piscina.threads.length === 0) {
      for (const slot of idle) slot.told = this.#gone;
    } else {
      await Promise.allSettled(idle.map((slot) => this.#runTask('[]', slot)));
    }
    this.#giveBack(idle);
  }

  /** Ends the threads; waiting and running queries reject. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#expiry);
    const left = [...this.#retried.splice(0), ...this.#waiting.removeOver(() => true)];
    for (const job of left) job.settle({ error: new Error('engine: closed') });
    await this.#piscina.destroy();
    assert.equal(this.#waiting.count, 0);
  }
}
