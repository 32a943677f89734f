/**
 * The engine as its callers see it: loads snapshots, hands queries to threads, and releases an old
 * list version when its last query has ended. Fits the port that screening declares.
 */
import assert from 'node:assert/strict';
import { type PartText, readAnswer } from './answer.ts';
import { deadlineError, sharedMonotonicMs } from './deadline.ts';
import type { HeldIndex } from './heldIndex.ts';
import { IndexShelf } from './indexShelf.ts';
import { BLOCK_LENGTH, type TaskQuery } from './messages.ts';
import { normalizeQuery } from './normalizeQuery.ts';
import { Pool } from './pool.ts';
import type { Engine, EngineAnswer, LoadedIndex, NormalizedQuery, RawQuery } from './ports.ts';
import { QueryRunner } from './queryRunner.ts';
import { checkSettings, RERANKER_VERSIONS } from './rerankers.ts';

const THREADS_MAX = 64;

/** Bounds of an engine, from the configuration; createEngine asserts their ranges. */
export interface EngineOptions {
  /** 0..64; 0: queries run on the caller's thread (command line, tests). */
  readonly threads: number;
  /**
   * Queries that may wait for a thread, at least 1; the next one is refused with
   * `engine-queue-full`.
   */
  readonly queueMax: number;
}

class ThreadedEngine implements Engine {
  readonly rerankerVersions = RERANKER_VERSIONS;
  readonly #shelf: IndexShelf;
  readonly #pool: Pool | undefined;
  readonly #runner = new QueryRunner();

  constructor(options: EngineOptions) {
    const { threads, queueMax } = options;
    assert(Number.isInteger(threads) && threads >= 0 && threads <= THREADS_MAX, 'threads: 0..64');
    assert(Number.isInteger(queueMax) && queueMax >= 1, 'queueMax: at least 1');
    const shelf = new IndexShelf({
      onUnused: () => this.#pool?.forget(),
      slots: Math.max(1, threads),
    });
    this.#shelf = shelf;
    if (threads > 0) this.#pool = new Pool({ indexes: () => shelf.parts(), queueMax, threads });
  }

  get bytesHeld(): number {
    return this.#shelf.bytesHeld;
  }

  normalize(query: RawQuery): NormalizedQuery {
    return normalizeQuery(query);
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
    const { query, settings, deadlineMs } = call;
    checkSettings(settings);
    if (deadlineMs <= 0) throw deadlineError();
    return this.#shelf.using(call.indexes, (held) =>
      this.#run(held, {
        query,
        settings,
        indexes: held.flatMap(({ parts }) => parts.map(({ number }) => number)),
        expiresAt: sharedMonotonicMs() + deadlineMs,
      }),
    );
  }

  #run(held: readonly HeldIndex[], task: TaskQuery): Promise<EngineAnswer> {
    const texts: PartText[] = held.flatMap(({ parts }, index) => {
      assert(parts.length > 0, 'an index in use keeps its parts');
      return parts.map(({ text }) => ({ text, index }));
    });
    if (this.#pool !== undefined) return this.#pool.run(task, (block) => readAnswer(block, texts));
    this.#runner.useIndexes(this.#shelf.parts());
    const block = new Float64Array(BLOCK_LENGTH);
    this.#runner.run(task, block);
    return Promise.resolve(readAnswer(block, texts));
  }

  async close(): Promise<void> {
    this.#shelf.clear();
    await this.#pool?.close();
  }
}

/**
 * Creates an engine and starts its threads, which are idle and hold nothing until the first query.
 * `close` ends them.
 */
export function createEngine(options: EngineOptions): Engine {
  return new ThreadedEngine(options);
}
