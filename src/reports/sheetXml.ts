/**
 * Sheets of a workbook as XML, row by row (ISO 29500, SpreadsheetML), split at Excel's limits.
 *
 * Why not exceljs: its writer has no backpressure (it holds what the disk has not taken yet), keeps
 * every shared string, writes row 1,048,577 without an error, and dates entries by the clock. Texts
 * are inline: a table of shared ones would have to be held in memory, or written twice.
 */
import { harmlessText } from '#platform/csv/csvCell';
import type { ZipEntry } from '#platform/zipStream';
import type { Column } from './columns.ts';

/** Rows of a sheet in Excel, with the heading. */
export const SHEET_ROWS_MAX = 1_048_576;
/** Well under the 4 GiB of an entry, with any last piece added. */
const SHEET_CHARS_MAX = 1_000_000_000;
const CELL_CHARS_MAX = 32_767;
const PIECE_CHARS = 128 * 1024;

/** Indexes of styles.xml, which workbook.ts writes. */
export const STYLES = { heading: 1, rightToLeft: 2, reviewHeading: 3 } as const;

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const SHEET_START =
  `${DECLARATION}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
  '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>' +
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" ' +
  'activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';
const WIDTH = 10;
/** Characters of columns that are still read on a landscape page. */
const PAGE_CHARS = 180;
/** ISO 216 A4, as SpreadsheetML counts papers. */
const A4 = 9;

/** Rows in pieces. A piece is taken whole or in part, and the rest stays for the next sheet. */
export class Rows<Value> {
  readonly #pieces: AsyncIterator<readonly Value[]>;
  #piece: readonly Value[] = [];
  #at = 0;

  constructor(pieces: AsyncIterable<readonly Value[]>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** False at the end. */
  async hasMore(): Promise<boolean> {
    while (this.#at === this.#piece.length) {
      const next = await this.#pieces.next();
      if (next.done === true) return false;
      this.#piece = next.value;
      this.#at = 0;
    }
    return true;
  }

  /** At most `max` of the rows in memory. */
  take(max: number): readonly Value[] {
    const some = this.#piece.slice(this.#at, this.#at + max);
    this.#at += some.length;
    return some;
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}

export interface SheetPart {
  readonly path: string;
  readonly name: string;
}

/**
 * A table as one sheet, or as `name_1`, `name_2` … where it does not fit. What was written is added
 * to `parts`. The caller reads an entry to its end before it requests the next.
 */
export async function* sheetsOf<Value>(
  table: {
    readonly name: string;
    readonly columns: readonly Column<Value>[];
    readonly rows: AsyncIterable<readonly Value[]>;
    readonly rowsMax?: number;
  },
  parts: SheetPart[],
): AsyncGenerator<ZipEntry> {
  const rows = new Rows(table.rows);
  const paths: string[] = [];
  try {
    do {
      // Readers know sheets by this name.
      const path = `xl/worksheets/sheet${parts.length + paths.length + 1}.xml`;
      paths.push(path);
      yield { content: sheetXml(table.columns, rows, table.rowsMax ?? SHEET_ROWS_MAX), path };
    } while (await rows.hasMore());
  } finally {
    await rows.close();
  }
  const isOne = paths.length === 1;
  parts.push(
    ...paths.map((path, at) => ({ name: isOne ? table.name : `${table.name}_${at + 1}`, path })),
  );
}

async function* sheetXml<Value>(
  columns: readonly Column<Value>[],
  rows: Rows<Value>,
  rowsMax: number,
): AsyncGenerator<string> {
  const letters = columns.map((_, at) => columnLetters(at));
  let xml = `${SHEET_START}${widthsXml(columns)}<sheetData>${headingXml(columns, letters)}`;
  let charsBefore = 0;
  let rowNo = 1;
  while (rowNo < rowsMax && charsBefore < SHEET_CHARS_MAX && (await rows.hasMore())) {
    for (const value of rows.take(rowsMax - rowNo)) {
      rowNo += 1;
      xml += rowXml({ columns, letters, rowNo }, value);
      if (xml.length < PIECE_CHARS) continue;
      charsBefore += xml.length;
      yield xml;
      xml = '';
    }
  }
  yield `${xml}</sheetData>${filterXml(letters, rowNo)}${choicesXml(columns, letters)}${printXml(
    columns,
  )}</worksheet>`;
}

const widthOf = <Value>({ name, width = Math.max(WIDTH, name.length + 2) }: Column<Value>) => width;

function widthsXml<Value>(columns: readonly Column<Value>[]): string {
  const cols = columns.map((column, at) => {
    return `<col min="${at + 1}" max="${at + 1}" width="${widthOf(column)}" customWidth="1"/>`;
  });
  return `<cols>${cols.join('')}</cols>`;
}

/** The arrows of the heading, by which rows are filtered and sorted. */
const filterXml = (letters: readonly string[], rows: number): string =>
  `<autoFilter ref="A1:${letters.at(-1)}${rows}"/>`;

/** What a reviewer chooses from; any other word is refused by the spreadsheet. */
function choicesXml<Value>(columns: readonly Column<Value>[], letters: readonly string[]): string {
  const lists = columns.flatMap(({ choices }, at) => {
    if (choices === undefined) return [];
    const cells = `${letters[at]}2:${letters[at]}${SHEET_ROWS_MAX}`;
    return [
      `<dataValidation type="list" allowBlank="1" showErrorMessage="1" sqref="${cells}">` +
        `<formula1>"${choices.join(',')}"</formula1></dataValidation>`,
    ];
  });
  if (lists.length === 0) return '';
  return `<dataValidations count="${lists.length}">${lists.join('')}</dataValidations>`;
}

/** Landscape, as many pages side by side as stay readable, with file, sheet and page below. */
function printXml<Value>(columns: readonly Column<Value>[]): string {
  const chars = columns.reduce((sum, column) => sum + widthOf(column), 0);
  const pages = Math.ceil(chars / PAGE_CHARS);
  return (
    '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.6" header="0.3" footer="0.3"/>' +
    `<pageSetup paperSize="${A4}" fitToWidth="${pages}" fitToHeight="0" pageOrder="overThenDown" ` +
    'orientation="landscape"/>' +
    '<headerFooter><oddFooter>&amp;L&amp;F&amp;C&amp;A&amp;R&amp;P / &amp;N</oddFooter>' +
    '</headerFooter>'
  );
}

function headingXml<Value>(columns: readonly Column<Value>[], letters: readonly string[]): string {
  const cells = columns.map(({ isForReview, name }, at) => {
    const style = isForReview ? STYLES.reviewHeading : STYLES.heading;
    return textCell(`${letters[at]}1`, name, style);
  });
  return `<row r="1">${cells.join('')}</row>`;
}

function rowXml<Value>(
  at: {
    readonly columns: readonly Column<Value>[];
    readonly letters: readonly string[];
    readonly rowNo: number;
  },
  of: Value,
): string {
  let cells = '';
  for (let place = 0; place < at.columns.length; place++) {
    const column = at.columns[place];
    const cell = column?.value(of) ?? '';
    if (cell === '') continue;
    const reference = `${at.letters[place]}${at.rowNo}`;
    if (typeof cell === 'number') cells += `<c r="${reference}"><v>${cell}</v></c>`;
    else {
      const text = column?.isForeign ? harmlessText(cell) : cell;
      cells += textCell(reference, text, column?.isRightToLeft ? STYLES.rightToLeft : 0);
    }
  }
  return `<row r="${at.rowNo}">${cells}</row>`;
}

function textCell(reference: string, text: string, style: number): string {
  const styled = style === 0 ? '' : ` s="${style}"`;
  return `<c r="${reference}"${styled} t="inlineStr"><is><t xml:space="preserve">${xmlText(
    text.length > CELL_CHARS_MAX ? text.slice(0, CELL_CHARS_MAX) : text,
  )}</t></is></c>`;
}

/**
 * Characters that XML cannot hold or reads otherwise, and text that Excel would take for an escape
 * of its own.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NEEDS_CARE = /[&<>\u0000-\u001f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const ILLEGAL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Text of an element. Characters that no XML holds become U+FFFD; lone surrogates as well. */
export function xmlText(text: string): string {
  const formed = text.isWellFormed() ? text : text.toWellFormed();
  if (!NEEDS_CARE.test(formed)) return formed;
  return formed
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(ILLEGAL, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '_x000D_');
}

/** 0 is A, 25 Z, 26 AA. */
export function columnLetters(place: number): string {
  const last = String.fromCharCode(65 + (place % 26));
  return place < 26 ? last : `${columnLetters(Math.floor(place / 26) - 1)}${last}`;
}
