/**
 * How alike the words of a search are, worked out before its names are compared: a query meets the
 * same words in hundreds of names, and 16 of them cost as much as one (wordLanes.ts). A pair of
 * names is then looked up, word by word. One instance per thread and kind of names.
 */
import type { NameToken } from './nameToken.ts';
import {
  alikeByCosts,
  lastReason,
  REASON,
  similarity,
  similarityBy,
  spelledAlike,
} from './tokenSimilarity.ts';
import { WordColumns } from './wordColumns.ts';
import { LANES, WordLanes } from './wordLanes.ts';

/** Letters of the longest word whose greatest cost the lanes can tell from a greater one. */
const LANE_LETTERS_MAX = 23;
/** An answer in one number: thousandths, above them the reason, then thousandths by letters. */
const ALIKE_BITS = 10;
const REASON_BITS = 4;
const ALIKE_MASK = (1 << ALIKE_BITS) - 1;
const REASON_MASK = (1 << REASON_BITS) - 1;
const SPELLED_SHIFT = ALIKE_BITS + REASON_BITS;

/** Likeness in an answer of `WordMemo.answers`, in thousandths. */
export function alikeIn(answer: number): number {
  return answer & ALIKE_MASK;
}

/** The REASON in such an answer. */
export function reasonIn(answer: number): number {
  return (answer >> ALIKE_BITS) & REASON_MASK;
}

/** Likenesses of words of one kind of names. */
export class WordMemo {
  /** Why the words of the last `similarity` stand for each other: REASON. */
  reason: number = REASON.same;
  readonly queries: WordColumns;
  readonly entries: WordColumns;
  /**
   * Once filled, an answer by word of the query and word of an entry: those of one word of the
   * query are `entries.words.length` in a row.
   */
  answers = new Int32Array(4_096);
  readonly #isPerson: boolean;
  readonly #lanes: WordLanes;
  /** Costs of letters, by word of the query and lane. */
  #spelt = new Uint8Array(16 * LANES);

  constructor(isPerson: boolean, lanes: WordLanes) {
    this.queries = new WordColumns(isPerson);
    this.entries = new WordColumns(isPerson);
    this.#isPerson = isPerson;
    this.#lanes = lanes;
  }

  /** Forgets all words. */
  clear(): void {
    this.queries.clear();
    this.entries.clear();
  }

  /** Compares all words that were added to `queries` with those of `entries`. */
  fill(): void {
    const width = this.entries.words.length;
    const size = this.queries.words.length * width;
    if (this.answers.length < size) this.answers = new Int32Array(2 * size);
    if (this.#spelt.length < this.queries.words.length * LANES) {
      this.#spelt = new Uint8Array(2 * this.queries.words.length * LANES);
    }
    for (let from = 0; from < width; from += LANES) this.#fillLanes(from, width);
  }

  /** Compares LANES words of entries with all of the query's. */
  #fillLanes(from: number, width: number): void {
    const lanes = this.#lanes;
    const count = Math.min(LANES, width - from);
    lanes.clear();
    for (let lane = 0; lane < count; lane++) lanes.set(lane, this.#entryAt(from + lane).codes);
    this.queries.words.forEach((query, row) => {
      lanes.run(query.codes);
      this.#spelt.set(lanes.costs, row * LANES);
    });
    lanes.clear();
    for (let lane = 0; lane < count; lane++) lanes.set(lane, this.#entryAt(from + lane).sounds);
    this.queries.words.forEach((query, row) => {
      lanes.run(query.sounds);
      for (let lane = 0; lane < count; lane++) {
        const spelt = this.#spelt[row * LANES + lane] as number;
        const heard = lanes.costs[lane] as number;
        const entry = this.#entryAt(from + lane);
        this.answers[row * width + from + lane] = this.#answer(query, entry, spelt, heard);
      }
    });
  }

  #entryAt(place: number): NameToken {
    return this.entries.words[place] as NameToken;
  }

  #answer(query: NameToken, entry: NameToken, spelt: number, heard: number): number {
    const isLong = Math.max(query.codes.length, entry.codes.length) > LANE_LETTERS_MAX;
    const spelled = isLong ? spelledAlike(query, entry) : alikeByCosts(query, entry, spelt, heard);
    const alike = similarityBy(query, entry, this.#isPerson, spelled);
    return alike | (lastReason() << ALIKE_BITS) | (spelled << SPELLED_SHIFT);
  }

  /** As `similarity` of tokenSimilarity.ts. */
  similarity(query: NameToken, entry: NameToken): number {
    const answer = this.#answerOf(query, entry);
    if (answer < 0) {
      const alike = similarity(query, entry, this.#isPerson);
      this.reason = lastReason();
      return alike;
    }
    this.reason = reasonIn(answer);
    return alikeIn(answer);
  }

  /** As `spelledAlike` of tokenSimilarity.ts. */
  spelledAlike(query: NameToken, entry: NameToken): number {
    const answer = this.#answerOf(query, entry);
    return answer < 0 ? spelledAlike(query, entry) : answer >> SPELLED_SHIFT;
  }

  /** Below 0 where the words were not compared. */
  #answerOf(query: NameToken, entry: NameToken): number {
    const queries = this.queries.words;
    const entries = this.entries.words;
    if (queries[query.place] !== query || entries[entry.place] !== entry) return -1;
    return this.answers[query.place * entries.length + entry.place] as number;
  }
}

/** Memos of one thread, by kind of names. */
export function wordMemos(lanes = new WordLanes()) {
  return {
    entity: new WordMemo(false, lanes),
    person: new WordMemo(true, lanes),
    vessel: new WordMemo(false, lanes),
  } as const;
}
