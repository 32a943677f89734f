/**
 * Rows of a CSV: its header is checked, its rows are counted and, on request, read into subjects.
 * Both make one pass over the same records, so the count that is promised when a file arrives is
 * the count that is found when it is read.
 */
import { DomainError, type Violation } from '#core/kernel';
import {
  CsvSplitter,
  fieldsOf,
  type RecordFault,
  type RecordSink,
} from '#platform/csv/csvSplitter';
import { wholeLines } from '#platform/csv/wholeLines';
import { readHeader, refused } from './csvHeader.ts';
import type { Rejection } from './rejections.ts';
import {
  emptySubject,
  hasUnreadable,
  type KnownCountries,
  missingOf,
  type Subject,
  type SubjectAttribute,
  setAttribute,
} from './subject.ts';

/** Lines of subjects in a file, the header and blank lines not counted. */
export const BATCH_ROWS_MAX = 10_000_000;

export interface NumberedSubject {
  /** Line in the file, from 1; for a subject in JSON its place in `subjects`, from 1. */
  readonly line: number;
  readonly subject: Subject;
}

type RecordPlace = Parameters<RecordSink['record']>[1];

/** Checks header and bound; the subclass decides what to do with a row. */
abstract class Table implements RecordSink {
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

const FAULTS: Readonly<Record<RecordFault, string>> = {
  'quotes-unbalanced':
    'a quote is not closed, or closed in another row, or its field goes on after the closing quote',
  'record-too-long': 'it is longer than 65,536 characters',
};

class RowCounter extends Table {
  countUnseen(records: number): boolean {
    return this.columns !== undefined && this.takes(records);
  }

  protected row(): void {
    // Counted already.
  }

  protected rejected(): void {
    // Counted already.
  }
}

class RowReader extends Table {
  readonly #countries: KnownCountries;
  subjects: NumberedSubject[] = [];
  rejections: Rejection[] = [];

  constructor(rowsMax: number, countries: KnownCountries) {
    super(rowsMax);
    this.#countries = countries;
  }

  protected row(text: string, at: RecordPlace, columns: readonly SubjectAttribute[]): void {
    const { line } = at;
    const fields = fieldsOf(text, at);
    if (fields.length !== columns.length) {
      const detail = `expected ${columns.length} fields, found ${fields.length}`;
      this.rejections.push({ detail, line, reason: 'field-count' });
      return;
    }
    if (hasUnreadable(text.slice(at.start, at.end))) {
      const detail = 'expected no control characters, nor any that turn text around';
      this.rejections.push({ detail, line, reason: 'unreadable-characters' });
      return;
    }
    this.#take(line, fields, columns);
  }

  #take(line: number, fields: readonly string[], columns: readonly SubjectAttribute[]): void {
    const subject = emptySubject();
    const violations: Violation[] = [];
    const context = { countries: this.#countries, violations };
    // By index: an iterator over the columns costs half as much as all the rest.
    for (let at = 0; at < columns.length; at++) {
      const name = columns[at];
      const value = fields[at]?.trim();
      if (name !== undefined && value) setAttribute(subject, name, value, context);
    }
    const { external_id, full_name } = subject;
    if (violations.length === 0 && external_id !== '' && full_name !== '') {
      this.subjects.push({ line, subject });
      return;
    }
    violations.push(...missingOf(subject, violations));
    const detail = violations.map((one) => one.detail).join('; ');
    const reason = violations[0]?.code === 'missing' ? 'attribute-missing' : 'attribute-invalid';
    const known = external_id === '' ? {} : { externalId: external_id };
    this.rejections.push({ detail, line, reason, ...known });
  }

  protected rejected(line: number, fault: RecordFault): void {
    this.rejections.push({ detail: FAULTS[fault], line, reason: fault });
  }
}

export interface CountedCsv {
  readonly rows: number;
  readonly columns: readonly SubjectAttribute[];
}

/** Fast enough to run during an upload; throws `csv-invalid` or `body-too-large` early. */
export async function countCsvRows(
  bytes: AsyncIterable<Uint8Array>,
  { rowsMax = BATCH_ROWS_MAX }: { rowsMax?: number } = {},
): Promise<CountedCsv> {
  const counter = new RowCounter(rowsMax);
  const splitter = new CsvSplitter(counter);
  for await (const piece of wholeLines(bytes)) splitter.push(piece);
  splitter.finish();
  return { columns: counter.columnsFound(), rows: counter.rows };
}

export interface ReadRows {
  readonly subjects: readonly NumberedSubject[];
  readonly rejections: readonly Rejection[];
}

/** Some rows at a time, in the order of the file; each is a subject or a rejection. */
export async function* readCsvRows(
  bytes: AsyncIterable<Uint8Array>,
  { countries, rowsMax = BATCH_ROWS_MAX }: { countries: KnownCountries; rowsMax?: number },
): AsyncGenerator<ReadRows> {
  const reader = new RowReader(rowsMax, countries);
  const splitter = new CsvSplitter(reader);
  for await (const piece of wholeLines(bytes)) {
    splitter.push(piece);
    yield taken(reader);
  }
  splitter.finish();
  reader.columnsFound();
  yield taken(reader);
}

function taken(reader: RowReader): ReadRows {
  const { rejections, subjects } = reader;
  reader.subjects = [];
  reader.rejections = [];
  return { rejections, subjects };
}
