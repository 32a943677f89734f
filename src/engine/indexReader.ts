/**
 * Screens on the thread that calls it, over indexes that another thread of the process holds. For
 * threads whose work is more than the query: what comes before and after it then costs the thread
 * that holds the indexes nothing, and no answer crosses threads.
 */
import assert from 'node:assert/strict';
import { ListText, readAnswer } from './answer.ts';
import { deadlineError, sharedMonotonicMs } from './deadline.ts';
import { BLOCK_LENGTH, type PartBuffer } from './messages.ts';
import { normalizeQuery } from './normalizeQuery.ts';
import type { EngineAnswer, NormalizedQuery, RawQuery, Screener } from './ports.ts';
import { QueryRunner } from './queryRunner.ts';
import { checkSettings, RERANKER_VERSIONS } from './rerankers.ts';
import { openSnapshot } from './snapshotFormat.ts';

/** An index as it is handed to another thread: the numbers of its parts. */
export type SharedIndex = readonly number[];

/** What a thread is handed with its work. */
export interface SharedIndexes {
  /** All that are in use: the thread lets go of what it knows beyond them. */
  readonly inUse: readonly PartBuffer[];
  /** The scratch behind each list that is this thread's until its work is done. */
  readonly slot: number;
}

/** See the head of the file. */
export class IndexReader implements Screener<SharedIndex> {
  readonly rerankerVersions = RERANKER_VERSIONS;
  readonly #runner = new QueryRunner();
  readonly #block = new Float64Array(BLOCK_LENGTH);
  readonly #texts = new Map<number, ListText>();
  #slot = 0;

  /** Before the queries of a piece of work. */
  use({ inUse, slot }: SharedIndexes): void {
    this.#slot = slot;
    const known = new Set(inUse.map(({ number }) => number));
    for (const number of this.#texts.keys()) if (!known.has(number)) this.#texts.delete(number);
    for (const { buffer, number } of inUse) {
      if (!this.#texts.has(number)) this.#texts.set(number, new ListText(openSnapshot(buffer)));
    }
    this.#runner.useIndexes(inUse);
  }

  normalize(query: RawQuery): NormalizedQuery {
    return normalizeQuery(query);
  }

  async screen(call: Parameters<Screener<SharedIndex>['screen']>[0]): Promise<EngineAnswer> {
    const { deadlineMs, query, settings } = call;
    checkSettings(settings);
    if (deadlineMs <= 0) throw deadlineError();
    const expiresAt = sharedMonotonicMs() + deadlineMs;
    const task = { expiresAt, indexes: call.indexes.flat(), query, settings };
    this.#runner.run(task, this.#block, false, this.#slot);
    const texts = call.indexes.flatMap((parts, index) =>
      parts.map((number) => ({ index, text: this.#textOf(number) })),
    );
    return readAnswer(this.#block, texts);
  }

  #textOf(number: number): ListText {
    const text = this.#texts.get(number);
    assert(text !== undefined, `index ${number} is in use and therefore open`);
    return text;
  }
}
