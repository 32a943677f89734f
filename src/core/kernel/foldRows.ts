/** Joins the rows that several parts declare into one table. */
import assert from 'node:assert/strict';

/**
 * The rows of all parts, ordered by key, so that generated pages keep their order when a part is
 * added. Throws an AssertionError, which ends the start, where two parts declare one key. `kind`
 * names a row in its message.
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
