/**
 * BCT_TN: the national list, as a spreadsheet (XLSX, CSV) or a PDF, told apart by their first bytes
 * and imported by hand. All three become rows of text; a row that cannot be trusted is skipped and
 * told, and nothing in it is guessed.
 *
 * The release date is the first date in the title above the heading (`Mise à jour : 12/03/2026`),
 * else the latest date of listing. A file with neither is refused: whoever imports it writes the
 * date above the heading.
 */
import { DomainError } from '#domain/kernel';
import type { CountryLookup, ListReader, ListSink, ReadList } from '#domain/lists';
import { SkippedRecords } from '../skippedRecords.ts';
import { roleOfHeading, rolesOf } from './columns.ts';
import { csvRows } from './csvRows.ts';
import { dateWithin, readDate } from './dates.ts';
import { mapRow, type RowContext } from './map.ts';
import {
  CELL_CHARACTERS_MAX,
  FILE_BYTES_MAX,
  ROWS_MAX,
  type TableRow,
  type TableRows,
} from './table.ts';

/** Rows above the heading: title, authority, date. */
const TITLE_ROWS_MAX = 30;

export function nationalReader(countries: CountryLookup): ListReader {
  return {
    format: 'national list: XLSX, CSV or PDF',
    read: async (chunks, { onBytes, sink, sourceId }) => {
      const bytes = await readWhole(chunks, onBytes);
      const table = await readTable(await rowsOf(bytes));
      return mapTable(table, { countries, sink, sourceId });
    },
  };
}

async function readWhole(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: ((bytes: number) => void) | undefined,
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > FILE_BYTES_MAX) {
      throw new DomainError('list-damaged', { detail: `over ${FILE_BYTES_MAX} bytes` });
    }
    parts.push(Uint8Array.from(chunk));
    onBytes?.(bytes);
  }
  return Buffer.concat(parts);
}

/** The two libraries are loaded when they are needed: no other process should start with them. */
async function rowsOf(bytes: Buffer): Promise<TableRows> {
  const magic = bytes.toString('latin1', 0, 8);
  if (magic.startsWith('%PDF-')) return (await import('./pdfRows.ts')).pdfRows(bytes);
  if (magic.startsWith('PK\u0003\u0004')) return (await import('./xlsxRows.ts')).xlsxRows(bytes);
  // Compound files: a spreadsheet of before 2007, or one with a password.
  if (magic.startsWith('\u00d0\u00cf\u0011\u00e0')) throw foreign('an XLS or encrypted file');
  return csvRows(bytes);
}

interface Table {
  readonly titles: readonly string[];
  readonly headings: readonly string[];
  readonly roles: RowContext['roles'];
  readonly rows: readonly TableRow[];
}

async function readTable(rows: TableRows): Promise<Table> {
  const titles: string[] = [];
  const taken: TableRow[] = [];
  let headings: readonly string[] | undefined;
  for await (const row of rows) {
    const isEmpty = row.cells.every((cell) => cell.trim() === '');
    if (isEmpty && row.fault === undefined) continue;
    if (headings !== undefined) {
      // The same heading again: of the next page or sheet.
      if (row.cells.join('\u0000') !== headings.join('\u0000')) taken.push(row);
      if (taken.length > ROWS_MAX) throw tooMany();
    } else if (rolesOf(row.cells)) headings = row.cells;
    else titles.push(row.cells.join(' '));
    if (titles.length > TITLE_ROWS_MAX) throw foreign('no heading in the first rows');
  }
  if (!headings) throw foreign('no heading that is known');
  return { headings, roles: headings.map(roleOfHeading), rows: taken, titles };
}

function mapTable(
  table: Table,
  options: { countries: CountryLookup; sink: ListSink; sourceId: string },
): ReadList {
  const notes: Record<string, number> = {};
  const skipped = new SkippedRecords();
  const places = new Map<string, string>();
  const releaseDate = releaseDateOf(table);
  const note = (kind: string): void => {
    notes[kind] = (notes[kind] ?? 0) + 1;
  };
  const { countries, sink, sourceId } = options;
  const { headings, roles } = table;
  const context: RowContext = { countries, headings, note, releaseDate, roles, sourceId };
  for (const row of table.rows) {
    const entity = row.fault ?? refuseLong(row) ?? mapRow(row.cells, context);
    if (typeof entity === 'string') {
      skipped.add(row.place, entity);
      continue;
    }
    const former = places.get(entity.ftm_id);
    if (former !== undefined) skipped.add(row.place, `the same entry as ${former}`);
    else sink.entity(entity);
    places.set(entity.ftm_id, former ?? row.place);
  }
  return { kind: 'full', notes, releaseDate, skipped: skipped.finish(table.rows.length) };
}

const refuseLong = (row: TableRow): string | undefined =>
  row.cells.some((cell) => cell.length > CELL_CHARACTERS_MAX)
    ? `a cell of over ${CELL_CHARACTERS_MAX} characters`
    : undefined;

function releaseDateOf({ roles, rows, titles }: Table): string {
  const inTitle = titles.map((title) => dateWithin(title)?.date).find(isDay);
  if (inTitle !== undefined) return inTitle;
  const column = roles.indexOf('listedOn');
  const listed = rows.map((row) => readDate(row.cells[column] ?? '')).filter(isDay);
  const latest = listed.sort().at(-1);
  if (latest !== undefined) return latest;
  const detail = 'no release date: write one above the heading, as `Mise à jour : 12/03/2026`';
  throw new DomainError('list-damaged', { detail });
}

const isDay = (date: string | undefined): date is string => date?.length === 10;

const tooMany = (): DomainError =>
  new DomainError('list-damaged', { detail: `over ${ROWS_MAX} rows` });

const foreign = (what: string): DomainError =>
  new DomainError('list-foreign', { detail: `expected the national list, got ${what}` });
