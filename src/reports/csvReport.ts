/**
 * The CSV report: a row for each hit, and one for each subject without any. RFC 4180, UTF-8, and no
 * cell that a spreadsheet would execute (csvCell).
 *
 * It begins with a byte-order mark. People open it by a double click, and a spreadsheet without the
 * mark reads UTF-8 in its own code page, which damages Arabic names first. Programs that read CSV
 * know the mark, our own intake among them.
 */
import { csvCell } from '#platform/csv/csvCell';
import type { ReportFrom } from '#slices/batches';
import {
  type Column,
  HIT_COLUMNS,
  type ListedHit,
  listedHits,
  type ReportedSubject,
  SUBJECT_COLUMNS,
  subjectsOf,
} from './columns.ts';

const BYTE_ORDER_MARK = '\ufeff';
const NO_HIT = ','.repeat(HIT_COLUMNS.length);
/** Characters written at once: a chunk whose subjects all have fifty hits is written in pieces. */
const PIECE_CHARS = 256 * 1024;

export async function* writeCsvReport({
  chunks,
  factsOf,
}: Pick<ReportFrom, 'chunks' | 'factsOf'>): AsyncGenerator<Uint8Array> {
  const names = [...SUBJECT_COLUMNS, ...HIT_COLUMNS].map(({ name }) => name);
  yield Buffer.from(`${BYTE_ORDER_MARK}${names.join(',')}\r\n`);
  for await (const findings of chunks()) {
    let rows = '';
    const subjects = subjectsOf(findings);
    const hits = await listedHits(subjects, factsOf);
    for (const [at, subject] of subjects.entries()) {
      rows += rowsOf(subject, hits[at] ?? []);
      if (rows.length < PIECE_CHARS) continue;
      yield Buffer.from(rows);
      rows = '';
    }
    if (rows !== '') yield Buffer.from(rows);
  }
}

function rowsOf(subject: ReportedSubject, hits: readonly ListedHit[]): string {
  const cells = cellsOf(SUBJECT_COLUMNS, subject);
  if (hits.length === 0) return `${cells}${NO_HIT}\r\n`;
  return hits.map((hit) => `${cells},${cellsOf(HIT_COLUMNS, hit)}\r\n`).join('');
}

function cellsOf<Value>(columns: readonly Column<Value>[], value: Value): string {
  let cells = '';
  for (const [at, column] of columns.entries()) {
    if (at > 0) cells += ',';
    cells += cellOf(column, value);
  }
  return cells;
}

function cellOf<Value>({ decimals, isForeign, value }: Column<Value>, of: Value): string {
  const cell = value(of);
  if (typeof cell === 'number') return decimals === undefined ? `${cell}` : cell.toFixed(decimals);
  return isForeign && cell !== '' ? csvCell(cell) : cell;
}
