/** Rows that several parts declare, as one table. */
import assert from 'node:assert/strict';

/**
 * The rows of all parts, ordered by key: pages do not move when a part joins. Throws an
 * AssertionError where two parts declare one key: the start stops there. `kind` names a row.
 */
export function foldRows<Row>(
  kind: string,
  parts: readonly Readonly<Record<string, Row>>[],
): Readonly<Record<string, Row>> {
  const rows = new Map<string, Row>();
  for (const [key, row] of parts.flatMap((part) => Object.entries(part))) {
    assert(!rows.has(key), `${kind} '${key}' is declared twice`);
    rows.set(key, row);
  }
  return Object.fromEntries([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
}
