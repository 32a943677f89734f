/** Writing one row: which columns get which values, and the statements that give them. */
import type { SQLInputValue } from 'node:sqlite';
import {
  type Column,
  documentOf,
  keyValues,
  type Layout,
  type PlainRecord,
  quoted,
  toSql,
  valueIn,
  workOf,
} from './layout.ts';
import type { Prepare } from './statements.ts';

/** A column's quoted name with its value; or an expression alone. */
export type Cell = readonly [column: string, value: SQLInputValue, expression?: string];

const wrote = ({ changes }: { changes: number | bigint }): boolean => Number(changes) === 1;
const isWork = ({ spec }: Layout, { field }: Column): boolean =>
  spec.work?.includes(field) === true;

/**
 * All that a commit writes: the version, the document, and the columns made from both. SQLite
 * writes every index of a column that is set, also to the value that it has: where none differs
 * from the record before, they are left out.
 */
export function evidenceCells(layout: Layout, record: PlainRecord, before?: PlainRecord): Cell[] {
  const { apart, fields, hasVersion, spec } = layout;
  const columns = fields.filter((column) => !isWork(layout, column));
  const isSame =
    before !== undefined &&
    !spec.stored?.isBare &&
    columns.every((column) => valueIn(layout, column, record) === valueIn(layout, column, before));
  return [
    ...(hasVersion ? [['"version"', toSql(record.version)] as const] : []),
    ...(isSame ? [] : columns).map(
      (column) => [column.name, valueIn(layout, column, record)] as const,
    ),
    ...(spec.stored?.isBare ? [] : [['"document"', documentOf(layout, record)] as const]),
    ...apart.map(({ field, name }) => [name, jsonOrNull(record[field])] as const),
  ];
}

const jsonOrNull = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(value);

/** The work fields, as a text and in the columns that some of them have. */
export function workCells(layout: Layout, work: PlainRecord): Cell[] {
  const columns = layout.fields.filter((column) => isWork(layout, column));
  return [
    ['"work"', workOf(layout, work)],
    ...columns.map(({ field, name }) => [name, toSql(work[field])] as const),
  ];
}

/** False: its key, or a unique value, is taken. */
export function insertRecord(prepare: Prepare, layout: Layout, record: PlainRecord): boolean {
  const { key, lease, name, spec, touch } = layout;
  const values = keyValues(layout, record);
  const cells: Cell[] = [
    ...key.map((column, index) => [column.name, values[index] ?? null] as const),
    ...evidenceCells(layout, record),
    ...(spec.work ? workCells(layout, record) : []),
    ...(touch ? [[touch.name, toSql(record[touch.field])] as const] : []),
    ...(lease?.until === undefined ? [] : [[lease.until, 0n] as const]),
  ];
  const names = cells.map(([column]) => column).join(', ');
  const marks = cells.map(() => '?').join(', ');
  const text = `INSERT INTO ${quoted(name)} (${names}) VALUES (${marks}) ON CONFLICT DO NOTHING`;
  return wrote(prepare(text).run(...cells.map(([, value]) => value)));
}

/** The row of this key, by the conditions. */
export interface RowAsk {
  readonly key: PlainRecord;
  /** Conditions beside the key, each with its values. */
  readonly where?: readonly (readonly [condition: string, ...values: SQLInputValue[]])[];
}

/** False: there is none. */
export function updateRow(
  prepare: Prepare,
  layout: Layout,
  { cells, ...ask }: RowAsk & { readonly cells: readonly Cell[] },
): boolean {
  const { text, values } = rowCondition(layout, ask);
  const sets = cells.map(([column, , expression = '?']) => `${column} = ${expression}`).join(', ');
  const given = cells.filter(([, , expression]) => expression === undefined);
  return wrote(
    prepare(`UPDATE ${quoted(layout.name)} SET ${sets} WHERE ${text}`).run(
      ...given.map(([, value]) => value),
      ...values,
    ),
  );
}

export function deleteRow(prepare: Prepare, layout: Layout, key: PlainRecord): boolean {
  const { text, values } = rowCondition(layout, { key });
  return wrote(prepare(`DELETE FROM ${quoted(layout.name)} WHERE ${text}`).run(...values));
}

/** These columns of the row. */
export function readRow(
  prepare: Prepare,
  layout: Layout,
  { columns, ...ask }: RowAsk & { readonly columns: readonly string[] },
) {
  const { text, values } = rowCondition(layout, ask);
  const select = `SELECT ${columns.join(', ')} FROM ${quoted(layout.name)} WHERE ${text}`;
  return prepare(select).get(...values);
}

/** The condition of the row of this key, with its values. */
export function rowCondition(layout: Layout, { key, where = [] }: RowAsk) {
  const keys = layout.key.map(({ name }) => `${name} = ?`);
  return {
    text: [...keys, ...where.map(([condition]) => condition)].join(' AND '),
    values: [...keyValues(layout, key), ...where.flatMap(([, ...values]) => values)],
  };
}
