/**
 * Rows of all worksheets, one after another. Dates come as days, numbers as they are shown or
 * written; a formula is a fault of its row, since its value depends on the program that computes
 * it.
 */
import { Readable } from 'node:stream';
import type { CellValue } from 'exceljs';
import exceljs from 'exceljs';
import { DomainError } from '#core/kernel';
import { shownNumber } from './shownNumber.ts';
import { COLUMNS_MAX, type TableRow } from './table.ts';
import { workbookParts } from './workbookParts.ts';

const PIECE_BYTES = 16 * 1024;
/** Bits at the start of every byte of a UTF-8 character but the first. */
const CONTINUED = 0x80;
const CONTINUED_MASK = 0xc0;

export async function* xlsxRows(bytes: Buffer): AsyncGenerator<TableRow> {
  const parts = await workbookParts(bytes);
  const workbook = new exceljs.stream.xlsx.WorkbookReader(Readable.from(pieces(parts)), {
    entries: 'emit',
    hyperlinks: 'ignore',
    sharedStrings: 'cache',
    styles: 'cache',
    worksheets: 'emit',
  });
  let sheetNumber = 0;
  try {
    for await (const sheet of workbook) {
      sheetNumber++;
      let last = 0;
      for await (const row of sheet) {
        // Rows that hold nothing may be left out of the file.
        if (row.number > last + 1) yield { cells: [], place: '', sheet: sheetNumber };
        last = row.number;
        yield toRow(row, sheetNumber);
      }
    }
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
    throw new DomainError('list-damaged', { cause, detail: 'spreadsheet: cannot be read' });
  }
}

/**
 * Pieces of the parts. exceljs holds every element of a piece, which for a whole sheet are
 * gigabytes. It decodes each piece alone, so no character may be cut.
 */
function* pieces(parts: readonly Buffer[]): Generator<Buffer> {
  for (const part of parts) {
    let end = 0;
    for (let start = 0; start < part.length; start = end) {
      end = start + PIECE_BYTES;
      while (((part[end] ?? 0) & CONTINUED_MASK) === CONTINUED) end++;
      yield part.subarray(start, end);
    }
  }
}

interface SheetRow {
  readonly number: number;
  readonly cellCount: number;
  getCell(column: number): { readonly value: CellValue; readonly numFmt?: string };
}

function toRow(row: SheetRow, sheetNumber: number): TableRow {
  const cells: string[] = [];
  let fault: string | undefined;
  for (let column = 1; column <= Math.min(row.cellCount, COLUMNS_MAX); column++) {
    const { numFmt, value } = row.getCell(column);
    const text = cellText(value, numFmt);
    if (text === undefined) fault = `column ${column}: a formula or an error`;
    cells.push(text ?? '');
  }
  if (hasCellsBehind(row)) fault = `expected at most ${COLUMNS_MAX} columns`;
  const place = `${sheetNumber > 1 ? `sheet ${sheetNumber}, ` : ''}row ${row.number}`;
  return { cells, place, sheet: sheetNumber, ...(fault !== undefined && { fault }) };
}

/** Styled cells without a value count for nothing, however far to the right they stand. */
function hasCellsBehind(row: SheetRow): boolean {
  for (let column = COLUMNS_MAX + 1; column <= row.cellCount; column++) {
    if (cellText(row.getCell(column).value) !== '') return true;
  }
  return false;
}

/** The cell's text; undefined for a value of no type of its own. */
function cellText(value: CellValue, format?: string): string | undefined {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number') return shownNumber(value, format);
  if (typeof value === 'boolean') return String(value);
  // A day without a zone, which exceljs puts at midnight UTC.
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? undefined : value.toISOString().slice(0, 10);
  }
  if ('hyperlink' in value && 'text' in value) return cellText(value.text as CellValue);
  return undefined;
}
