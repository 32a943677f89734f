/**
 * The Treasury's list as CSV: `Last Updated,27/04/2020`, a line of column names, then one row for
 * every pairing of a target's names, dates and addresses. Written in UTF-8 or in windows-1252; the
 * first byte that is no ASCII decides. A cut file lacks its last line feed, columns, or the main
 * name of a target: rows are sorted by name, not by target.
 */
import { dayFirstDate } from '../partialDates.ts';
import { addConListRow, FIELDS, IGNORED } from './conListRow.ts';
import { type CsvRows, type Damage, damaged } from './csvFile.ts';
import type { UkTargets } from './target.ts';

const REQUIRED = ['name6', 'kind', 'groupId', 'aliasType'];

/** Undefined where the first line is not this list's. */
export function conListRows(firstLine: string, targets: UkTargets): CsvRows | undefined {
  const [, date] = /^\ufeff?"?Last Updated"?,"?([^",]*)"?,*$/.exec(firstLine) ?? [];
  if (date === undefined) return undefined;
  const day = dayFirstDate(date);
  if (day?.length !== 10) throw damaged('line 1: Last Updated: expected DD/MM/YYYY');
  return new ConListRows(targets, day);
}

class ConListRows implements CsvRows {
  readonly isUtf8Only = false;
  readonly releaseDate: string;
  readonly #targets: UkTargets;
  #columns: readonly string[] = [];
  #fields: readonly (string | undefined)[] = [];

  constructor(targets: UkTargets, releaseDate: string) {
    this.#targets = targets;
    this.releaseDate = releaseDate;
  }

  takeHeadings(headings: readonly string[], damage: Damage): void {
    this.#columns = headings;
    this.#fields = headings.map((name) => (Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined));
    const missing = REQUIRED.filter((field) => !this.#fields.includes(field));
    if (missing.length > 0) throw damage(`columns missing: ${missing.join(', ')}`);
  }

  takeRow(cells: readonly string[], damage: Damage): void {
    const row: Record<string, string> = {};
    const unknown: string[] = [];
    for (const [index, value] of cells.entries()) {
      const column = this.#columns[index] ?? '';
      const field = this.#fields[index];
      if (value === '' || IGNORED.has(column)) continue;
      if (field === undefined) unknown.push(`${column}: ${value}`);
      else row[field] = value;
    }
    addConListRow(row, this.#targets, damage);
    if (unknown.length === 0) return;
    const facts = { groupId: row.groupId, uniqueId: undefined, kind: row.kind };
    this.#targets.target(facts, damage).draft.addUnknown(unknown);
  }

  finish(): void {
    this.#targets.finish(true, damaged);
  }
}
