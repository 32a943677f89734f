/**
 * The entities that re-ranker 2 scores: the best of a list by re-ranker 1's names, whatever their
 * attributes. Receives what the search of a list offers (screenList.ts), so that both re-rankers
 * find by one retrieval.
 */
import type { Offers } from '../listAsk.ts';
import { COLUMN, ROW_LENGTH } from '../topK.ts';

/** Entities of one list that are scored at most. */
export const POOL_MAX = 128;
/** Rows are cut to POOL_MAX when there are this many. */
const ROWS_MAX = 2 * POOL_MAX;

/** A pool for one list; `reset` before each. */
export class CandidatePool implements Offers {
  readonly #rows = new Float64Array(ROWS_MAX * ROW_LENGTH);
  #order: number[] = [];
  #least = 0;

  /** Rows that were kept, best first. */
  get count(): number {
    return this.#order.length;
  }

  reset(): void {
    this.#order = [];
    this.#least = 0;
  }

  offer(row: Float64Array): boolean {
    const score = row[COLUMN.directScore] as number;
    if (this.#order.length >= POOL_MAX && score <= this.#least) return false;
    const place = this.#order.length;
    this.#rows.set(row, place * ROW_LENGTH);
    this.#order.push(place);
    if (this.#order.length === ROWS_MAX) this.cut();
    return true;
  }

  directRequired(): number {
    return this.#least;
  }

  /** Keeps the best POOL_MAX rows, in order; to be called before they are read. */
  cut(): void {
    const rows = this.#rows;
    const scoreAt = (place: number) => rows[place * ROW_LENGTH + COLUMN.directScore] as number;
    const entityAt = (place: number) => rows[place * ROW_LENGTH + COLUMN.entity] as number;
    this.#order.sort((a, b) => scoreAt(b) - scoreAt(a) || entityAt(a) - entityAt(b));
    this.#order.length = Math.min(this.#order.length, POOL_MAX);
    const kept = this.#order.map((place) =>
      rows.slice(place * ROW_LENGTH, (place + 1) * ROW_LENGTH),
    );
    for (const [rank, row] of kept.entries()) rows.set(row, rank * ROW_LENGTH);
    this.#order = kept.map((_, rank) => rank);
    if (kept.length === POOL_MAX) this.#least = scoreAt(POOL_MAX - 1);
  }

  /** The entities of the kept rows, best first. */
  entities(): number[] {
    return this.#order.map((_, rank) => this.row(rank)[COLUMN.entity] as number);
  }

  /** A kept row by its rank, as a view that the next offer may overwrite. */
  row(rank: number): Float64Array {
    const at = (this.#order[rank] as number) * ROW_LENGTH;
    return this.#rows.subarray(at, at + ROW_LENGTH);
  }
}
