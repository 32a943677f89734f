/** Numbers that grow whenever something of a table changes: cheap to poll. */
import { isDeepStrictEqual } from 'node:util';
import { type Layout, type PlainRecord, quoted } from './layout.ts';
import type { Prepare } from './statements.ts';

/** Moves the table's stamp, if it has one and one of its fields has changed. */
export function moveStamp(
  prepare: Prepare,
  { spec: { stamp, stored } }: Layout,
  { before, after }: { readonly before?: PlainRecord; readonly after?: PlainRecord },
): void {
  if (stamp === undefined) return;
  const isMoved =
    stamp.fields.length === 0
      ? before === undefined
      : stamp.fields.some((field) => !isDeepStrictEqual(before?.[field], after?.[field]));
  if (!isMoved) return;
  const place = stored?.stamp?.sqlite;
  if (place !== undefined) {
    const column = quoted(place.column);
    prepare(`UPDATE ${quoted(place.table)} SET ${column} = ${column} + 1`).run();
    return;
  }
  prepare(
    `INSERT INTO store_stamp (name, value) VALUES (?, 1)
     ON CONFLICT DO UPDATE SET value = value + 1`,
  ).run(stamp.name);
}

/** 0 before anything has moved it. */
export function readStamp(
  prepare: Prepare,
  layouts: ReadonlyMap<string, Layout>,
  name: string,
): number {
  const place = [...layouts.values()].find(({ spec }) => spec.stamp?.name === name)?.spec.stored
    ?.stamp?.sqlite;
  const row =
    place === undefined
      ? prepare('SELECT value FROM store_stamp WHERE name = ?').get(name)
      : prepare(`SELECT ${quoted(place.column)} FROM ${quoted(place.table)}`).get();
  return Number(row?.[0] ?? 0);
}
