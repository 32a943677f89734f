/**
 * The last statement about each id that a delta names: a later line may remove what an earlier one
 * changed, and the other way round, especially where the deltas of several releases come as one
 * file.
 *
 * Memory has an id and one number, some 150 bytes; the line itself waits in a spool (lineSpool.ts).
 */
import { DomainError } from '#core/kernel';

/**
 * Ids of a delta. Far more than a tenth of any list: with so many the whole file is read as fast.
 */
export const DELTA_IDS_MAX = 3_000_000;
/** A bit beside the number of the line. */
const IS_GONE = 1;
const FLAGS = 2;

export class LastOperations {
  readonly #last = new Map<string, number>();

  /** `number` is the line's. Throws DomainError `list-damaged` for a delta of too many ids. */
  say(id: string, number: number, { isGone }: { readonly isGone: boolean }): void {
    // Keeps the order of the last lines: earlier lines of the same id do not count.
    this.#last.delete(id);
    this.#last.set(id, number * FLAGS + (isGone ? IS_GONE : 0));
    if (this.#last.size <= DELTA_IDS_MAX) return;
    const detail = `line ${number}: expected a delta of at most ${DELTA_IDS_MAX} ids`;
    throw new DomainError('list-damaged', { detail });
  }

  names(id: string): boolean {
    return this.#last.has(id);
  }

  isLast(id: string, number: number): boolean {
    return Math.floor((this.#last.get(id) ?? 0) / FLAGS) === number;
  }

  /** Ids that are on the list no more, in the order of their last lines. */
  *gone(): Generator<string> {
    for (const [id, said] of this.#last) if (said % FLAGS === IS_GONE) yield id;
  }
}
