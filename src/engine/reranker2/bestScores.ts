/**
 * What an entity must reach to be part of the answer, while the entities of a list are scored:
 * later ones that cannot reach it are not scored to the end. The answer itself is made by TopK,
 * from those that did.
 */

/** Final scores are rounded to 9 decimals, and equal ones are told apart by z. */
const SLACK = 2e-9;

/** The best final scores of one list so far. */
export class BestScores {
  readonly #finals: number[] = [];
  readonly #size: number;
  readonly #directScoreMin: number;

  /** `size` entities are answered at most; matches, from `directScoreMin` on, before all others. */
  constructor(size: number, directScoreMin: number) {
    this.#size = size;
    this.#directScoreMin = directScoreMin;
  }

  /** Least directScore with which an entity of this boost can change the answer. */
  required(boost: number): number {
    const last = this.#finals[this.#size - 1];
    if (last === undefined || boost <= 0) return 0;
    return Math.min(this.#directScoreMin, (last - SLACK) / boost);
  }

  /** Adds an entity's final score. */
  add(final: number): void {
    const finals = this.#finals;
    let start = 0;
    let end = finals.length;
    while (start < end) {
      const middle = (start + end) >> 1;
      if (final > (finals[middle] as number)) end = middle;
      else start = middle + 1;
    }
    if (start >= this.#size) return;
    finals.splice(start, 0, final);
    if (finals.length > this.#size) finals.pop();
  }
}
