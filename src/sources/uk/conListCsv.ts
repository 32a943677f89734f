/**
 * The Treasury's list as CSV: `Last Updated,27/04/2020`, a line of column names, then one row for
 * every pairing of a target's names, dates and addresses. Written in UTF-8 or in windows-1252; the
 * first byte that is no ASCII decides. A cut file lacks its last line feed, columns, or the main
 * name of a target: rows are sorted by name, not by target.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { DomainError } from '#domain/kernel';
import { dayFirstDate } from '../partialDates.ts';
import { addConListRow, type ConListRow, FIELDS, IGNORED } from './conListRow.ts';
import type { UkTargets } from './target.ts';
import { decodedText } from './textEncoding.ts';

/** Of one row: a quote that never closes must not gather the file. */
const RECORD_CHARS_MAX = 1024 * 1024;
/** Of the line that tells the day. */
const FIRST_LINE_CHARS_MAX = 1_000;
const REQUIRED = ['name6', 'kind', 'groupId', 'aliasType'];

interface CsvLine {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** Answers the release date; throws `list-foreign` or `list-damaged` with the line. */
export async function readConListCsv(
  chunks: AsyncIterable<Uint8Array>,
  targets: UkTargets,
): Promise<string> {
  const { first, rest } = await firstLine(decodedText(chunks));
  const file = new ConListFile(targets, releaseDateOf(first));
  const parser = parse({
    bom: true,
    info: true,
    max_record_size: RECORD_CHARS_MAX,
    skip_empty_lines: true,
    trim: true,
  });
  // The parser ends with whatever ends its source, so that one place tells of every failure.
  const fed = pipeline(Readable.from(rest), parser).catch(() => {});
  try {
    for await (const line of parser as AsyncIterable<CsvLine>) {
      file.take(line.record, line.info.lines + 1);
    }
  } catch (error) {
    throw asDamage(error);
  } finally {
    await fed;
  }
  return file.finish();
}

/** The first line has columns of its own, so it is no part of what csv-parse sees. */
async function firstLine(
  pieces: AsyncGenerator<string>,
): Promise<{ first: string; rest: AsyncGenerator<string> }> {
  let text = '';
  for (;;) {
    const next = await pieces.next();
    if (!next.done) text += next.value;
    const end = text.indexOf('\n');
    if (end < 0 && !next.done && text.length < FIRST_LINE_CHARS_MAX) continue;
    const first = end < 0 ? text : text.slice(0, end);
    return { first, rest: after(end < 0 ? '' : text.slice(end + 1), pieces) };
  }
}

async function* after(text: string, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  if (text !== '') yield text;
  yield* pieces;
}

function releaseDateOf(line: string): string {
  const [, date] = /^\ufeff?"?Last Updated"?,"?([^",]*)"?,*$/.exec(line.trimEnd()) ?? [];
  if (date === undefined) {
    const detail =
      'expected UK-Sanctions-List.xml, or ConList.csv, whose first line is Last Updated and a day';
    throw new DomainError('list-foreign', { detail });
  }
  const day = dayFirstDate(date);
  if (day?.length !== 10) throw damaged('line 1: Last Updated: expected DD/MM/YYYY');
  return day;
}

class ConListFile {
  line = 1;
  readonly #targets: UkTargets;
  readonly #releaseDate: string;
  #columns: readonly string[] | undefined;

  constructor(targets: UkTargets, releaseDate: string) {
    this.#targets = targets;
    this.#releaseDate = releaseDate;
  }

  take(record: readonly string[], line: number): void {
    this.line = line;
    if (this.#columns === undefined) this.#takeColumns(record);
    else this.#takeRow(record, this.#columns);
  }

  finish(): string {
    this.#targets.finish(true, (what) => damaged(what));
    if (this.#columns === undefined) throw damaged('no line of column names');
    return this.#releaseDate;
  }

  #takeColumns(record: readonly string[]): void {
    const fields = record.map((name) => FIELDS[name]);
    const missing = REQUIRED.filter((field) => !fields.includes(field));
    if (missing.length > 0) throw this.#damage(`columns missing: ${missing.join(', ')}`);
    this.#columns = record;
  }

  #takeRow(record: readonly string[], columns: readonly string[]): void {
    const row: Record<string, string> = {};
    const unknown: string[] = [];
    for (const [index, text] of record.entries()) {
      const value = /\s\s|[\t\r\n]/.test(text) ? text.replace(/\s+/g, ' ') : text;
      const column = columns[index] ?? '';
      const field = FIELDS[column];
      if (value === '' || IGNORED.has(column)) continue;
      if (field === undefined) unknown.push(`${column}: ${value}`);
      else row[field] = value;
    }
    this.#add(row, unknown);
  }

  #add(row: ConListRow, unknown: readonly string[]): void {
    const damage = (what: string) => this.#damage(what);
    addConListRow(row, this.#targets, damage);
    if (unknown.length === 0) return;
    const facts = { groupId: row.groupId, uniqueId: undefined, kind: row.kind };
    this.#targets.target(facts, damage).draft.addUnknown(unknown);
  }

  #damage(what: string): DomainError {
    return damaged(`line ${this.line}: ${what}`);
  }
}

/** What csv-parse itself throws tells its line, of a file whose first line it has not seen. */
function asDamage(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error;
  const line = 'lines' in error && typeof error.lines === 'number' ? error.lines + 1 : 'unknown';
  const what = error.code.replace(/^CSV_/, '').toLowerCase().replaceAll('_', ' ');
  return new DomainError('list-damaged', { detail: `line ${line}: ${what}`, cause: error });
}

const damaged = (detail: string) => new DomainError('list-damaged', { detail });
