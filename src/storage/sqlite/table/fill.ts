/** Gives new columns of a table what its records say, a block at a time, at the opening. */
import type { DatabaseSync } from 'node:sqlite';
import { readRows } from '../../readableRecord.ts';
import {
  type Column,
  exact,
  fromExact,
  type Layout,
  type PlainRecord,
  quoted,
  type Row,
  toRecord,
  valueIn,
} from './layout.ts';

const BLOCK_ROWS = 1_000;

/** Runs inside the opening's transaction. What forbids updates is set aside until it is done. */
export function fillColumns(
  database: DatabaseSync,
  layout: Layout,
  columns: readonly Column[],
): void {
  const restore = setTriggersAside(database, layout.name);
  const keys = layout.key.map(({ name }) => name);
  const marks = keys.map(() => '?').join(', ');
  const table = quoted(layout.name);
  const block = (where: string) =>
    database.prepare(`SELECT ${[...keys.map(exact), ...layout.reads].join(', ')}
      FROM ${table} ${where} ORDER BY ${keys.join(', ')} LIMIT ${BLOCK_ROWS}`);
  const update = database.prepare(`UPDATE ${table}
    SET ${columns.map(({ name }) => `${name} = ?`).join(', ')}
    WHERE (${keys.join(', ')}) = (${marks})`);
  const [first, next] = [block(''), block(`WHERE (${keys.join(', ')}) > (${marks})`)];
  first.setReturnArrays(true);
  next.setReturnArrays(true);
  for (let rows = first.all() as unknown as Row[]; rows.length > 0; ) {
    const recordOf = (row: Row) => toRecord<PlainRecord>(layout, row.slice(keys.length));
    // One that cannot be read keeps the columns that it has.
    for (const { record, row } of readRows(rows, recordOf).read) {
      const key = row.slice(0, keys.length).map(fromExact);
      update.run(...columns.map((column) => valueIn(layout, column, record)), ...key);
    }
    const last = rows.at(-1)?.slice(0, keys.length).map(fromExact) ?? [];
    rows = next.all(...last) as unknown as Row[];
  }
  restore();
}

function setTriggersAside(database: DatabaseSync, table: string): () => void {
  const triggers = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?")
    .all(table);
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${quoted(String(name))}`);
  return () => {
    for (const { sql } of triggers) database.exec(String(sql));
  };
}
