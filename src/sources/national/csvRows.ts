/** Rows of a CSV file: UTF-8 or UTF-16 with its mark; comma, semicolon or tab by the first rows. */
import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { DomainError } from '#domain/kernel';
import { linesBefore, wrongByte } from '../wrongByte.ts';
import { CELL_CHARACTERS_MAX, COLUMNS_MAX, type TableRow } from './table.ts';

const DELIMITERS = [';', ',', '\t'];
const SAMPLE_LINES = 20;

export async function* csvRows(bytes: Buffer): AsyncGenerator<TableRow> {
  const text = decode(bytes);
  refuseCut(text);
  refuseZeros(text);
  const sample = text.split('\n', SAMPLE_LINES).join('\n');
  const counts = DELIMITERS.map((delimiter) => sample.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  yield* parseRows(text, delimiter);
}

/**
 * A table declares no count, so its last line end is all that tells a whole file from one that
 * was cut within its last row.
 */
function refuseCut(text: string): void {
  if (text === '' || /[\r\n]$/.test(text)) return;
  const line = text.split(/\r\n|\r|\n/).length;
  const detail = `line ${line}: cut within the line, or saved without a line end behind it`;
  throw new DomainError('list-damaged', { detail });
}

/** What a disk or a transfer that failed leaves. */
function refuseZeros(text: string): void {
  const at = text.indexOf('\0');
  if (at < 0) return;
  const line = text.slice(0, at).split('\n').length;
  const detail = `line ${line}: a character that no text holds`;
  throw new DomainError('list-damaged', { detail });
}

function parseRows(text: string, delimiter: string): TableRow[] {
  try {
    const records = parse(text, {
      delimiter,
      info: true,
      max_record_size: COLUMNS_MAX * CELL_CHARACTERS_MAX,
      relax_column_count: true,
    }) as unknown as readonly { record: string[]; info: { lines: number } }[];
    return records.map(({ info, record }) => ({ cells: record, place: `line ${info.lines}` }));
  } catch (cause) {
    const at = cause instanceof Error && 'lines' in cause ? `line ${String(cause.lines)}: ` : '';
    throw new DomainError('list-damaged', { cause, detail: `${at}not CSV` });
  }
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
