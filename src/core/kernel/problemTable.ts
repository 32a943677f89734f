/** The problems of an installation: the rows of all its parts in one table. */
import type { ErrorCode } from './errors.ts';
import { foldRows } from './foldRows.ts';
import type { ProblemRow, ProblemRows } from './problemRows.ts';

/** A row for every code, ordered by code. */
export type ProblemTable = Readonly<Record<ErrorCode, ProblemRow>>;

/**
 * Joins the rows of all parts. Throws an AssertionError, which ends the start, where two parts
 * declare one code.
 */
export const foldProblems = (parts: readonly ProblemRows[]): ProblemTable =>
  foldRows('problem', parts) as ProblemTable;

/** Every code of a table, in the table's order. */
export const codesOf = (problems: ProblemTable): readonly ErrorCode[] =>
  Object.keys(problems) as ErrorCode[];
