/**
 * Screens on the thread that calls it, over indexes that another thread of the process holds. For
 * threads whose work is more than the query: the steps before and after the query then cost the
 * holding thread nothing, and no answer crosses threads.
 */
import assert from 'node:assert/strict';
import { ListText, readAnswer } from './answer.ts';
import { deadlineError, sharedMonotonicMs } from './deadline.ts';
import { BLOCK_LENGTH, type PartBuffer } from './messages.ts';
import type { EngineAnswer, Screener } from './ports.ts';
import { QueryRunner } from './queryRunner.ts';
import { checkSettings, RERANKER_VERSIONS } from './rerankers.ts';
import { openSnapshot } from './snapshotFormat.ts';

/** An index as another thread gets it: the numbers of its parts (IndexShelf.numbersOf). */
export type SharedIndex = readonly number[];

/** The indexes that a thread gets with a piece of work. */
export interface SharedIndexes {
  /** All parts in use (IndexShelf.parts); the thread drops any other that it holds. */
  readonly inUse: readonly PartBuffer[];
  /** Scratch of each list that no other thread uses until this work is done, 0..slots-1. */
  readonly slot: number;
}

/**
 * A Screener for one thread. Call `use` before each piece of work; queries then run one at a time
 * on the calling thread. `screen` rejects where a part is not in use.
 */
export class IndexReader implements Screener<SharedIndex> {
  readonly rerankerVersions = RERANKER_VERSIONS;
  readonly #runner = new QueryRunner();
  readonly #block = new Float64Array(BLOCK_LENGTH);
  readonly #texts = new Map<number, ListText>();
  #slot = 0;

  /** Opens the indexes of a piece of work; to be called before its queries. */
  use({ inUse, slot }: SharedIndexes): void {
    this.#slot = slot;
    const known = new Set(inUse.map(({ number }) => number));
    for (const number of this.#texts.keys()) if (!known.has(number)) this.#texts.delete(number);
    for (const { buffer, number } of inUse) {
      if (!this.#texts.has(number)) this.#texts.set(number, new ListText(openSnapshot(buffer)));
    }
    this.#runner.useIndexes(inUse);
  }

  async screen(call: Parameters<Screener<SharedIndex>['screen']>[0]): Promise<EngineAnswer> {
    const { deadlineMs, query, settings } = call;
    checkSettings(settings);
    if (deadlineMs <= 0) throw deadlineError();
    const expiresAt = sharedMonotonicMs() + deadlineMs;
    const task = { expiresAt, indexes: call.indexes.flat(), query, settings };
    const compared = this.#runner.run(task, this.#block, { slot: this.#slot });
    const texts = call.indexes.flatMap((parts, index) =>
      parts.map((number) => ({ index, text: this.#textOf(number) })),
    );
    return readAnswer(compared, this.#block, texts);
  }

  #textOf(number: number): ListText {
    const text = this.#texts.get(number);
    assert(text !== undefined, `index ${number} is in use and therefore open`);
    return text;
  }
}
