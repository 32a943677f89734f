/** How the stores read and count rows. */
import assert from 'node:assert/strict';
import type { StatementSync } from 'node:sqlite';

/** A row's JSON column. The text is ours: this adapter wrote it from the same type. */
export function parseDocument<T>(row: Record<string, unknown>): T;
export function parseDocument<T>(row: Record<string, unknown> | undefined): T | undefined;
export function parseDocument<T>(row: Record<string, unknown> | undefined): T | undefined {
  if (row === undefined) return undefined;
  const document = row.document;
  assert(typeof document === 'string');
  return JSON.parse(document) as T;
}

/** True if exactly one row was written. */
export function wrote(statement: StatementSync, ...values: (string | number | null)[]): boolean {
  const { changes } = statement.run(...values);
  assert(changes === 0 || changes === 1, `expected at most one row, wrote ${changes}`);
  return changes === 1;
}
