/** How the stores read rows. */
import assert from 'node:assert/strict';

/** A row's JSON column. The text is ours: this adapter wrote it from the same type. */
export function parseDocument<T>(row: Record<string, unknown>): T;
export function parseDocument<T>(row: Record<string, unknown> | undefined): T | undefined;
export function parseDocument<T>(row: Record<string, unknown> | undefined): T | undefined {
  if (row === undefined) return undefined;
  const document = row.document;
  assert(typeof document === 'string');
  return JSON.parse(document) as T;
}
