/**
 * Threads that screen whole chunks, each over the indexes that the process holds in shared memory.
 * Lists are passed by number; a thread opens the ones new to it and releases unused ones with its
 * next task, or when it falls idle. They start with the first chunk, because most workers never get
 * any.
 *
 * A thread that dies (out of memory, a fault of native code) fails only its chunk; Piscina starts a
 * new one by itself.
 */
import assert from 'node:assert/strict';
import { Piscina } from 'piscina';
import { keepAlive } from '#platform/threadRevival';
import { type ChunkAnswer, type ChunkOrder, type ChunkThreads, workOf } from '#slices/batches';

/** Objects of a subject die young: more would only take memory. */
const YOUNG_GENERATION_MB = 24;

/** Indexes of this process, as the engine's IndexShelf has them. */
interface Shelf<Index, Part> {
  /** None of the indexes is released before `use` settles. */
  using<Answer>(indexes: readonly Index[], use: () => Promise<Answer>): Promise<Answer>;
  numbersOf(index: Index): readonly number[];
  /** All that are in use. */
  parts(): readonly Part[];
}

/** The task of a thread; without an order it only learns which indexes are in use. */
export interface ChunkTask<Part> {
  readonly indexes: { readonly inUse: readonly Part[]; readonly slot: number };
  readonly order?: ChunkOrder<readonly number[]>;
}

export interface ChunkPoolOptions<Index, Part> {
  readonly threads: number;
  /** Answers a ChunkTask with a ChunkAnswer, by its export `runChunkTask`. */
  readonly threadUrl: URL;
  readonly shelf: Shelf<Index, Part>;
  /** Added to the process's own: requests on the same machine come first. */
  readonly niceIncrement: number;
}

type Threads<Part> = Piscina<ChunkTask<Part>, ChunkAnswer | undefined>;

/** See the head of the file. */
export class ChunkPool<Index, Part> implements ChunkThreads<Index> {
  readonly #options: ChunkPoolOptions<Index, Part>;
  #threads: Threads<Part> | undefined;
  /** Scratches that no thread uses. A slot is a thread's while it has a task. */
  readonly #slots: number[];
  readonly #waiting: ((slot: number) => void)[] = [];
  /**
   * How often indexes were released, and up to which of these times the user of a slot knows of it.
   */
  #gone = 0;
  readonly #heard: number[];
  #closed = false;

  constructor(options: ChunkPoolOptions<Index, Part>) {
    this.#options = options;
    this.#slots = Array.from({ length: options.threads }, (_, slot) => slot);
    this.#heard = this.#slots.map(() => 0);
  }

  get atOnce(): number {
    return this.#options.threads;
  }

  screen(
    { lists, ...ask }: Parameters<ChunkThreads<Index>['screen']>[0],
    signal: AbortSignal,
  ): ReturnType<ChunkThreads<Index>['screen']> {
    const { shelf } = this.#options;
    const indexes = lists.map(({ index }) => index);
    return shelf.using(indexes, async () => {
      const numbered = lists.map(({ index, source }) => ({
        index: shelf.numbersOf(index),
        source,
      }));
      const slot = await this.#nextSlot(signal);
      const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      const onAbort = (): void => void Atomics.store(stop, 0, 1);
      signal.addEventListener('abort', onAbort);
      try {
        signal.throwIfAborted();
        const answer = await this.#run(slot, { ...ask, lists: numbered, stop });
        assert(answer !== undefined, 'an order is answered');
        return workOf(answer);
      } finally {
        signal.removeEventListener('abort', onAbort);
        this.#giveBack([slot]);
      }
    });
  }

  async #run(
    slot: number,
    order?: ChunkOrder<readonly number[]>,
  ): Promise<ChunkAnswer | undefined> {
    if (this.#closed) throw new Error('the threads of chunks are closed');
    this.#threads ??= this.#start();
    this.#heard[slot] = this.#gone;
    const indexes = { inUse: this.#options.shelf.parts(), slot };
    return this.#threads.run(order === undefined ? { indexes } : { indexes, order });
  }

  #start(): Threads<Part> {
    const { niceIncrement, shelf, threads, threadUrl } = this.#options;
    const started: Threads<Part> = new Piscina({
      filename: threadUrl.href,
      idleTimeout: Number.POSITIVE_INFINITY,
      maxThreads: threads,
      minThreads: threads,
      name: 'runChunkTask',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      niceIncrement,
    });
    // A task without an order does not touch the scratch of a slot.
    keepAlive(started, async () => {
      if (!this.#closed) await started.run({ indexes: { inUse: shelf.parts(), slot: 0 } });
    });
    return started;
  }

  #nextSlot(signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    const free = this.#slots.pop();
    if (free !== undefined) return Promise.resolve(free);
    const given = Promise.withResolvers<number>();
    const giveUp = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(give), 1);
      given.reject(signal.reason);
    };
    const give = (slot: number): void => {
      signal.removeEventListener('abort', giveUp);
      given.resolve(slot);
    };
    this.#waiting.push(give);
    signal.addEventListener('abort', giveUp, { once: true });
    return given.promise;
  }

  #giveBack(slots: readonly number[]): void {
    for (const slot of slots) {
      const next = this.#waiting.shift();
      if (next === undefined) this.#slots.push(slot);
      else next(slot);
    }
    // The thread now learns of indexes that were released while it was busy.
    if (this.#slots.some((slot) => this.#heard[slot] !== this.#gone)) void this.#tellIdle();
  }

  /** An index was released: idle threads release it now, the others when they fall idle. */
  forget(): void {
    this.#gone++;
    if (this.#threads !== undefined) void this.#tellIdle();
  }

  /** All of them at once: which thread gets which task is not ours to say. */
  async #tellIdle(): Promise<void> {
    if (this.#closed) return;
    const idle = this.#slots.splice(0);
    await Promise.allSettled(idle.map((slot) => this.#run(slot)));
    this.#giveBack(idle);
  }

  /** Running calls fail, and so do later ones. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#threads?.destroy();
  }
}
