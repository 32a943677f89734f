/**
 * Rows of a table in a PDF, which contains no table: only pieces of text and their places.
 *
 * Conservative on purpose. A piece is a cell of the column whose heading it is aligned with (at the
 * start, the end or the middle), or within whose bounds it lies; where none or two fit, the row has
 * a fault. A row begins where its number or reference stands, and takes the lines right below it;
 * without such a column a row is one line. Text that may belong to either of two rows makes both
 * faulty. Separate lines above a further heading are its title.
 *
 * Text comes in logical order (pdf.js resolves the direction), Arabic presentation forms as
 * letters.
 */
import { extractTextItems, getDocumentProxy } from 'unpdf';
import { DomainError } from '#core/kernel';
import { furtherHeading, roleOfHeading, rolesOf } from './columns.ts';
import { CELL_CHARACTERS_MAX, COLUMNS_MAX, type TableRow } from './table.ts';

const PAGES_MAX = 2_000;
const ITEMS_MAX = 2_000_000;
/** Pieces of text on one line: letters that stand alone, at the most. */
const LINE_ITEMS_MAX = 2_000;
/** In parts of the font size: same line, same cell, next line of the same row. */
const SAME_LINE = 0.4;
const SAME_CELL = 0.8;
const A_SPACE = 0.35;
const NEXT_LINE = 1.8;
/** Lines of one title within the table. */
const TITLE_LINES_MAX = 10;
/** Points that an alignment may be off. */
const ALIGNED = 3;
/** A page number, in text with single spaces. */
const PAGE_NUMBER = /^(?:page|صفحة)? ?[-–]? ?\d+ ?(?:(?:\/|sur|of|من) ?\d+)? ?[-–]?$/iu;

interface Piece {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly size: number;
}

interface Line {
  readonly place: string;
  readonly page: number;
  readonly y: number;
  readonly size: number;
  readonly pieces: readonly Piece[];
}

interface Column {
  readonly left: number;
  readonly right: number;
  readonly from: number;
  readonly to: number;
}

export async function* pdfRows(bytes: Buffer): AsyncGenerator<TableRow> {
  let layout: Layout | undefined;
  const lines = await readLines(bytes);
  for (const [index, line] of lines.entries()) {
    const cells = line.pieces.map(({ text }) => text);
    const heading = headingOf(line, layout === undefined);
    if (layout === undefined && heading === undefined) yield { cells, place: line.place };
    else if (heading !== undefined) {
      if (layout) yield* layout.finish();
      // An unknown heading is reported as it is written, and refuses the file.
      const next = heading === 'known' ? new Layout(line) : undefined;
      if (!next || !layout?.isOf(next)) layout = next;
      yield { cells: next?.headings ?? cells, place: line.place };
    } else if (layout && !PAGE_NUMBER.test(cells.join(' '))) {
      if (isTitle(lines, index, layout)) {
        yield* layout.finish();
        yield { cells, isTitle: true, place: line.place };
      } else yield* layout.take(line);
    }
  }
  if (layout) yield* layout.finish();
}

function headingOf(line: Line, isFirst: boolean): 'known' | 'unknown' | undefined {
  const cells = line.pieces.map(({ text }) => text);
  if (cells.length > COLUMNS_MAX) return undefined;
  return isFirst && rolesOf(cells) ? 'known' : furtherHeading(cells);
}

/**
 * Whether a line is one of the separate lines above a heading, the first of which is set apart from
 * the text above it. At the top of a page a cell of the last row could also go on there.
 */
function isTitle(lines: readonly Line[], index: number, layout: Layout): boolean {
  const isLone = (at: number): boolean => lines[at]?.pieces.length === 1;
  let from = index;
  while (isLone(from) && isUnder(lines, from) && index - from < TITLE_LINES_MAX) from--;
  const first = lines[from];
  if (!first || !isLone(from) || isUnder(lines, from)) return false;
  if (first.page !== lines[from - 1]?.page && layout.mayGoOn(first)) return false;
  let to = index;
  while (isLone(to) && to - index < TITLE_LINES_MAX) to++;
  const heading = lines[to];
  return heading !== undefined && headingOf(heading, false) !== undefined;
}

function isUnder(lines: readonly Line[], index: number): boolean {
  const [above, line] = [lines[index - 1], lines[index]];
  return above !== undefined && line !== undefined && isNextLine(above, line);
}

const isNextLine = (above: Line, line: Line): boolean =>
  above.page === line.page && above.y - line.y <= NEXT_LINE * line.size;

/** The columns of the heading, and the row that is being put together. */
class Layout {
  readonly headings: readonly string[];
  readonly #columns: readonly Column[];
  /** Where a row's number or reference stands; -1 where nothing separates rows. */
  readonly #start: number;
  readonly #name: number;
  #open: { place: string; cells: string[]; fault: string | undefined; last: Line } | undefined;
  #doubt: string | undefined;

  constructor(heading: Line) {
    const pieces = [...heading.pieces].sort((a, b) => a.left - b.left);
    this.headings = pieces.map(({ text }) => text);
    const roles = rolesOf(this.headings) ?? [];
    this.#start = roles.findIndex((role) => role === 'rank' || role === 'reference');
    this.#name = roles.findIndex(
      (role) => typeof role === 'string' && /name$/i.test(role) && role !== 'firstName',
    );
    this.#columns = pieces.map((piece, index) => {
      const before = pieces[index - 1]?.right ?? Number.NEGATIVE_INFINITY;
      const after = pieces[index + 1]?.left ?? Number.POSITIVE_INFINITY;
      return {
        from: (before + piece.left) / 2,
        left: piece.left,
        right: piece.right,
        to: (piece.right + after) / 2,
      };
    });
  }

  /** The same columns at the same places, as a heading that is repeated on every page. */
  isOf(other: Layout): boolean {
    return (
      this.headings.join('\u0000') === other.headings.join('\u0000') &&
      this.#columns.every(({ left }, index) => {
        const there = other.#columns[index]?.left ?? Number.NaN;
        return Math.abs(left - there) <= ALIGNED;
      })
    );
  }

  /** Whether the line is aligned like more of a cell of the row that is open. */
  mayGoOn(line: Line): boolean {
    const { cells } = this.#open ?? {};
    return this.#columns.some(
      (column, at) =>
        at !== this.#start &&
        (cells?.[at] ?? '') !== '' &&
        line.pieces.some((piece) => isAligned(piece, column)),
    );
  }

  *take(line: Line): Generator<TableRow> {
    const { cells, fault } = this.#cellsOf(line);
    if (this.#begins(cells)) {
      yield* this.finish();
      this.#open = { cells, fault: fault ?? this.#doubt, last: line, place: line.place };
      this.#doubt = undefined;
      return;
    }
    const open = this.#open;
    if (open && isNextLine(open.last, line) && this.#start >= 0) {
      open.fault ??= fault;
      open.last = line;
      // Too long already: the row is refused for it.
      if (open.cells.some((cell) => cell.length > CELL_CHARACTERS_MAX)) return;
      open.cells = open.cells.map((cell, index) => joined(cell, cells[index] ?? ''));
      return;
    }
    if (open) open.fault ??= `${line.place} may belong to it`;
    this.#doubt = `${line.place} may belong to it`;
    yield { cells, fault: 'text that belongs to no row', place: line.place };
  }

  *finish(): Generator<TableRow> {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return;
    const { cells, fault, place } = open;
    yield { cells, place, ...(fault !== undefined && { fault }) };
  }

  /** Without a number a name alone could also be the second half of the one above. */
  #begins(cells: readonly string[]): boolean {
    if (this.#start >= 0) return cells[this.#start] !== '';
    return cells[this.#name] !== '' && cells.filter((cell) => cell !== '').length > 1;
  }

  #cellsOf(line: Line): { cells: string[]; fault: string | undefined } {
    const cells = this.#columns.map(() => '');
    let fault: string | undefined;
    for (const piece of line.pieces) {
      const fitting = this.#fitting(piece);
      const [column] = fitting;
      if (fitting.length !== 1 || column === undefined) fault = 'text that belongs to no column';
      else cells[column] = joined(cells[column] ?? '', piece.text);
    }
    return { cells, fault };
  }

  #fitting(piece: Piece): readonly number[] {
    const indexes = this.#columns.map((_, index) => index);
    const aligned = indexes.filter((index) => isAligned(piece, this.#columns[index]));
    if (aligned.length > 0) return aligned;
    return indexes.filter((index) => {
      const column = this.#columns[index];
      return column !== undefined && piece.left >= column.from && piece.right <= column.to;
    });
  }
}

function isAligned(piece: Piece, column: Column | undefined): boolean {
  if (column === undefined) return false;
  const middle = (piece.left + piece.right) / 2 - (column.left + column.right) / 2;
  const offs = [piece.left - column.left, piece.right - column.right, middle];
  return offs.some((off) => Math.abs(off) <= ALIGNED);
}

const joined = (a: string, b: string): string => [a, b].filter((text) => text !== '').join(' ');

async function readLines(bytes: Buffer): Promise<Line[]> {
  const pages = await readPages(bytes);
  return pages.flatMap((items, index) => {
    const page = index + 1;
    return groupByLine(items).map((line, number) => ({
      page,
      pieces: mergePieces(line),
      place: `page ${page}, line ${number + 1}`,
      size: Math.max(...line.map((item) => item.fontSize || item.height)),
      y: line[0]?.y ?? 0,
    }));
  });
}

type Item = Awaited<ReturnType<typeof extractTextItems>>['items'][number][number];

async function readPages(bytes: Buffer): Promise<Item[][]> {
  try {
    // Only text is extracted: nothing is rendered, and no script of the file is run.
    const document = await getDocumentProxy(new Uint8Array(bytes), {
      disableFontFace: true,
      stopAtErrors: true,
      verbosity: 0,
    });
    if (document.numPages > PAGES_MAX) throw tooLarge();
    const { items } = await extractTextItems(document);
    if (items.reduce((sum, page) => sum + page.length, 0) > ITEMS_MAX) throw tooLarge();
    await document.cleanup();
    return items;
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
    throw new DomainError('list-damaged', { cause, detail: 'PDF: cannot be read' });
  }
}

const tooLarge = (): DomainError =>
  new DomainError('list-damaged', {
    detail: `PDF: over ${PAGES_MAX} pages, or more text than they hold`,
  });

function groupByLine(items: readonly Item[]): Item[][] {
  const sorted = items.filter(({ str }) => str.trim() !== '').sort((a, b) => b.y - a.y);
  const lines: Item[][] = [];
  for (const item of sorted) {
    const line = lines.at(-1);
    const first = line?.[0];
    const size = item.fontSize || item.height;
    if (line && first && first.y - item.y <= SAME_LINE * size) line.push(item);
    else lines.push([item]);
    if ((line?.length ?? 0) > LINE_ITEMS_MAX) throw tooLarge();
  }
  return lines;
}

/** Words that stand as close as words of one cell do; those of Arabic are read from the right. */
function mergePieces(line: readonly Item[]): Piece[] {
  const sorted = [...line].sort((a, b) => a.x - b.x);
  const groups: Item[][] = [];
  for (const item of sorted) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const size = item.fontSize || item.height;
    if (group && last && item.x - (last.x + last.width) <= SAME_CELL * size) group.push(item);
    else groups.push([item]);
  }
  return groups.flatMap(headingsOf).map((group) => ({
    left: Math.min(...group.map(({ x }) => x)),
    right: Math.max(...group.map(({ width, x }) => x + width)),
    size: Math.max(...group.map(({ fontSize }) => fontSize)),
    text: textOf(group),
  }));
}

/** Headings of narrow columns stand as close as words: two known ones side by side are two. */
function headingsOf(group: Item[]): Item[][] {
  if (group.length === 1 || roleOfHeading(textOf(group)) !== undefined) return [group];
  for (let at = 1; at < group.length; at++) {
    const [before, after] = [group.slice(0, at), group.slice(at)];
    const isHeading = roleOfHeading(textOf(before)) !== undefined && isWide(before, after);
    const rest = isHeading ? headingsOf(after) : [];
    if (rest.length > 0 && rest.every((one) => roleOfHeading(textOf(one)) !== undefined)) {
      return [before, ...rest];
    }
  }
  return [group];
}

function isWide(before: readonly Item[], after: readonly Item[]): boolean {
  const [last, first] = [before.at(-1), after[0]];
  if (!last || !first) return false;
  return first.x - (last.x + last.width) > A_SPACE * (first.fontSize || first.height);
}

function textOf(group: readonly Item[]): string {
  const isRightToLeft = group.some(({ str }) => /\p{Script=Arabic}/u.test(str));
  const inOrder = isRightToLeft ? group.toReversed() : group;
  const text = inOrder.map(({ str }) => str.trim()).join(' ');
  return text.normalize('NFKC').replace(/\s+/g, ' ').trim();
}
