/**
 * The best candidates so far. Candidates whose directScore reaches directScoreMin are kept before
 * all others, even where a boost ranks those higher: a politician's match must not lose its place
 * to names that match nothing. Within both classes, and in the answer, the order is finalScore
 * descending, then, where a re-ranker tells them, z and the information of the names descending,
 * then id ascending (inside one index entities are ordered by id). With at most 50, a sorted array
 * with insertion beats a heap.
 *
 * Rows are columns of one Float64Array, in the layout that a thread hands back (messages.ts).
 */
import assert from 'node:assert/strict';

/**
 * Columns of one candidate, each a float64; absent components are NaN. `index` is the list's
 * position in the call, `name` the number of the matched name or -1.
 */
export const COLUMN = {
  index: 0,
  entity: 1,
  name: 2,
  finalScore: 3,
  directScore: 4,
  nameScore: 5,
  phoneticScore: 6,
  dobScore: 7,
  nationalityScore: 8,
  aliasUnfoldScore: 9,
  boost: 10,
  weightName: 11,
  weightPhonetic: 12,
  weightDob: 13,
  weightNationality: 14,
  weightAlias: 15,
  /** What parts equal scores: z before it is rounded to a score, then bits; 0 by re-ranker 1. */
  z: 16,
  bits: 17,
} as const;
/** Float64 elements of one row. */
export const ROW_LENGTH = 18;
/**
 * Candidates that one answer has at most. A policy asks for 50 (interface.md 8); a caller who
 * leaves some of them out asks for as many more.
 */
export const CANDIDATES_MAX = 150;

/**
 * Compares the ids of two entities by code units: below 0, 0 or above. Called only for equal scores
 * in different indexes.
 */
export type IdOrder = (indexA: number, entityA: number, indexB: number, entityB: number) => number;

/** What one query asks to keep. */
export interface TopKAsk {
  /** 1..CANDIDATES_MAX */
  readonly size: number;
  readonly directScoreMin: number;
  /** Rows under this directScore are not taken. Absent: 0. */
  readonly answerScoreMin?: number | undefined;
  readonly idOrder: IdOrder;
}

/** Keeps the best rows of one query; call `reset` before each. One instance per thread. */
export class TopK {
  readonly #rows = new Float64Array((CANDIDATES_MAX + 1) * ROW_LENGTH);
  /** Place of each row in order of keeping: rows at or over directScoreMin first, then by rank. */
  readonly #order: number[] = [];
  readonly #free: number[] = [];
  #size = 0;
  #idOrder: IdOrder = () => 0;
  #directScoreMin = 0;
  #answerScoreMin = 0;
  /** Best finalScore among rows under directScoreMin that were left out. */
  #droppedBest = -1;
  /** Whether a row at or over directScoreMin was left out. */
  #droppedMatch = false;

  reset({ size, directScoreMin, answerScoreMin = 0, idOrder }: TopKAsk): void {
    assert(size >= 1 && size <= CANDIDATES_MAX, `topN: expected 1..${CANDIDATES_MAX}, got ${size}`);
    this.#size = size;
    this.#idOrder = idOrder;
    this.#order.length = 0;
    this.#directScoreMin = directScoreMin;
    this.#answerScoreMin = answerScoreMin;
    this.#droppedBest = -1;
    this.#droppedMatch = false;
    this.#free.length = 0;
    for (let place = 0; place <= size; place++) this.#free.push(place);
  }

  /**
   * Least directScore with which an entity of this boost can change the answer: answerScoreMin
   * while there is room. Once only matches are kept, one more match must still be seen to know that
   * the answer is truncated; after that, a match must reach the last one's finalScore.
   */
  directRequired(boost: number): number {
    const least = this.#answerScoreMin;
    if (this.#order.length < this.#size) return least;
    const last = this.#offsetOf(this.#size - 1);
    const reach = boost > 0 ? (this.#rows[last + COLUMN.finalScore] ?? 0) / boost : 0;
    if (!this.#isMatch(last)) return Math.max(least, Math.min(this.#directScoreMin, reach));
    return this.#droppedMatch ? Math.max(this.#directScoreMin, reach) : this.#directScoreMin;
  }

  get count(): number {
    return this.#order.length;
  }

  /**
   * Whether a match was left out; or, where others are kept too, one of them with the last one's
   * score.
   */
  get truncated(): boolean {
    if (this.#droppedMatch) return true;
    if (this.#order.length < this.#size) return false;
    const last = this.#offsetOf(this.#size - 1);
    return !this.#isMatch(last) && this.#droppedBest === this.#rows[last + COLUMN.finalScore];
  }

  /** Offers a row, which is copied; returns whether it is among the best for now. */
  offer(row: Float64Array): boolean {
    if ((row[COLUMN.directScore] ?? 0) < this.#answerScoreMin) return false;
    const place = this.#free.pop();
    assert(place !== undefined, 'one row more than the size is kept free');
    this.#rows.set(row, place * ROW_LENGTH);
    let at = 0;
    let end = this.#order.length;
    while (at < end) {
      const middle = (at + end) >> 1;
      if (this.#isKeptBefore(place, this.#order[middle] ?? 0)) end = middle;
      else at = middle + 1;
    }
    this.#order.splice(at, 0, place);
    if (this.#order.length > this.#size) this.#dropLast();
    return at < this.#size;
  }

  #dropLast(): void {
    const place = this.#order.pop() ?? 0;
    const at = place * ROW_LENGTH;
    if (this.#isMatch(at)) this.#droppedMatch = true;
    else this.#droppedBest = Math.max(this.#droppedBest, this.#rows[at + COLUMN.finalScore] ?? 0);
    this.#free.push(place);
  }

  #isMatch(offset: number): boolean {
    return (this.#rows[offset + COLUMN.directScore] ?? 0) >= this.#directScoreMin;
  }

  #isKeptBefore(a: number, b: number): boolean {
    const isMatch = this.#isMatch(a * ROW_LENGTH);
    if (isMatch !== this.#isMatch(b * ROW_LENGTH)) return isMatch;
    return this.#isBefore(a, b);
  }

  #offsetOf(rank: number): number {
    return (this.#order[rank] ?? 0) * ROW_LENGTH;
  }

  #isBefore(a: number, b: number): boolean {
    const at = a * ROW_LENGTH;
    const bt = b * ROW_LENGTH;
    const rows = this.#rows;
    const difference = (rows[at + COLUMN.finalScore] ?? 0) - (rows[bt + COLUMN.finalScore] ?? 0);
    if (difference !== 0) return difference > 0;
    const further =
      (rows[at + COLUMN.z] ?? 0) - (rows[bt + COLUMN.z] ?? 0) ||
      (rows[at + COLUMN.bits] ?? 0) - (rows[bt + COLUMN.bits] ?? 0);
    if (further !== 0) return further > 0;
    const indexA = rows[at + COLUMN.index] ?? 0;
    const indexB = rows[bt + COLUMN.index] ?? 0;
    const entityA = rows[at + COLUMN.entity] ?? 0;
    const entityB = rows[bt + COLUMN.entity] ?? 0;
    if (indexA === indexB) return entityA < entityB;
    return (this.#idOrder(indexA, entityA, indexB, entityB) || indexA - indexB) < 0;
  }

  /** Writes the rows in rank order from `offset` on: `count` rows of ROW_LENGTH. */
  write(into: Float64Array, offset: number): void {
    const ranked = this.#order.toSorted((a, b) => (this.#isBefore(a, b) ? -1 : 1));
    ranked.forEach((place, rank) => {
      const at = place * ROW_LENGTH;
      into.set(this.#rows.subarray(at, at + ROW_LENGTH), offset + rank * ROW_LENGTH);
    });
  }
}
