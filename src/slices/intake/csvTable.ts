/**
 * The table in a CSV: its header is checked, its rows are bounded. What becomes of a row is its
 * subclasses' business, which make one pass over the same records: so the count that is promised
 * when a file arrives (countRows.ts) is the count that is found when it is read (csvRows.ts).
 */
import { DomainError } from '#core/kernel';
import { fieldsOf, type RecordFault, type RecordSink } from '#platform/csv/csvSplitter';
import type { SubjectAttribute } from './attributes.ts';
import { readHeader, refused } from './csvHeader.ts';

/** Lines of subjects in a file, the header and blank lines not counted. */
export const BATCH_ROWS_MAX = 10_000_000;

export type RecordPlace = Parameters<RecordSink['record']>[1];

/** Checks header and bound; the subclass decides what to do with a row. */
export abstract class CsvTable implements RecordSink {
  protected columns: readonly SubjectAttribute[] | undefined;
  rows = 0;
  readonly #rowsMax: number;

  constructor(rowsMax: number) {
    this.#rowsMax = rowsMax;
  }

  get width(): number | undefined {
    return this.columns?.length;
  }

  record(text: string, at: RecordPlace): void {
    if (this.columns === undefined) {
      this.columns = readHeader(fieldsOf(text, at));
      return;
    }
    this.#count(at.line);
    this.row(text, at, this.columns);
  }

  broken(line: number, fault: RecordFault): void {
    if (this.columns === undefined) {
      throw refused(`expected a header; found a first line that is broken: ${FAULTS[fault]}`);
    }
    this.#count(line);
    this.rejected(line, fault);
  }

  refuse(detail: string): Error {
    return refused(detail);
  }

  /** Throws where there was no header at all. */
  columnsFound(): readonly SubjectAttribute[] {
    if (this.columns === undefined) throw refused('expected a header; found an empty file');
    return this.columns;
  }

  protected abstract row(text: string, at: RecordPlace, columns: readonly SubjectAttribute[]): void;
  protected abstract rejected(line: number, fault: RecordFault): void;

  protected takes(rows: number): boolean {
    if (this.rows + rows > this.#rowsMax) return false;
    this.rows += rows;
    return true;
  }

  #count(line: number): void {
    this.rows++;
    if (this.rows <= this.#rowsMax) return;
    throw new DomainError('body-too-large', {
      detail: `line ${line}: expected at most ${this.#rowsMax} rows`,
    });
  }
}

export const FAULTS: Readonly<Record<RecordFault, string>> = {
  'quotes-unbalanced':
    'a quote is not closed, or closed in another row, or its field goes on after the closing quote',
  'record-too-long': 'it is longer than 65,536 characters',
};
