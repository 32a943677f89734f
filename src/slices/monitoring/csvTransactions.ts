/**
 * Transactions from CSV, some rows at a time: a nightly file has ten million of them. Its header
 * says which column is which; an unknown column refuses the file, since a misspelt one would be
 * ignored in every row.
 */
import { DomainError } from '#core/kernel';
import {
  CsvSplitter,
  fieldsOf,
  type RecordFault,
  type RecordSink,
} from '#platform/csv/csvSplitter';
import { wholeLines } from '#platform/csv/wholeLines';
import { isIban } from './messageLegs.ts';
import type { Draft } from './pathTree.ts';
import { settleTransaction } from './settleTransaction.ts';
import { TRANSACTION_SHAPE } from './shapes.ts';
import type { ReadingContext, ReadTransactions, Refusal } from './transaction.ts';

/** Rows of one file. */
export const CSV_TRANSACTIONS_MAX = 10_000_000;

const SIDE_COLUMNS = ['name', 'account', 'bic', 'country', 'dob'] as const;

/** Where each column goes: a path in the draft. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(TRANSACTION_SHAPE.required.map((name) => [name, [name]])),
  ...Object.fromEntries(
    [
      'value_date',
      'channel',
      'product',
      'purpose',
      'status',
      'reverses',
      'customer_id',
      'uetr',
      'end_to_end_id',
    ].map((name) => [name, [name]]),
  ),
  remittance: ['remittance', '0'],
  instructed_amount: ['instructed', 'amount'],
  instructed_currency: ['instructed', 'currency'],
  charges: ['charges', 'bearer'],
  ...Object.fromEntries(
    (['debtor', 'creditor'] as const).flatMap((side) =>
      SIDE_COLUMNS.map((name) => [`${side}_${name}`, sidePath(side, name)]),
    ),
  ),
};

/** The names of all columns, the required ones first. */
export const CSV_COLUMNS: readonly string[] = Object.keys(COLUMNS);

function sidePath(side: 'debtor' | 'creditor', name: (typeof SIDE_COLUMNS)[number]): string[] {
  if (name === 'account') return [side, 'account', 'other'];
  if (name === 'country') return [side, 'address', 'country'];
  // A column names the bank of the party: a BIC of the party itself would be rare beside it.
  if (name === 'bic') return [`${side}_agent`, 'bic'];
  return [side, name];
}

/** Rows of a CSV, as far as they were read. */
export interface ReadRows extends ReadTransactions {
  /** Rows from the beginning of the file, the header not counted. */
  readonly rows: number;
}

/** What of a file is read. */
export interface RowsToRead {
  readonly max?: number;
  /** Rows that were taken before: they are counted, and not read again. */
  readonly done?: number;
}

/** Throws `csv-invalid` where the first line is not a header of transactions. */
export async function checkCsvHeader(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const reader = new HeaderReader();
  const splitter = new CsvSplitter(reader);
  for await (const piece of wholeLines(bytes)) {
    // The rest is read for its encoding and its end alone.
    if (!reader.isFound) splitter.push(piece);
  }
  if (!reader.isFound) splitter.finish();
  if (!reader.isFound) throw refused('expected a header; found an empty file');
}

class HeaderReader implements RecordSink {
  isFound = false;

  get width(): number | undefined {
    return undefined;
  }

  record(text: string, at: Parameters<RecordSink['record']>[1]): void {
    if (this.isFound) return;
    columnsOf(fieldsOf(text, at));
    this.isFound = true;
  }

  broken(): void {
    if (!this.isFound) throw refused('expected a header; found a line that is broken');
  }

  refuse(detail: string): Error {
    return refused(detail);
  }
}

/** Rows read so far: throws `csv-invalid`, `upload-damaged` or `body-too-large`. */
export async function* csvTransactions(
  bytes: AsyncIterable<Uint8Array>,
  context: ReadingContext,
  { done = 0, max = CSV_TRANSACTIONS_MAX }: RowsToRead = {},
): AsyncGenerator<ReadRows> {
  const reader = new RowReader(context, { done, max });
  const splitter = new CsvSplitter(reader);
  for await (const piece of wholeLines(bytes)) {
    splitter.push(piece);
    yield reader.taken();
  }
  splitter.finish();
  if (reader.width === undefined) throw refused('expected a header; found an empty file');
  yield reader.taken();
}

class RowReader implements RecordSink {
  readonly #context: ReadingContext;
  readonly #done: number;
  readonly #rowsMax: number;
  #columns: readonly string[] | undefined;
  #rows = 0;
  #transactions: ReadTransactions['transactions'][number][] = [];
  #refusals: Refusal[] = [];

  constructor(context: ReadingContext, { done, max }: Required<RowsToRead>) {
    this.#context = context;
    this.#done = done;
    this.#rowsMax = max;
  }

  get width(): number | undefined {
    return this.#columns?.length;
  }

  taken(): ReadRows {
    const rows = this.#rows;
    const some = { refusals: this.#refusals, rows, transactions: this.#transactions };
    this.#refusals = [];
    this.#transactions = [];
    return some;
  }

  record(text: string, at: Parameters<RecordSink['record']>[1]): void {
    if (this.#columns === undefined) {
      this.#columns = columnsOf(fieldsOf(text, at));
      return;
    }
    const index = this.#nextIndex(at.line);
    if (index < this.#done) return;
    const fields = fieldsOf(text, at);
    if (fields.length !== this.#columns.length) {
      const detail = `expected ${this.#columns.length} fields`;
      this.#refuse({ code: 'field-count', detail, index, line: at.line, pointer: '' });
      return;
    }
    const settled = settleTransaction(draftOf(this.#columns, fields), this.#context);
    if ('transaction' in settled) {
      this.#transactions.push({ index, line: at.line, transaction: settled.transaction });
      return;
    }
    for (const violation of settled.violations) {
      this.#refuse({ ...violation, index, line: at.line, pointer: columnAt(violation.pointer) });
    }
  }

  broken(line: number, fault: RecordFault): void {
    if (this.#columns === undefined)
      throw refused('expected a header; found a line that is broken');
    const index = this.#nextIndex(line);
    if (index < this.#done) return;
    this.#refuse({
      code: fault,
      detail: 'expected a row whose quotes close',
      index,
      line,
      pointer: '',
    });
  }

  refuse(detail: string): Error {
    return refused(detail);
  }

  #nextIndex(line: number): number {
    if (this.#rows === this.#rowsMax) {
      throw new DomainError('body-too-large', {
        detail: `line ${line}: expected at most ${this.#rowsMax} rows`,
      });
    }
    return this.#rows++;
  }

  #refuse(refusal: Refusal): void {
    this.#refusals.push(refusal);
  }
}

function columnsOf(fields: readonly string[]): readonly string[] {
  const names = fields.map((field) => field.trim().toLowerCase());
  const missing = TRANSACTION_SHAPE.required.filter((name) => !names.includes(name));
  const unknown = names.findIndex((name) => !Object.hasOwn(COLUMNS, name));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (missing.length > 0) throw refused(`missing: ${missing.join(', ')}`);
  // An unknown name may be a value: a file without a header begins with one.
  if (unknown >= 0) throw refused(`column ${unknown + 1} has an unknown name`);
  if (twice !== undefined) throw refused(`expected each column once; found ${twice} twice`);
  return names;
}

function draftOf(columns: readonly string[], fields: readonly string[]): Draft {
  const draft: Draft = {};
  for (let at = 0; at < columns.length; at++) {
    const value = fields[at]?.trim();
    const path = COLUMNS[columns[at] ?? ''];
    if (value && path !== undefined) put(draft, path, value);
  }
  return draft;
}

function put(draft: Draft, path: readonly string[], value: string): void {
  const [first = '', second, third] = path;
  if (second === undefined) draft[first] = value;
  else if (second === '0') draft[first] = [value];
  else if (third === undefined) draft[first] = { ...(draft[first] as object), [second]: value };
  else {
    const account = isIban(value) ? { iban: value } : { [third]: value };
    draft[first] = { ...(draft[first] as object), [second]: account };
  }
}

/** The pointer into the draft as the column that it came from. */
function columnAt(pointer: string): string {
  const path = pointer.split('/').slice(1);
  const column = CSV_COLUMNS.find((name) => COLUMNS[name]?.every((key, at) => path[at] === key));
  return column === undefined ? pointer : `/${column}`;
}

const refused = (detail: string): DomainError =>
  new DomainError('csv-invalid', {
    detail: `expected the columns ${CSV_COLUMNS.join(', ')}; ${detail}`,
  });
