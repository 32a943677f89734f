/**
 * Rows of a file to its tables, for example persons first, and bodies under a heading of their own,
 * further down or on another sheet. A row belongs to the heading above it on its sheet.
 *
 * Under the wrong heading a row would become another party. So a row that resembles a heading and
 * is not known refuses the file with its place, and so does a row without a heading above it.
 */
import { DomainError } from '#core/kernel';
import { furtherHeading, isNumberedRow, type Role, roleOfHeading, rolesOf } from './columns.ts';
import { ROWS_MAX, type TableRow, type TableRows } from './table.ts';

/** Rows above a heading: title, authority, date. */
const TITLE_ROWS_MAX = 30;
/** Cells of a title on a further sheet, as in `Mise à jour | 12/03/2026`. */
const TITLE_CELLS_MAX = 2;

export interface Table {
  readonly headings: readonly string[];
  readonly roles: readonly (Role | undefined)[];
  readonly rows: TableRow[];
}

export interface Tables {
  /** Titles of all tables, in the file's order. */
  readonly titles: readonly string[];
  readonly tables: readonly Table[];
  /** Sheets of nothing but text, behind the first table. */
  readonly textSheetCount: number;
}

export async function readTables(rows: TableRows): Promise<Tables> {
  const reader = new TablesReader();
  for await (const row of rows) reader.take(row);
  return reader.finish();
}

class TablesReader {
  readonly #titles: string[] = [];
  readonly #tables: Table[] = [];
  /** The table of this sheet; undefined above its heading. */
  #table: Table | undefined;
  #sheet: number | undefined;
  /** Rows above the heading of this sheet. */
  #above: TableRow[] = [];
  /** Lone cells that may be the title of a table below. */
  #lone: TableRow[] = [];
  #isBehindGap = false;
  #isLoneBehindGap = false;
  #rowCount = 0;
  #textSheetCount = 0;

  take(row: TableRow): void {
    if (row.sheet !== this.#sheet) this.#beginSheet(row.sheet);
    const isEmpty = filledCount(row) === 0 && row.fault === undefined;
    if (!isEmpty) this.#takeFilled(row);
    this.#isBehindGap = isEmpty;
  }

  finish(): Tables {
    this.#beginSheet(undefined);
    if (this.#tables.length === 0) throw foreign('no heading that is known');
    return { tables: this.#tables, textSheetCount: this.#textSheetCount, titles: this.#titles };
  }

  #takeFilled(row: TableRow): void {
    const table = this.#table;
    if (table === undefined) this.#takeAbove(row);
    else if (furtherHeading(row.cells) !== undefined) this.#beginTable(row);
    else if (filledCount(row) > 1 || row.fault !== undefined) {
      this.#keepLone(table);
      this.#keep(table, row);
    } else {
      if (this.#lone.length === 0) this.#isLoneBehindGap = this.#isBehindGap;
      this.#lone.push(row);
      if (this.#lone.length > TITLE_ROWS_MAX) this.#keepLone(table);
    }
  }

  #takeAbove(row: TableRow): void {
    if (rolesOf(row.cells)) {
      this.#beginTable(row);
      return;
    }
    if (furtherHeading(row.cells) === 'unknown') throw unknownHeading(row);
    const isFurther = this.#tables.length > 0;
    if (isNumberedRow(row.cells) || (isFurther && filledCount(row) > TITLE_CELLS_MAX)) {
      throw damaged(`${row.place}: a row above any heading that is known`);
    }
    this.#above.push(row);
    this.#titles.push(row.cells.join(' '));
    if (this.#above.length > TITLE_ROWS_MAX) throw foreign('no heading in the first rows');
  }

  /** The same heading again is that of the next page or sheet: its table goes on. */
  #beginTable(row: TableRow): void {
    const roles = rolesOf(row.cells);
    if (!roles || (this.#table && furtherHeading(row.cells) !== 'known')) throw unknownHeading(row);
    this.#takeTitles();
    const headings = withoutEmptyEnd(row.cells);
    const former = this.#tables.at(-1);
    const isSame = former?.headings.join('\u0000') === headings.join('\u0000');
    this.#table =
      former && isSame ? former : { headings, roles: headings.map(roleOfHeading), rows: [] };
    if (!isSame) this.#tables.push(this.#table);
    this.#above = [];
  }

  /** Lone cells right above a heading are its title, but one that could be an entry's name. */
  #takeTitles(): void {
    const table = this.#table;
    if (!table) return;
    for (const row of this.#lone) {
      const role = table.roles[row.cells.findIndex((cell) => cell.trim() !== '')];
      const isName = typeof role === 'string' && /name$/i.test(role);
      if (row.isTitle || this.#isLoneBehindGap || !isName) this.#titles.push(row.cells.join(' '));
      else this.#keep(table, { ...row, fault: 'an entry, or the title of the next table' });
    }
    this.#lone = [];
  }

  #keepLone(table: Table): void {
    for (const row of this.#lone) this.#keep(table, row);
    this.#lone = [];
  }

  #keep(table: Table, row: TableRow): void {
    table.rows.push(row);
    this.#rowCount++;
    if (this.#rowCount > ROWS_MAX) throw damaged(`over ${ROWS_MAX} rows`);
  }

  #beginSheet(sheet: number | undefined): void {
    if (this.#table) this.#keepLone(this.#table);
    else if (this.#tables.length > 0 && this.#above.length > 0) {
      const wide = this.#above.find((row) => filledCount(row) > 1);
      if (wide) throw damaged(`${wide.place}: a sheet without a heading that is known`);
      this.#textSheetCount++;
    }
    if (this.#tables.length > 0) this.#above = [];
    this.#table = undefined;
    this.#sheet = sheet;
    this.#isBehindGap = false;
  }
}

const filledCount = ({ cells }: TableRow): number =>
  cells.filter((cell) => cell.trim() !== '').length;

function withoutEmptyEnd(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1);
}

const unknownHeading = ({ place }: TableRow): DomainError =>
  damaged(`${place}: a heading that is not known: expected a column of names and one other`);

const damaged = (detail: string): DomainError => new DomainError('list-damaged', { detail });

export const foreign = (what: string): DomainError =>
  new DomainError('list-foreign', { detail: `expected the national list, got ${what}` });
