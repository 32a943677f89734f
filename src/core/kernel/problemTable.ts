/** The problems of an installation: the rows of all its parts in one table. */
import assert from 'node:assert/strict';
import type { ErrorCode } from './errors.ts';
import type { ProblemRow, ProblemRows } from './problemRows.ts';

/** A row for every code, ordered by code: pages do not move when a part joins. */
export type ProblemTable = Readonly<Record<ErrorCode, ProblemRow>>;

/** Throws an AssertionError where two parts declare one code: the start stops there. */
export function foldProblems(parts: readonly ProblemRows[]): ProblemTable {
  const rows = new Map<string, ProblemRow>();
  for (const [code, row] of parts.flatMap((part) => Object.entries(part))) {
    assert(!rows.has(code), `problem '${code}' is declared twice`);
    rows.set(code, row);
  }
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted) as ProblemTable;
}

/** Every code of a table, in its order. */
export const codesOf = (problems: ProblemTable): readonly ErrorCode[] =>
  Object.keys(problems) as ErrorCode[];
