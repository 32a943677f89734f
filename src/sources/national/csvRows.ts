/**
 * Rows of a CSV file: UTF-8 or UTF-16 with its mark; comma, semicolon or tab, whichever the heading
 * is known by, since an address holds more commas than a heading has columns.
 */
import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { DomainError } from '#core/kernel';
import { linesBefore, wrongByte } from '#platform/wrongByte';
import { rolesOf } from './columns.ts';
import { CELL_CHARACTERS_MAX, COLUMNS_MAX, type TableRow } from './table.ts';

const DELIMITERS = [';', ',', '\t'];
/** Title rows and blank ones, and the heading. */
const SAMPLE_RECORDS = 100;

export async function* csvRows(bytes: Buffer): AsyncGenerator<TableRow> {
  const text = decode(bytes);
  refuseCut(text);
  refuseZeros(text);
  yield* parseRows(text, delimiterOf(text));
}

/** The delimiter. For a file without any heading it does not matter: that is no national list. */
function delimiterOf(text: string): string {
  const counts = DELIMITERS.map((delimiter) => {
    try {
      const sample = parseRecords(text, { delimiter, to: SAMPLE_RECORDS });
      const headings = sample.map(({ record }) => rolesOf(record));
      return headings.find((roles) => roles !== undefined)?.filter(Boolean).length ?? 0;
    } catch {
      // By another delimiter its quotes may stand within cells.
      return 0;
    }
  });
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/**
 * A table declares no count, so only its last line end shows that the file was not cut within its
 * last row.
 */
function refuseCut(text: string): void {
  if (text === '' || /[\r\n]$/.test(text)) return;
  const line = text.split(/\r\n|\r|\n/).length;
  const detail = `line ${line}: cut within the line, or saved without a line end behind it`;
  throw new DomainError('list-damaged', { detail });
}

/** Refuses zero bytes, which a failed disk or transfer leaves. */
function refuseZeros(text: string): void {
  const at = text.indexOf('\0');
  if (at < 0) return;
  const line = text.slice(0, at).split('\n').length;
  const detail = `line ${line}: a character that no text holds`;
  throw new DomainError('list-damaged', { detail });
}

function parseRows(text: string, delimiter: string): TableRow[] {
  try {
    const records = parseRecords(text, { delimiter });
    return records.map(({ info, record }) => ({
      cells: record,
      isDelimited: true,
      place: `line ${info.lines}`,
    }));
  } catch (cause) {
    const at = cause instanceof Error && 'lines' in cause ? `line ${String(cause.lines)}: ` : '';
    throw new DomainError('list-damaged', { cause, detail: `${at}not CSV` });
  }
}

interface CsvRecord {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

function parseRecords(
  text: string,
  options: { readonly delimiter: string; readonly to?: number },
): readonly CsvRecord[] {
  return parse(text, {
    ...options,
    info: true,
    max_record_size: COLUMNS_MAX * CELL_CHARACTERS_MAX,
    // Titles are narrower than the table; rows are checked against its heading once that is known.
    relax_column_count: true,
  }) as unknown as readonly CsvRecord[];
}

function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le');
  if (!isUtf8(bytes)) {
    const line = linesBefore(bytes, wrongByte(bytes)) + 1;
    const detail = `line ${line}: expected UTF-8 or UTF-16 text, got bytes of another encoding`;
    throw new DomainError('list-damaged', { detail });
  }
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.toString('utf8', hasBom ? 3 : 0);
}
