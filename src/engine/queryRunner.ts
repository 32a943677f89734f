/**
 * Runs queries on one thread: opened snapshots by number, one re-ranker per version, one scratch.
 * The thread (thread.ts) and an engine of no threads (engine.ts) use the same.
 */
import assert from 'node:assert/strict';
import { Deadline } from './deadline.ts';
import { KernelHost } from './kernelHost.ts';
import { layOutList } from './listMemory.ts';
import { BLOCK, type PartBuffer, STATUS, type TaskQuery } from './messages.ts';
import { PreparedQuery } from './preparedQuery.ts';
import { releaseMemory } from './releaseMemory.ts';
import { makeReranker, type OpenList, type Rerank } from './rerankers.ts';
import { DIRECT_SCORE_MIN } from './screenList.ts';
import { openSnapshot, type Snapshot } from './snapshotFormat.ts';
import { TopK } from './topK.ts';

const decoder = new TextDecoder();

/** Text of one slice of a snapshot; `slice` copies, since a decoder takes no shared memory. */
export function sliceText(bytes: Uint8Array, start: Uint32Array, index: number): string {
  return decoder.decode(bytes.slice(start[index], start[index + 1]));
}

/** See the head of the file. */
export class QueryRunner {
  readonly #lists = new Map<number, OpenList>();
  readonly #rerankers = new Map<string, Rerank>();
  #prepared = new PreparedQuery();
  #best = new TopK();
  readonly #deadline = new Deadline();

  /** Opens what is new and drops what is no longer named. */
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

  /** Their bytes. A method of its own: while it runs, its frame holds the last of them. */
  #drop(used: ReadonlySet<number>): number {
    let gone = 0;
    for (const [number, { list }] of this.#lists) {
      if (used.has(number)) continue;
      this.#lists.delete(number);
      gone += list.idBytes.buffer.byteLength;
    }
    return gone;
  }

  /** What is kept of it for the next one holds memory of the lists that it asked. */
  #forgetLastQuery(): void {
    this.#rerankers.clear();
    this.#prepared = new PreparedQuery();
    this.#best = new TopK();
  }

  /**
   * Writes one query's block; throws where the query cannot be run or its deadline passes, and then
   * leaves the block without an answer. `slot` is the scratch that no other thread uses meanwhile.
   */
  run(task: TaskQuery, block: Float64Array, exhaustive = false, slot = 0): void {
    const lists = task.indexes.map((number) => {
      const list = this.#lists.get(number);
      assert(list !== undefined, `index ${number} is in use and therefore open`);
      return list;
    });
    const { settings } = task;
    const rerank = this.#rerankerOf(settings.version);
    const directScoreMin = settings.directScoreMin ?? DIRECT_SCORE_MIN;
    const best = this.#best;
    const deadline = this.#deadline;
    deadline.set(task.expiresAt);
    this.#prepared.set(task.query);
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
    rerank({ lists, slot, query, settings, directScoreMin, best, deadline, exhaustive });
    best.write(block, BLOCK.rows);
    block[BLOCK.count] = best.count;
    block[BLOCK.truncated] = best.truncated ? 1 : 0;
    block[BLOCK.status] = STATUS.done;
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
