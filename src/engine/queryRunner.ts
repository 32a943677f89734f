/**
 * Runs queries on one thread: opened snapshots by number, one re-ranker per version, one scratch.
 * The thread (thread.ts), an engine without threads (engine.ts) and indexReader.ts use it.
 */
import assert from 'node:assert/strict';
import { Deadline, type StopFlag, sharedMonotonicMs } from './deadline.ts';
import { KernelHost } from './kernelHost.ts';
import { layOutList } from './listMemory.ts';
import { BLOCK, type PartBuffer, STATUS, type TaskQuery } from './messages.ts';
import type { NormalizedQuery } from './ports.ts';
import { PreparedQuery } from './preparedQuery.ts';
import { releaseMemory } from './releaseMemory.ts';
import type { OpenList, Rerank } from './rerankAsk.ts';
import { makeReranker, normalizeFor, prepareFor } from './rerankers.ts';
import { DIRECT_SCORE_MIN } from './screenList.ts';
import { openSnapshot, type Snapshot } from './snapshotFormat.ts';
import { StageWatch } from './stageWatch.ts';
import { TopK } from './topK.ts';

const decoder = new TextDecoder();

/**
 * The text of slice `index` of a snapshot's UTF-8 section. The bytes are copied first, since a
 * decoder takes no shared memory.
 */
export function sliceText(bytes: Uint8Array, start: Uint32Array, index: number): string {
  return decoder.decode(bytes.slice(start[index], start[index + 1]));
}

/** Where and how a query runs. */
export interface RunOptions {
  /** The scratch that no other thread uses meanwhile; 0 where it is not given. */
  readonly slot?: number;
  /** Says that the query's caller has left. */
  readonly stop?: StopFlag;
  /** Every entity is scored: for tests and benches. */
  readonly exhaustive?: boolean;
}

/**
 * Runs the queries of one thread, one at a time. Call `useIndexes` with all parts in use before
 * `run`.
 */
export class QueryRunner {
  readonly #lists = new Map<number, OpenList>();
  readonly #rerankers = new Map<string, Rerank>();
  #prepared = new PreparedQuery();
  #best = new TopK();
  readonly #deadline = new Deadline();

  /** Opens new parts and drops those that are not in `indexes`. */
  useIndexes(indexes: readonly PartBuffer[]): void {
    for (const { number, buffer, removed, memory } of indexes) {
      if (this.#lists.has(number)) continue;
      const laidOut = memory ?? layOutList(buffer, { slots: 1 });
      const list = openSnapshot(laidOut.buffer);
      this.#lists.set(number, { list, host: new KernelHost({ list, ...laidOut }), removed });
    }
    if (this.#lists.size === indexes.length) return;
    const gone = this.#drop(new Set(indexes.map(({ number }) => number)));
    this.#forgetLastQuery();
    releaseMemory(gone);
  }

  /**
   * Drops unused lists and returns their bytes. It is a method of its own because its frame keeps
   * the last list alive while it runs.
   */
  #drop(used: ReadonlySet<number>): number {
    let gone = 0;
    for (const [number, { list }] of this.#lists) {
      if (used.has(number)) continue;
      this.#lists.delete(number);
      gone += list.idBytes.buffer.byteLength;
    }
    return gone;
  }

  /** Frees the reused objects of the last query, which refer to memory of its lists. */
  #forgetLastQuery(): void {
    this.#rerankers.clear();
    this.#prepared = new PreparedQuery();
    this.#best = new TopK();
  }

  /**
   * Runs one query, writes its answer block and returns the query as it was compared. Throws where
   * the query cannot be run or its deadline passes, and then leaves the block without an answer.
   */
  run(
    task: TaskQuery,
    block: Float64Array,
    { exhaustive = false, slot = 0, stop }: RunOptions = {},
  ): NormalizedQuery {
    const lists = task.indexes.map((number) => {
      const list = this.#lists.get(number);
      assert(list !== undefined, `index ${number} is in use and therefore open`);
      return list;
    });
    const { settings } = task;
    const watch = task.isTimed === true ? new StageWatch() : undefined;
    block[BLOCK.startMs] = watch === undefined ? 0 : sharedMonotonicMs();
    const rerank = this.#rerankerOf(settings.version);
    const directScoreMin = settings.directScoreMin ?? DIRECT_SCORE_MIN;
    const best = this.#best;
    const deadline = this.#deadline;
    deadline.set(task.expiresAt, stop);
    const normalized =
      'names' in task.query ? task.query : normalizeFor(settings.version, task.query, deadline);
    prepareFor(settings.version, normalized, { deadline, prepared: this.#prepared });
    if (watch !== undefined) block[BLOCK.readMs] = sharedMonotonicMs();
    best.reset({
      size: settings.topN,
      directScoreMin,
      answerScoreMin: settings.answerScoreMin,
      idOrder: (indexA, entityA, indexB, entityB) => {
        const a = idOf(lists[indexA]?.list, entityA);
        const b = idOf(lists[indexB]?.list, entityB);
        return a === b ? 0 : a < b ? -1 : 1;
      },
    });
    const query = this.#prepared;
    // A name of punctuation alone: dates and nationalities by themselves find nobody.
    if (normalized.names.length > 0) {
      const ask = { lists, slot, normalized, query, settings, directScoreMin, best, deadline };
      rerank({ ...ask, exhaustive, watch });
    }
    best.write(block, BLOCK.rows);
    block[BLOCK.count] = best.count;
    block[BLOCK.truncated] = best.truncated ? 1 : 0;
    if (watch !== undefined) {
      block[BLOCK.endMs] = sharedMonotonicMs();
      block[BLOCK.rerankMs] = watch.rerankMs;
    }
    block[BLOCK.status] = STATUS.done;
    return normalized;
  }

  #rerankerOf(version: string): Rerank {
    const known = this.#rerankers.get(version);
    if (known !== undefined) return known;
    const made = makeReranker(version);
    this.#rerankers.set(version, made);
    return made;
  }
}

function idOf(list: Snapshot | undefined, entity: number): string {
  return list === undefined ? '' : sliceText(list.idBytes, list.idStart, entity);
}
