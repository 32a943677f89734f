/**
 * BCT_TN: the national list, as a spreadsheet (XLSX, CSV) or a PDF, recognised by its first bytes
 * and imported by hand. All three become rows of text, and those become tables, each with its
 * heading. A row that cannot be trusted is skipped and reported, and nothing in it is guessed.
 */
import { DomainError } from '#core/kernel';
import type { ListReader, ListSink, ReadList } from '#slices/ingestion';
import type { CountryLookup } from '#slices/lists';
import { SkippedRecords } from '../skippedRecords.ts';
import { csvRows } from './csvRows.ts';
import { mapRow, type RowContext } from './map.ts';
import { releaseDateOf } from './releaseDate.ts';
import { PDF, rowsAside, SPREADSHEET } from './rowsAside.ts';
import { CELL_CHARACTERS_MAX, FILE_BYTES_MAX, type TableRow, type TableRows } from './table.ts';
import { foreign, readTables, type Table, type Tables } from './tables.ts';

/** How a file is opened that is more than text. */
export interface RowOpeners {
  readonly pdf: (bytes: Buffer) => TableRows;
  readonly spreadsheet: (bytes: Buffer) => TableRows;
}

/** Each file in a process of its own: anybody may have made it. */
const ASIDE: RowOpeners = {
  pdf: (bytes) => rowsAside(bytes, PDF),
  spreadsheet: (bytes) => rowsAside(bytes, SPREADSHEET),
};

/** Other openers are for tests that read hundreds of files. */
export function nationalReader(countries: CountryLookup, openers: RowOpeners = ASIDE): ListReader {
  return {
    format: 'national list: XLSX, CSV or PDF',
    read: async (chunks, { onBytes, sink, sourceId }) => {
      const bytes = await readWhole(chunks, onBytes);
      const tables = await readTables(rowsOf(bytes, openers));
      return mapTables(tables, { countries, sink, sourceId });
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

function rowsOf(bytes: Buffer, openers: RowOpeners): TableRows {
  const magic = bytes.toString('latin1', 0, 8);
  if (magic.startsWith('%PDF-')) return openers.pdf(bytes);
  if (magic.startsWith('PK\u0003\u0004')) return openers.spreadsheet(bytes);
  // Compound files: a spreadsheet of before 2007, or one with a password.
  if (magic.startsWith('\u00d0\u00cf\u0011\u00e0')) throw foreign('an XLS or encrypted file');
  return csvRows(bytes);
}

function mapTables(
  { textSheetCount, titles, ...file }: Tables,
  options: { countries: CountryLookup; sink: ListSink; sourceId: string },
): ReadList {
  const notes: Record<string, number> = {};
  if (textSheetCount > 0) notes['sheet-without-table'] = textSheetCount;
  const skipped = new SkippedRecords();
  const places = new Map<string, string>();
  const tables = file.tables.map(withFaults);
  const releaseDate = releaseDateOf({ tables, titles });
  const note = (kind: string): void => {
    notes[kind] = (notes[kind] ?? 0) + 1;
  };
  const { countries, sink, sourceId } = options;
  let rowCount = 0;
  for (const { headings, roles, rows } of tables) {
    const context: RowContext = { countries, headings, note, releaseDate, roles, sourceId };
    for (const row of rows) {
      rowCount++;
      const entity = row.fault ?? mapRow(row.cells, context);
      if (typeof entity === 'string') {
        skipped.add(row.place, entity);
        continue;
      }
      const former = places.get(entity.ftm_id);
      if (former !== undefined) skipped.add(row.place, `the same entry as ${former}`);
      else sink.entity(entity);
      places.set(entity.ftm_id, former ?? row.place);
    }
  }
  return { kind: 'full', notes, releaseDate, skipped: skipped.finish(rowCount) };
}

const withFaults = (table: Table): Table => ({
  ...table,
  rows: table.rows.map((row) => {
    const fault = faultOf(row, table.headings.length);
    return fault === undefined ? row : { ...row, fault };
  }),
});

/** Why the row cannot be trusted, where it cannot. */
function faultOf({ cells, fault, isDelimited }: TableRow, width: number): string | undefined {
  if (fault !== undefined) return fault;
  if (cells.some((cell) => cell.length > CELL_CHARACTERS_MAX)) {
    return `a cell of over ${CELL_CHARACTERS_MAX} characters`;
  }
  if (!isDelimited) return undefined;
  // Empty ones behind the heading's last are those of a wider table, or of a spreadsheet's export.
  const count = Math.max(
    Math.min(cells.length, width),
    cells.findLastIndex((cell) => cell.trim() !== '') + 1,
  );
  return count === width ? undefined : `expected ${width} cells as in the heading, got ${count}`;
}
