/**
 * What the CSV files of the United Kingdom's publishers have in common: a first line with the list
 * and its day, a line of column names, then rows. Both lists have several rows for one target, in
 * any order. Damage is reported with its line and, where there is one, its column.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { DomainError } from '#core/kernel';
import { decodedText } from './textEncoding.ts';

/** Characters of one row: a quote that never closes must not collect the whole file. */
const RECORD_CHARS_MAX = 1024 * 1024;
/** Characters of the line with the day. */
const FIRST_LINE_CHARS_MAX = 1_000;

const FOREIGN =
  'expected UK-Sanctions-List.xml, UK-Sanctions-List.csv, whose first line is Report Date and a ' +
  'day, or ConList.csv, whose first line is Last Updated and a day';

export type Damage = (what: string) => DomainError;

/** One list's way with its rows. */
export interface CsvRows {
  readonly releaseDate: string;
  /** Whether a file in windows-1252 has lost something: names in other scripts. */
  readonly isUtf8Only: boolean;
  takeHeadings(headings: readonly string[], damage: Damage): void;
  /** As many cells as there are headings; every run of white space in them is one space. */
  takeRow(cells: readonly string[], damage: Damage): void;
  finish(): void;
}

/** The rows' reader for a file that begins so; undefined where it is another list. */
export type OpenRows = (firstLine: string) => CsvRows | undefined;

/** Answers the release date; throws `list-foreign`, or `list-damaged` with the line. */
export async function readUkCsv(
  chunks: AsyncIterable<Uint8Array>,
  layouts: readonly OpenRows[],
): Promise<string> {
  let windowsLine: number | undefined;
  const text = decodedText(chunks, (line) => {
    windowsLine = line;
  });
  const { first, rest } = await firstLine(text);
  const rows = opened(first, layouts);
  if (!rows) {
    await text.return(undefined);
    throw new DomainError('list-foreign', { detail: FOREIGN });
  }
  const file = new CsvFile(rows, () => windowsLine);
  await pipeline(Readable.from(rest), parserInto(file)).catch((error: unknown) => {
    throw file.asDamage(error);
  });
  return file.finish();
}

/** Rows go to the file while they are parsed, so that it knows where a failure is. */
function parserInto(file: CsvFile) {
  const parser = parse({
    max_record_size: RECORD_CHARS_MAX,
    on_record: (cells: string[], { lines }) => {
      file.take(cells, lines + 1);
      return null;
    },
    // The number of cells is checked here, for an error that names the last one.
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
  });
  return parser.resume();
}

function opened(first: string, layouts: readonly OpenRows[]): CsvRows | undefined {
  for (const open of layouts) {
    const rows = open(first.trimEnd());
    if (rows) return rows;
  }
  return undefined;
}

/** The first line has columns of its own, so it is no part of what csv-parse sees. */
async function firstLine(
  pieces: AsyncGenerator<string>,
): Promise<{ first: string; rest: AsyncGenerator<string> }> {
  let text = '';
  for (;;) {
    const next = await pieces.next();
    if (!next.done) text += next.value;
    const end = text.indexOf('\n');
    if (end < 0 && !next.done && text.length < FIRST_LINE_CHARS_MAX) continue;
    const first = end < 0 ? text : text.slice(0, end);
    return { first, rest: after(end < 0 ? '' : text.slice(end + 1), pieces) };
  }
}

async function* after(text: string, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  if (text !== '') yield text;
  yield* pieces;
}

class CsvFile {
  readonly #rows: CsvRows;
  readonly #windowsLine: () => number | undefined;
  #headings: readonly string[] | undefined;
  /** Line of the last row that was read whole; the first line is none of these. */
  #line = 1;

  constructor(rows: CsvRows, windowsLine: () => number | undefined) {
    this.#rows = rows;
    this.#windowsLine = windowsLine;
  }

  take(record: readonly string[], line: number): void {
    this.#refuseWindows();
    this.#line = line;
    const damage = (what: string) => damagedAt(line, what);
    const cells = record.map(tidy);
    if (this.#headings === undefined) {
      refuseTwice(cells, damage);
      this.#headings = cells;
      this.#rows.takeHeadings(cells, damage);
      return;
    }
    this.#refuseLength(cells, this.#headings);
    this.#rows.takeRow(cells, damage);
  }

  finish(): string {
    this.#refuseWindows();
    if (this.#headings === undefined) throw damagedAt(2, 'no line of column names');
    this.#rows.finish();
    return this.#rows.releaseDate;
  }

  /** An error of csv-parse is about the row after the last one. */
  asDamage(error: unknown): unknown {
    if (!(error instanceof CsvError)) return error;
    const what = error.code.replace(/^CSV_/, '').toLowerCase().replaceAll('_', ' ');
    const column = typeof error.column === 'number' ? error.column : -1;
    const place = this.#headings === undefined ? '' : `${columnName(this.#headings, column)}: `;
    const detail = `line ${this.#line + 1}: ${place}${what}`;
    return new DomainError('list-damaged', { cause: error, detail });
  }

  #refuseLength(cells: readonly string[], headings: readonly string[]): void {
    if (cells.length === headings.length) return;
    const last = columnName(headings, Math.min(cells.length, headings.length) - 1);
    const where = cells.length < headings.length ? 'it ends in' : 'it goes on after';
    const counts = `expected ${headings.length} columns, got ${cells.length}`;
    throw damagedAt(this.#line, `${counts}: ${where} ${last}`);
  }

  #refuseWindows(): void {
    const line = this.#windowsLine();
    if (line === undefined || !this.#rows.isUtf8Only) return;
    throw damagedAt(line, 'bytes that are not UTF-8');
  }
}

function refuseTwice(headings: readonly string[], damage: Damage): void {
  const seen = new Set<string>();
  for (const [index, heading] of headings.entries()) {
    if (heading !== '' && seen.has(heading)) {
      throw damage(`${columnName(headings, index)}: the name comes twice`);
    }
    seen.add(heading);
  }
}

/** Name of a column for an error. The file is foreign, so the name is cut. */
export const columnName = (headings: readonly string[], index: number): string =>
  `column ${(headings[index] ?? '').slice(0, 100) || index + 1}`;

const UNTIDY = /^\s|\s$|\s\s|[\t\r\n\u00a0]/;

/** The same form as texts of XML (xmlRecords.ts): one list's two files have the same values. */
const tidy = (text: string): string =>
  UNTIDY.test(text) ? text.replace(/\s+/g, ' ').trim() : text;

export const damaged = (detail: string) => new DomainError('list-damaged', { detail });

const damagedAt = (line: number, what: string) => damaged(`line ${line}: ${what}`);
