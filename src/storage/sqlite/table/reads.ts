/** Reads of declared tables, for the thread that reads: rows as they are, parsed by who asked. */
import type { DatabaseSync } from 'node:sqlite';
import type { PageAsk, Scalar } from '#core/kernel';
import { uniqueMembers } from '../../uniqueAsk.ts';
import { readRow } from './cells.ts';
import {
  columnsOf,
  type Layout,
  layoutNamed,
  type PlainRecord,
  quoted,
  type Row,
  toSql,
} from './layout.ts';
import { pageQuery, type TurnsAsk, turnsQuery } from './pages.ts';
import { readStamp } from './stamps.ts';
import { inSnapshot, type Prepare } from './statements.ts';

export function tableReader(
  database: DatabaseSync,
  prepare: Prepare,
  layouts: ReadonlyMap<string, Layout>,
) {
  const find = (layout: Layout, key: PlainRecord): Row | undefined =>
    readRow(prepare, layout, { columns: layout.reads, key });
  return {
    tableFind: (name: string, key: PlainRecord): Row | undefined =>
      find(layoutNamed(layouts, name), key),
    tableFindMany: (name: string, keys: readonly PlainRecord[]): Row[] => {
      const layout = layoutNamed(layouts, name);
      const rows = inSnapshot(database, () => keys.map((key) => find(layout, key)));
      return rows.filter((row) => row !== undefined);
    },
    tableFindUnique: (name: string, ask: UniqueAsk): Row | undefined =>
      findUnique(prepare, layoutNamed(layouts, name), ask),
    tablePage: (name: string, ask: PageAsk): Row[] => {
      const query = pageQuery(layoutNamed(layouts, name), ask);
      return query === undefined ? [] : prepare(query.text).all(...query.values);
    },
    tableTurns: (name: string, ask: TurnsAsk): Row[] => {
      const { text, values } = turnsQuery(layoutNamed(layouts, name), ask);
      return prepare(text).all(...values);
    },
    tableStamp: (name: string): number => readStamp(prepare, layouts, name),
  };
}

export interface UniqueAsk {
  readonly unique: string;
  readonly values: Readonly<Record<string, Scalar>>;
}

function findUnique(prepare: Prepare, layout: Layout, ask: UniqueAsk): Row | undefined {
  const columns = columnsOf(layout, uniqueMembers(layout, ask.unique, ask.values));
  const conditions = columns.map(({ derived, name }) => (derived ? `${name} = 1` : `${name} = ?`));
  const plain = columns.filter(({ derived }) => derived === undefined);
  return prepare(
    `SELECT ${layout.reads.join(', ')} FROM ${quoted(layout.name)}
     WHERE ${conditions.join(' AND ')}`,
  ).get(...plain.map(({ field }) => toSql(ask.values[field])));
}
