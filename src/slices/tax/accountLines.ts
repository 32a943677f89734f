/**
 * Accounts from a file, some lines at a time: one JSON object a line, or a CSV with a row for each
 * account of a person or organisation. Which of the two it is, its first byte says. Holders with
 * controlling persons come as JSON.
 */
import { DomainError } from '#core/kernel';
import {
  CsvSplitter,
  fieldsOf,
  type RecordFault,
  type RecordSink,
} from '#platform/csv/csvSplitter';
import { wholeLines } from '#platform/csv/wholeLines';
import { parseStrictJson, StrictJsonError } from '#platform/strictJson';
import type { ReportedAccount } from './account.ts';
import { checkAccount } from './checkAccount.ts';
import { CSV_ACCOUNT_COLUMNS, csvAccount, REQUIRED_COLUMNS } from './csvAccount.ts';
import type { AccountImport } from './tables.ts';

/** Rows of one file. */
export const ACCOUNT_LINES_MAX = 10_000_000;
/** Bytes of one line. */
export const ACCOUNT_LINE_BYTES_MAX = 128 * 1024;
const DEPTH_MAX = 8;
const NEWLINE = 0x0a;
const BRACE = 0x7b;

/** Why a line was not taken. */
export interface LineRefusal {
  readonly line: number;
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** What one line gave. */
export interface ReadAccount {
  readonly line: number;
  readonly account?: ReportedAccount;
  readonly refusals: readonly LineRefusal[];
}

/** Reads to the end. Throws `csv-invalid` where it is neither JSON nor has a header of accounts. */
export async function checkAccountHeader(
  bytes: AsyncIterable<Uint8Array>,
): Promise<AccountImport['format']> {
  let format: AccountImport['format'] | undefined;
  for await (const piece of wholeLines(bytes)) {
    if (format !== undefined) continue;
    if (piece[0] === BRACE) format = 'jsonl';
    else {
      const reader = new CsvReader();
      const splitter = new CsvSplitter(reader);
      splitter.push(piece);
      if (reader.width === undefined) splitter.finish();
      if (reader.width === undefined) throw refused('found an empty file');
      format = 'csv';
    }
  }
  if (format === undefined) throw refused('found an empty file');
  return format;
}

/** Lines as they come. Throws `csv-invalid`, `upload-damaged`, `body-too-large`. */
export async function* readAccountLines(
  bytes: AsyncIterable<Uint8Array>,
  format: AccountImport['format'],
): AsyncGenerator<readonly ReadAccount[]> {
  const reader = format === 'csv' ? csvPieces() : jsonPieces();
  for await (const piece of wholeLines(bytes)) {
    const read = reader.take(piece);
    if (reader.rows() > ACCOUNT_LINES_MAX) {
      const detail = `expected at most ${ACCOUNT_LINES_MAX} accounts`;
      throw new DomainError('body-too-large', { detail });
    }
    yield read;
  }
  yield reader.finish();
}

interface Pieces {
  take(piece: Buffer): readonly ReadAccount[];
  finish(): readonly ReadAccount[];
  rows(): number;
}

function jsonPieces(): Pieces {
  let line = 0;
  let rows = 0;
  return {
    finish: () => [],
    rows: () => rows,
    take(piece) {
      const read: ReadAccount[] = [];
      for (let start = 0; start < piece.length; ) {
        const at = piece.indexOf(NEWLINE, start);
        const end = at === -1 ? piece.length : at;
        line++;
        const text = piece.subarray(start, end);
        start = end + 1;
        if (text.length === 0 || (text.length === 1 && text[0] === 0x0d)) continue;
        rows++;
        read.push(jsonLine(text, line));
      }
      return read;
    },
  };
}

function jsonLine(text: Buffer, line: number): ReadAccount {
  if (text.length > ACCOUNT_LINE_BYTES_MAX) {
    const detail = `expected at most ${ACCOUNT_LINE_BYTES_MAX} bytes`;
    return { line, refusals: [{ code: 'too-long', detail, line, pointer: '' }] };
  }
  try {
    return checked(parseStrictJson(text, { depthMax: DEPTH_MAX }), line);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    const detail = `expected a JSON object: ${error.message}`;
    return { line, refusals: [{ code: 'json-malformed', detail, line, pointer: '' }] };
  }
}

function checked(value: unknown, line: number): ReadAccount {
  const found = checkAccount(value);
  if ('account' in found) return { account: found.account, line, refusals: [] };
  return { line, refusals: found.violations.map((one) => ({ ...one, line })) };
}

function csvPieces(): Pieces {
  const reader = new CsvReader();
  const splitter = new CsvSplitter(reader);
  return {
    finish() {
      splitter.finish();
      return reader.taken();
    },
    rows: () => reader.rows,
    take(piece) {
      splitter.push(piece);
      return reader.taken();
    },
  };
}

class CsvReader implements RecordSink {
  rows = 0;
  #columns: readonly string[] | undefined;
  #read: ReadAccount[] = [];

  get width(): number | undefined {
    return this.#columns?.length;
  }

  taken(): readonly ReadAccount[] {
    const read = this.#read;
    this.#read = [];
    return read;
  }

  record(text: string, at: Parameters<RecordSink['record']>[1]): void {
    const fields = fieldsOf(text, at);
    if (this.#columns === undefined) {
      this.#columns = headerOf(fields);
      return;
    }
    this.rows++;
    const { line } = at;
    if (fields.length !== this.#columns.length) {
      const detail = `expected ${this.#columns.length} fields`;
      this.#read.push({ line, refusals: [{ code: 'field-count', detail, line, pointer: '' }] });
      return;
    }
    this.#read.push(checked(csvAccount(this.#columns, fields), line));
  }

  broken(line: number, fault: RecordFault): void {
    if (this.#columns === undefined) throw refused('found a header that is broken');
    this.rows++;
    const detail = 'expected a row whose quotes close';
    this.#read.push({ line, refusals: [{ code: fault, detail, line, pointer: '' }] });
  }

  refuse(detail: string): Error {
    return refused(detail);
  }
}

function headerOf(fields: readonly string[]): readonly string[] {
  const names = fields.map((field) => field.trim().toLowerCase());
  const missing = REQUIRED_COLUMNS.filter((name) => !names.includes(name));
  const unknown = names.findIndex((name) => !CSV_ACCOUNT_COLUMNS.includes(name));
  if (missing.length > 0) throw refused(`missing: ${missing.join(', ')}`);
  if (unknown >= 0) throw refused(`column ${unknown + 1} has an unknown name`);
  if (new Set(names).size < names.length) throw refused('a column stands twice');
  return names;
}

const refused = (detail: string): DomainError =>
  new DomainError('csv-invalid', {
    detail: `expected JSON lines, or the columns ${CSV_ACCOUNT_COLUMNS.join(', ')}; ${detail}`,
  });
