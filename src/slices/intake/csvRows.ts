/** Rows of a CSV, read into subjects. */
import type { Violation } from '#core/kernel';
import { CsvSplitter, fieldsOf, type RecordFault } from '#platform/csv/csvSplitter';
import { wholeLines } from '#platform/csv/wholeLines';
import type { SubjectAttribute } from './attributes.ts';
import { BATCH_ROWS_MAX, CsvTable, FAULTS, type RecordPlace } from './csvTable.ts';
import type { Rejection } from './rejections.ts';
import {
  emptySubject,
  hasUnreadable,
  type KnownCountries,
  missingOf,
  type Subject,
  setAttribute,
} from './subject.ts';

export interface NumberedSubject {
  /** Line in the file, from 1; for a subject in JSON its place in `subjects`, from 1. */
  readonly line: number;
  readonly subject: Subject;
}

class RowReader extends CsvTable {
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
