/**
 * The engine as its callers see it: loads snapshots, hands queries to threads, lets an old list
 * version go when its last query has left. Fits the port that screening declares.
 */
import assert from 'node:assert/strict';
import { ListText, readAnswer } from './answer.ts';
import { deadlineError, sharedMonotonicMs } from './deadline.ts';
import { BLOCK_LENGTH, type TaskQuery } from './messages.ts';
import { normalizeQuery } from './normalizeQuery.ts';
import { Pool } from './pool.ts';
import type { Engine, EngineAnswer, LoadedIndex, NormalizedQuery, RawQuery } from './ports.ts';
import { QueryRunner } from './queryRunner.ts';
import { RERANKER_VERSIONS } from './rerankers.ts';
import { checkSnapshot, openSnapshot } from './snapshotFormat.ts';
import { CANDIDATES_MAX } from './topK.ts';

const THREADS_MAX = 64;

/** Bounds of an engine; both come from the configuration. */
export interface EngineOptions {
  /** 0: queries run on the caller's thread (command line, tests). */
  readonly threads: number;
  /** Queries that may wait for a thread. */
  readonly queueMax: number;
}

class HeldIndex implements LoadedIndex {
  readonly number: number;
  readonly entityCount: number;
  readonly nameCount: number;
  readonly bytes: number;
  /** Undefined once dropped. */
  buffer: SharedArrayBuffer | undefined;
  text: ListText | undefined;
  queries = 0;
  released = false;
  readonly #onUnused: (index: HeldIndex) => void;

  constructor(number: number, buffer: SharedArrayBuffer, onUnused: (index: HeldIndex) => void) {
    const list = openSnapshot(buffer);
    this.number = number;
    this.buffer = buffer;
    this.text = new ListText(list);
    this.entityCount = list.entitySchema.length;
    this.nameCount = list.nameStart.length - 1;
    this.bytes = buffer.byteLength;
    this.#onUnused = onUnused;
  }

  release(): void {
    this.released = true;
    this.dropIfUnused();
  }

  dropIfUnused(): void {
    if (!this.released || this.queries > 0 || this.buffer === undefined) return;
    this.buffer = undefined;
    this.text = undefined;
    this.#onUnused(this);
  }
}

class ThreadedEngine implements Engine {
  readonly rerankerVersions = RERANKER_VERSIONS;
  readonly #held = new Map<number, HeldIndex>();
  readonly #pool: Pool | undefined;
  readonly #runner = new QueryRunner();
  #nextNumber = 1;

  constructor(options: EngineOptions) {
    const { threads, queueMax } = options;
    assert(Number.isInteger(threads) && threads >= 0 && threads <= THREADS_MAX, 'threads: 0..64');
    assert(Number.isInteger(queueMax) && queueMax >= 1, 'queueMax: at least 1');
    if (threads === 0) return;
    this.#pool = new Pool({ threads, queueMax, indexes: () => this.#buffers() });
  }

  #buffers(): { number: number; buffer: SharedArrayBuffer }[] {
    return [...this.#held.values()].flatMap(({ number, buffer }) =>
      buffer === undefined ? [] : [{ number, buffer }],
    );
  }

  normalize(query: RawQuery): NormalizedQuery {
    return normalizeQuery(query);
  }

  load(snapshot: SharedArrayBuffer): LoadedIndex {
    checkSnapshot(snapshot);
    const index = new HeldIndex(this.#nextNumber, snapshot, (unused) => {
      this.#held.delete(unused.number);
      void this.#pool?.forget();
    });
    this.#nextNumber += 1;
    this.#held.set(index.number, index);
    return index;
  }

  async screen(call: Parameters<Engine['screen']>[0]): Promise<EngineAnswer> {
    const { query, settings, deadlineMs } = call;
    if (!RERANKER_VERSIONS.includes(settings.version)) {
      throw new Error(`re-ranker: unknown version '${settings.version}'`);
    }
    if (!Number.isInteger(settings.topN) || settings.topN < 1 || settings.topN > CANDIDATES_MAX) {
      throw new Error(`topN: expected 1..${CANDIDATES_MAX}, got ${settings.topN}`);
    }
    if (deadlineMs <= 0) throw deadlineError();
    const held = call.indexes.map((index) => this.#heldOf(index));
    for (const index of held) index.queries += 1;
    try {
      return await this.#run(held, {
        query,
        settings,
        indexes: held.map(({ number }) => number),
        expiresAt: sharedMonotonicMs() + deadlineMs,
      });
    } finally {
      for (const index of held) {
        index.queries -= 1;
        index.dropIfUnused();
      }
    }
  }

  #heldOf(index: LoadedIndex): HeldIndex {
    assert(index instanceof HeldIndex, 'indexes come from load()');
    assert(!index.released && this.#held.get(index.number) === index, 'index was released');
    return index;
  }

  #run(held: readonly HeldIndex[], task: TaskQuery): Promise<EngineAnswer> {
    const texts = held.map(({ text }) => {
      assert(text !== undefined, 'an index in use keeps its text');
      return text;
    });
    const scoreMin = task.settings.answerScoreMin ?? 0;
    if (this.#pool !== undefined)
      return this.#pool.run(task, (block) => readAnswer(block, texts, scoreMin));
    this.#runner.useIndexes(this.#buffers());
    const block = new Float64Array(BLOCK_LENGTH);
    this.#runner.run(task, block);
    return Promise.resolve(readAnswer(block, texts, scoreMin));
  }

  async close(): Promise<void> {
    this.#held.clear();
    await this.#pool?.close();
  }
}

/** Starts the threads; they are idle and hold nothing until the first query. */
export function createEngine(options: EngineOptions): Engine {
  return new ThreadedEngine(options);
}
