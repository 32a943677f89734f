/**
 * The best candidates so far, by finalScore descending, then index of the call and entity
 * ascending; inside one index entities go by id. At most 50, so a sorted array with insertion beats
 * a heap. Ties across indexes go by id.
 *
 * Rows are columns of one Float64Array, in the layout that a thread hands back (messages.ts).
 */
import assert from 'node:assert/strict';

/** Columns of one candidate. Absent components are NaN. */
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
} as const;
/** Columns of a row. */
export const ROW_LENGTH = 16;
/** Candidates of one answer (interface.md 8). */
export const CANDIDATES_MAX = 50;

/** Compares ids of two indexes; only asked for equal scores. */
export type IdOrder = (indexA: number, entityA: number, indexB: number, entityB: number) => number;

/** See the head of the file. */
export class TopK {
  readonly #rows = new Float64Array((CANDIDATES_MAX + 1) * ROW_LENGTH);
  /** Rank → place of its row. */
  readonly #order: number[] = [];
  readonly #free: number[] = [];
  #size = 0;
  #idOrder: IdOrder = () => 0;
  #droppedBest = -1;

  reset(size: number, idOrder: IdOrder): void {
    assert(size >= 1 && size <= CANDIDATES_MAX, `topN: expected 1..50, got ${size}`);
    this.#size = size;
    this.#idOrder = idOrder;
    this.#order.length = 0;
    this.#droppedBest = -1;
    this.#free.length = 0;
    for (let place = 0; place <= size; place++) this.#free.push(place);
  }

  /** finalScore that a new candidate must reach; 0 while there is room. */
  get bar(): number {
    if (this.#order.length < this.#size) return 0;
    return this.#rows[this.#offsetOf(this.#size - 1) + COLUMN.finalScore] ?? 0;
  }

  get count(): number {
    return this.#order.length;
  }

  /** An entity outside has the score of the last one inside. */
  get truncated(): boolean {
    return this.#order.length === this.#size && this.#droppedBest === this.bar;
  }

  /** Takes a row; it is copied. */
  offer(row: Float64Array): void {
    const final = row[COLUMN.finalScore] ?? 0;
    if (this.#order.length === this.#size && final < this.bar) {
      this.#droppedBest = Math.max(this.#droppedBest, final);
      return;
    }
    const place = this.#free.pop();
    assert(place !== undefined, 'one row more than the size is kept free');
    this.#rows.set(row, place * ROW_LENGTH);
    let rank = this.#order.length;
    while (rank > 0 && this.#isBefore(place, this.#order[rank - 1] ?? 0)) rank -= 1;
    this.#order.splice(rank, 0, place);
    if (this.#order.length > this.#size) this.#dropLast();
  }

  #dropLast(): void {
    const place = this.#order.pop() ?? 0;
    const final = this.#rows[place * ROW_LENGTH + COLUMN.finalScore] ?? 0;
    this.#droppedBest = Math.max(this.#droppedBest, final);
    this.#free.push(place);
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
    const indexA = rows[at + COLUMN.index] ?? 0;
    const indexB = rows[bt + COLUMN.index] ?? 0;
    const entityA = rows[at + COLUMN.entity] ?? 0;
    const entityB = rows[bt + COLUMN.entity] ?? 0;
    if (indexA === indexB) return entityA < entityB;
    return (this.#idOrder(indexA, entityA, indexB, entityB) || indexA - indexB) < 0;
  }

  /** Writes the rows in rank order; the number of rows is `count`. */
  write(into: Float64Array, offset: number): void {
    for (let rank = 0; rank < this.#order.length; rank++) {
      const at = this.#offsetOf(rank);
      into.set(this.#rows.subarray(at, at + ROW_LENGTH), offset + rank * ROW_LENGTH);
    }
  }
}
