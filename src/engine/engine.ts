/**
 * The engine as its callers see it: loads snapshots, hands queries to threads, lets an old list
 * version go when its last query has left. Fits the port that screening declares.
 */
import assert from 'node:assert/strict';
import { type PartText, readAnswer } from './answer.ts';
import { deadlineError, sharedMonotonicMs } from './deadline.ts';
import { bufferOf, type Held, HeldIndex, HeldLists, PARTS_MAX, type Sources } from './heldIndex.ts';
import { allocateForList, bytesAskedFor } from './listMemory.ts';
import { BLOCK_LENGTH, type PartBuffer, type TaskQuery } from './messages.ts';
import { normalizeQuery } from './normalizeQuery.ts';
import { openOverlay, openOverlayInSteps } from './overlayFormat.ts';
import { Pool } from './pool.ts';
import type { Engine, EngineAnswer, LoadedIndex, NormalizedQuery, RawQuery } from './ports.ts';
import { QueryRunner } from './queryRunner.ts';
import { RERANKER_VERSIONS } from './rerankers.ts';
import { checkSnapshot, checkSnapshotInSteps } from './snapshotFormat.ts';
import { CANDIDATES_MAX } from './topK.ts';

const THREADS_MAX = 64;

/** Bounds of an engine; both come from the configuration. */
export interface EngineOptions {
  /** 0: queries run on the caller's thread (command line, tests). */
  readonly threads: number;
  /** Queries that may wait for a thread. */
  readonly queueMax: number;
}

class ThreadedEngine implements Engine {
  readonly rerankerVersions = RERANKER_VERSIONS;
  readonly #held = new Set<HeldIndex>();
  readonly #lists: HeldLists;
  readonly #pool: Pool | undefined;
  readonly #runner = new QueryRunner();
  #nextNumber = 1;

  constructor(options: EngineOptions) {
    const { threads, queueMax } = options;
    assert(Number.isInteger(threads) && threads >= 0 && threads <= THREADS_MAX, 'threads: 0..64');
    assert(Number.isInteger(queueMax) && queueMax >= 1, 'queueMax: at least 1');
    this.#lists = new HeldLists(Math.max(1, threads));
    if (threads === 0) return;
    this.#pool = new Pool({ threads, queueMax, indexes: () => this.#parts() });
  }

  /** What the threads may be asked for, numbers and shared memory alone. */
  #parts(): PartBuffer[] {
    return [...this.#held].flatMap(({ parts }) =>
      parts.map(({ number, buffer, memory, removed }) => ({
        number,
        buffer: memory?.buffer ?? buffer,
        memory,
        removed,
      })),
    );
  }

  get bytesHeld(): number {
    return this.#lists.bytes;
  }

  normalize(query: RawQuery): NormalizedQuery {
    return normalizeQuery(query);
  }

  allocate(bytes: number): SharedArrayBuffer {
    return allocateForList(bytes);
  }

  load(base: SharedArrayBuffer | LoadedIndex, overlay?: SharedArrayBuffer): LoadedIndex {
    const source = this.#sourceOf(base);
    // What an index holds was checked when that was loaded.
    if (source instanceof SharedArrayBuffer) checkSnapshot(source, bytesAskedFor(source));
    if (overlay === undefined) return this.#hold({ base: source, overlay });
    const parts = openOverlay(overlay, bufferOf(source));
    checkSnapshot(parts.snapshot);
    return this.#hold({ base: source, overlay: parts });
  }

  async loadInSteps(
    base: SharedArrayBuffer | LoadedIndex,
    overlay?: SharedArrayBuffer,
  ): Promise<LoadedIndex> {
    const source = this.#sourceOf(base);
    if (source instanceof SharedArrayBuffer) {
      await checkSnapshotInSteps(source, bytesAskedFor(source));
    }
    if (overlay === undefined) return this.#hold({ base: source, overlay });
    const parts = await openOverlayInSteps(overlay, bufferOf(source));
    await checkSnapshotInSteps(parts.snapshot);
    return this.#hold({ base: source, overlay: parts });
  }

  #sourceOf(base: SharedArrayBuffer | LoadedIndex): SharedArrayBuffer | Held {
    if (base instanceof SharedArrayBuffer) return this.#lists.find(base) ?? base;
    const [part] = this.#heldOf(base).parts;
    assert(part !== undefined, 'an index in use keeps its parts');
    return part.held;
  }

  #hold(sources: Sources): HeldIndex {
    const index = new HeldIndex(sources, {
      number: this.#nextNumber,
      lists: this.#lists,
      onUnused: (unused, parts) => {
        this.#held.delete(unused);
        for (const { held } of parts) this.#lists.give(held);
        void this.#pool?.forget();
      },
    });
    this.#nextNumber += PARTS_MAX;
    this.#held.add(index);
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
        indexes: held.flatMap(({ parts }) => parts.map(({ number }) => number)),
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
    assert(!index.released && this.#held.has(index), 'index was released');
    return index;
  }

  #run(held: readonly HeldIndex[], task: TaskQuery): Promise<EngineAnswer> {
    const texts: PartText[] = held.flatMap(({ parts }, index) => {
      assert(parts.length > 0, 'an index in use keeps its parts');
      return parts.map(({ text }) => ({ text, index }));
    });
    if (this.#pool !== undefined) return this.#pool.run(task, (block) => readAnswer(block, texts));
    this.#runner.useIndexes(this.#parts());
    const block = new Float64Array(BLOCK_LENGTH);
    this.#runner.run(task, block);
    return Promise.resolve(readAnswer(block, texts));
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
