/**
 * Threads that screen chunks whole, each over the indexes that the process holds in shared memory.
 * Lists are handed over by number; a thread opens what is new to it and lets go of what is no
 * longer in use with its next task.
 *
 * A thread that dies (out of memory, a fault of native code) fails its chunk alone; Piscina starts
 * a new one by itself.
 */
import assert from 'node:assert/strict';
import { Piscina } from 'piscina';
import { type ChunkAnswer, type ChunkOrder, type ChunkThreads, workOf } from '#domain/aml';

/** What a subject leaves behind dies young: more would only take memory. */
const YOUNG_GENERATION_MB = 24;

/** Indexes of this process, as the engine's IndexShelf has them. */
interface Shelf<Index, Held, Part> {
  /** None of them goes before `use` settles. */
  using<Answer>(
    indexes: readonly Index[],
    use: (held: readonly Held[]) => Promise<Answer>,
  ): Promise<Answer>;
  numbersOf(index: Index): readonly number[];
  /** All that are in use. */
  parts(): readonly Part[];
}

/** What a thread gets; without an order it only lets go of what is not in use. */
export interface ChunkTask<Part> {
  readonly indexes: { readonly inUse: readonly Part[]; readonly slot: number };
  readonly order?: ChunkOrder<readonly number[]>;
}

export interface ChunkThreadsOptions<Index, Held, Part> {
  readonly threads: number;
  /** Answers a ChunkTask with a ChunkAnswer, by its export `runChunkTask`. */
  readonly threadUrl: URL;
  readonly shelf: Shelf<Index, Held, Part>;
  /** Added to the process's own: requests on the same machine come first. */
  readonly niceIncrement: number;
}

/** See the head of the file. */
export class ChunkPool<Index, Held, Part> implements ChunkThreads<Index> {
  readonly atOnce: number;
  readonly #shelf: Shelf<Index, Held, Part>;
  readonly #piscina: Piscina<ChunkTask<Part>, ChunkAnswer | undefined>;
  /** Scratches that no thread uses. A slot is a thread's while it has a task. */
  readonly #slots: number[];
  readonly #waiting: ((slot: number) => void)[] = [];
  #forgotten: Promise<void> = Promise.resolve();

  constructor(options: ChunkThreadsOptions<Index, Held, Part>) {
    const { niceIncrement, shelf, threads, threadUrl } = options;
    this.atOnce = threads;
    this.#shelf = shelf;
    this.#slots = Array.from({ length: threads }, (_, slot) => slot);
    this.#piscina = new Piscina({
      filename: threadUrl.href,
      idleTimeout: Number.POSITIVE_INFINITY,
      maxThreads: threads,
      minThreads: threads,
      name: 'runChunkTask',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      niceIncrement,
    });
    // A thread's death rejects its task, which is handled there; without a listener it would end
    // the process.
    this.#piscina.on('error', () => undefined);
  }

  screen(
    { lists, ...ask }: Parameters<ChunkThreads<Index>['screen']>[0],
    signal: AbortSignal,
  ): ReturnType<ChunkThreads<Index>['screen']> {
    const indexes = lists.map(({ index }) => index);
    return this.#shelf.using(indexes, () =>
      this.#withSlot(signal, async (slot) => {
        signal.throwIfAborted();
        const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
        const onAbort = (): void => void Atomics.store(stop, 0, 1);
        signal.addEventListener('abort', onAbort);
        try {
          const answer = await this.#piscina.run({
            indexes: { inUse: this.#shelf.parts(), slot },
            order: {
              ...ask,
              lists: lists.map(({ index, source }) => ({
                index: this.#shelf.numbersOf(index),
                source,
              })),
              stop,
            },
          });
          assert(answer !== undefined, 'an order is answered');
          return workOf(answer);
        } finally {
          signal.removeEventListener('abort', onAbort);
        }
      }),
    );
  }

  async #withSlot<Answer>(
    signal: AbortSignal,
    use: (slot: number) => Promise<Answer>,
  ): Promise<Answer> {
    const slot = this.#slots.pop() ?? (await this.#nextSlot(signal));
    try {
      return await use(slot);
    } finally {
      this.#giveBack(slot);
    }
  }

  #nextSlot(signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
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

  #giveBack(slot: number): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#slots.push(slot);
    else next(slot);
  }

  /**
   * Asks the idle threads to let go of indexes that are no longer in use. One call after the other:
   * indexes go in a row, and a thread that is being told is not idle.
   */
  forget(): Promise<void> {
    this.#forgotten = this.#forgotten.then(() => this.#forgetNow());
    return this.#forgotten;
  }

  async #forgetNow(): Promise<void> {
    const idle = this.#slots.splice(0);
    const inUse = this.#shelf.parts();
    await Promise.allSettled(idle.map((slot) => this.#piscina.run({ indexes: { inUse, slot } })));
    for (const slot of idle) this.#giveBack(slot);
  }

  /** What is under way fails. */
  async close(): Promise<void> {
    await this.#piscina.destroy();
  }
}
