/**
 * Records that could not be read, of a format whose records stand alone. Each is reported with its
 * place and reason, and too many of them are a damaged file (slices/ingestion/reader.ts).
 */
import { DomainError } from '#core/kernel';
import { SKIPPED_RECORDS_MAX } from '#slices/ingestion';

/** At most one record in so many may be skipped. */
const SKIPPED_SHARE = 100;

export class SkippedRecords {
  readonly #texts: string[] = [];

  /** @param place where it stands, as an editor would find it: `line 12`, `row 7` */
  add(place: string, reason: string): void {
    this.#texts.push(`${place}: ${reason}`);
    if (this.#texts.length > SKIPPED_RECORDS_MAX) this.#refuse(`over ${SKIPPED_RECORDS_MAX}`);
  }

  /** @param recordCount all records of the file, those that were skipped included */
  finish(recordCount: number): readonly string[] {
    if (this.#texts.length * SKIPPED_SHARE > recordCount) {
      this.#refuse(`${this.#texts.length} of ${recordCount}`);
    }
    return this.#texts;
  }

  #refuse(count: string): never {
    const detail = `${count} records cannot be read; the first: ${this.#texts[0]}`;
    throw new DomainError('list-damaged', { detail });
  }
}
