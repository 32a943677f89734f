/**
 * How much of a file one record may be. A record is held in memory whole, and limits on single
 * texts do not bound it.
 */
import { DomainError } from '#core/kernel';

/** More than any publisher's largest, less than would hurt. */
const RECORD_ELEMENTS_MAX = 100_000;
const RECORD_CHARS_MAX = 16 * 1024 * 1024;

export class RecordSize {
  #elements = 0;
  #chars = 0;

  begin(): void {
    this.#elements = 0;
    this.#chars = 0;
  }

  /** Counts an element of the record; throws DomainError `list-damaged` where they are too many. */
  add(name: string, chars: number): void {
    this.#elements++;
    this.#chars += chars;
    if (this.#elements <= RECORD_ELEMENTS_MAX && this.#chars <= RECORD_CHARS_MAX) return;
    const what = this.#elements > RECORD_ELEMENTS_MAX ? 'elements' : 'characters';
    throw new DomainError('list-damaged', { detail: `${name}: a record of too many ${what}` });
  }
}
