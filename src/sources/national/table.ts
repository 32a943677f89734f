/** A national list after its file was opened: rows of text, from any of the formats. */
export interface TableRow {
  /** Place of the row as a person would look for it: `row 7`, `page 2, line 14`. */
  readonly place: string;
  readonly cells: readonly string[];
  /** Why the row cannot be trusted, where it cannot. */
  readonly fault?: string;
  /** Number of the workbook's sheet: a heading counts for its own sheet only. */
  readonly sheet?: number;
  /** Cells are counted, not placed: of another number than the heading's, none can be trusted. */
  readonly isDelimited?: true;
  /** Stands apart, right above a heading: no row of the table before. */
  readonly isTitle?: true;
}

/** In the file's order, rows above and including the headings among them, and empty ones. */
export type TableRows = AsyncIterable<TableRow>;

export const ROWS_MAX = 200_000;
export const COLUMNS_MAX = 100;
export const CELL_CHARACTERS_MAX = 8_192;
/** A list that people keep by hand is small; a larger file is not one. */
export const FILE_BYTES_MAX = 32 * 1024 * 1024;
