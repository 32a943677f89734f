/**
 * The engine as its callers see it: loads snapshots, hands queries to threads, and releases an old
 * list version when its last query has ended. Fits the port that screening declares.
 */
import assert from 'node:assert/strict';
import { type PartText, readAnswer } from './answer.ts';
import { AsideThread } from './asideThread.ts';
import { deadlineError, sharedMonotonicMs } from './deadline.ts';
import type { HeldIndex } from './heldIndex.ts';
import { IndexShelf } from './indexShelf.ts';
import { BLOCK_LENGTH } from './messages.ts';
import type { LookupPart } from './nameLookup.ts';
import { Pool } from './pool.ts';
import type { PoolAsk } from './poolJob.ts';
import type {
  Engine,
  EngineAnswer,
  LoadedIndex,
  LookupAnswer,
  LookupAsk,
  LookupCaller,
  SpotAnswer,
  SpotAsk,
} from './ports.ts';
import { QueryRunner } from './queryRunner.ts';
import { ORDINARY_UNITS_MAX, queryUnits } from './queryUnits.ts';
import { checkSettings, RERANKER_VERSIONS } from './rerankers.ts';

const THREADS_MAX = 64;
/**
 * Threads for long queries, beside those for all others, which therefore never wait for one that
 * takes a hundred times as long. One is enough: its queries are rare, or hostile.
 */
const LONG_THREADS = 1;
/** More than one thread does of them before their deadlines; each may hold 64 KB. */
const LONG_QUEUE_MAX = 64;
/** Queries without a turn of their own share this one. */
const COMMON_TURN = '';
/** What people type, each some milliseconds; it gives way to the threads that screen. */
const LOOKUPS = {
  deadlineMs: 5_000,
  file: new URL('./lookupThread.ts', import.meta.url),
  name: 'runLookup',
  niceIncrement: 5,
  waitingMax: 64,
  what: 'look-ups',
} as const;
/** Texts of payments, a body of them each: payments wait for it. */
const SPOTTING = {
  // The first text waits until what is made of all lists is there.
  deadlineMs: 60_000,
  file: new URL('./spotThread.ts', import.meta.url),
  name: 'runSpot',
  niceIncrement: 0,
  waitingMax: 512,
  what: 'texts',
} as const;

/** Bounds of an engine, from the configuration; createEngine asserts their ranges. */
export interface EngineOptions {
  /** 0..64; 0: queries run on the caller's thread (command line, tests). */
  readonly threads: number;
  /**
   * Queries that may wait for a thread, at least 1, of one turn as many as there are free places
   * (turnQueue.ts); the next one is refused with `engine-queue-full`. Long ones wait apart, at most
   * LONG_QUEUE_MAX of them.
   */
  readonly queueMax: number;
  /** Threads start with the first query, and end after a rest: for who screens seldom. */
  readonly threadsRest?: boolean;
}

class ThreadedEngine implements Engine {
  readonly rerankerVersions = RERANKER_VERSIONS;
  readonly #shelf: IndexShelf;
  readonly #pool: Pool | undefined;
  readonly #longPool: Pool | undefined;
  readonly #runner = new QueryRunner();
  readonly #lookups = new AsideThread<LookupAsk, LookupAnswer>(LOOKUPS, () => this.#buffers());
  readonly #spotting = new AsideThread<SpotAsk, SpotAnswer>(SPOTTING, () => this.#buffers());

  constructor(options: EngineOptions) {
    const { queueMax, threads, threadsRest = false } = options;
    assert(Number.isInteger(threads) && threads >= 0 && threads <= THREADS_MAX, 'threads: 0..64');
    assert(Number.isInteger(queueMax) && queueMax >= 1, 'queueMax: at least 1');
    const shelf = new IndexShelf({
      onUnused: () => {
        this.#pool?.forget();
        this.#longPool?.forget();
        this.#lookups.refresh();
        this.#spotting.refresh();
      },
      slots: threads + LONG_THREADS,
    });
    this.#shelf = shelf;
    if (threads === 0) return;
    const indexes = () => shelf.parts();
    this.#pool = new Pool({ indexes, queueMax, threads, threadsRest });
    this.#longPool = new Pool({
      firstSlot: threads,
      indexes,
      isForLong: true,
      queueMax: Math.min(queueMax, LONG_QUEUE_MAX),
      threads: LONG_THREADS,
    });
  }

  get bytesHeld(): number {
    return this.#shelf.bytesHeld;
  }

  allocate(bytes: number): SharedArrayBuffer {
    return this.#shelf.allocate(bytes);
  }

  load(base: SharedArrayBuffer | LoadedIndex, overlay?: SharedArrayBuffer): LoadedIndex {
    return this.#shelf.load(base, overlay);
  }

  loadInSteps(
    base: SharedArrayBuffer | LoadedIndex,
    overlay?: SharedArrayBuffer,
  ): Promise<LoadedIndex> {
    return this.#shelf.loadInSteps(base, overlay);
  }

  async screen(call: Parameters<Engine['screen']>[0]): Promise<EngineAnswer> {
    const { query, settings, deadlineMs, isTimed, signal, turn = COMMON_TURN } = call;
    checkSettings(settings);
    if (deadlineMs <= 0) throw deadlineError();
    return this.#shelf.using(call.indexes, (held) =>
      this.#run(held, {
        signal,
        task: {
          query,
          settings,
          indexes: held.flatMap(({ parts }) => parts.map(({ number }) => number)),
          expiresAt: sharedMonotonicMs() + deadlineMs,
          ...(isTimed === true && { isTimed }),
        },
        turn,
      }),
    );
  }

  #run(held: readonly HeldIndex[], ask: PoolAsk): Promise<EngineAnswer> {
    const texts: PartText[] = held.flatMap(({ parts }, index) => {
      assert(parts.length > 0, 'an index in use keeps its parts');
      return parts.map(({ text }) => ({ text, index }));
    });
    const isLong = queryUnits(ask.task.query) > ORDINARY_UNITS_MAX;
    const pool = isLong ? this.#longPool : this.#pool;
    if (pool !== undefined) {
      return pool.run(ask, (query, block) => readAnswer(query, block, texts));
    }
    this.#runner.useIndexes(this.#shelf.parts());
    const block = new Float64Array(BLOCK_LENGTH);
    const compared = this.#runner.run(ask.task, block);
    return Promise.resolve(readAnswer(compared, block, texts));
  }

  lookUp(
    indexes: readonly LoadedIndex[],
    ask: LookupAsk,
    by?: LookupCaller,
  ): Promise<LookupAnswer> {
    return this.#shelf.using(indexes, (held) => this.#lookups.run(partsOf(held), ask, by));
  }

  spot(indexes: readonly LoadedIndex[], ask: SpotAsk, by?: LookupCaller): Promise<SpotAnswer> {
    return this.#shelf.using(indexes, (held) => this.#spotting.run(partsOf(held), ask, by));
  }

  #buffers() {
    return this.#shelf.parts().map(({ buffer }) => ({ buffer }));
  }

  async close(): Promise<void> {
    this.#shelf.clear();
    await Promise.all([
      this.#pool?.close(),
      this.#longPool?.close(),
      this.#lookups.close(),
      this.#spotting.close(),
    ]);
  }
}

const partsOf = (held: readonly HeldIndex[]): readonly LookupPart[] =>
  held.flatMap(({ parts }, index) =>
    parts.map(({ buffer, memory, removed }) => ({
      buffer: memory?.buffer ?? buffer,
      index,
      removed,
    })),
  );

/**
 * Creates an engine and starts its threads, unless they rest until there is a query: they are idle
 * and hold no index before the first. `close` ends them.
 */
export function createEngine(options: EngineOptions): Engine {
  return new ThreadedEngine(options);
}
