/**
 * Of each id that a delta names, its last word. The deltas of several releases may come as one
 * file, and then what is added by one may be changed by the next and removed by the one after it.
 *
 * An id, and one number for its line and what that says: what the line holds waits in a spool
 * (reader.ts). Some 150 bytes a line of a delta, of which a file may have DELTA_LINES_MAX.
 */
import { DomainError } from '#domain/kernel';
import { ENTITY_SCHEMAS } from './map.ts';
import type { FtmLine } from './record.ts';
import { JOINED_SCHEMAS } from './relations.ts';

/** Far more than a tenth of any list: of so many the whole file is as soon read. */
export const DELTA_LINES_MAX = 3_000_000;
/** Bits beside the number of the line. */
const IS_GONE = 1;
const FLAGS = 2;

export class DeltaOps {
  readonly #last = new Map<string, number>();

  /** Of a line that was read. Throws DomainError `list-damaged` for a delta of too many ids. */
  add({ entity, op }: Extract<FtmLine, { op: unknown }>, number: number): void {
    const hasPlace = ENTITY_SCHEMAS.has(entity.schema) || JOINED_SCHEMAS.has(entity.schema);
    // What is changed to something without a place here was on the list, perhaps.
    const isGone = op === 'DEL' || (op === 'MOD' && !hasPlace);
    // In the order of the last lines, whatever came of the same ids before.
    this.#last.delete(entity.id);
    this.#last.set(entity.id, number * FLAGS + (isGone ? IS_GONE : 0));
    if (this.#last.size <= DELTA_LINES_MAX) return;
    const detail = `line ${number}: expected a delta of at most ${DELTA_LINES_MAX} ids`;
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
