/**
 * Makes the file fit the declarations, when it is opened: a missing table is made, a missing column
 * or index is added. A difference that adding cannot mend is refused by name, since a guess could
 * lose evidence; such a step is a migration's.
 *
 * `store_table` keeps each declaration with its digest, so an opening that finds nothing new writes
 * nothing. Older tables have no row there until they are declared first.
 */
import type { DatabaseSync } from 'node:sqlite';
import { DomainError, type PlainTable, writesOf } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { isTaken } from '../errors.ts';
import { fillColumns } from './fill.ts';
import { type Index, indexesOf } from './indexes.ts';
import { type Column, columnsOf, type Layout, layoutsOf, quoted } from './layout.ts';
import {
  hasIndex,
  keyOf,
  neededConditions,
  type StoredColumn,
  storedColumns,
} from './storedSchema.ts';

/** More of them would keep every process of the host waiting while one opens. */
export const ROWS_AT_OPENING_MAX = 100_000;

interface ColumnPlan {
  readonly name: string;
  readonly type: string;
  /** Its values are computed from the record; without a column it begins empty. */
  readonly column?: Column;
}

/** One step for all tables: nothing of it stays if one of them cannot be reached. */
export function prepareTables(database: DatabaseSync, tables: readonly PlainTable[]): void {
  const layouts = [...layoutsOf(tables).values()];
  if (!areOutdated(database, tables)) return;
  const isNew = ({ name, spec }: Layout) => digestIn(database, name) !== digestOf(spec);
  database.exec('BEGIN IMMEDIATE');
  try {
    // Checked again under the lock: another process may have done it meanwhile.
    for (const layout of layouts.filter(isNew)) prepareTable(database, layout);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Whether the file lacks some of these declarations. */
export const areOutdated = (database: DatabaseSync, tables: readonly PlainTable[]): boolean =>
  [...layoutsOf(tables).values()].some(
    ({ name, spec }) => digestIn(database, name) !== digestOf(spec),
  );

const digestOf = (spec: Layout['spec']): string => sha256Hex(canonicalJson(spec));

function digestIn(database: DatabaseSync, name: string): unknown {
  return database.prepare('SELECT digest FROM store_table WHERE name = ?').get(name)?.digest;
}

function prepareTable(database: DatabaseSync, layout: Layout): void {
  const { name, spec } = layout;
  const save = database.prepare(
    `INSERT INTO store_table (name, digest, declaration) VALUES (?, ?, ?) ON CONFLICT (name)
     DO UPDATE SET digest = excluded.digest, declaration = excluded.declaration`,
  );
  const before = declarationIn(database, name);
  const stored = storedColumns(database, name);
  if (stored.length === 0) createTable(database, layout);
  else extendTable(database, layout, { before, stored });
  for (const index of indexesOf(layout)) prepareIndex(database, layout, index);
  save.run(name, digestOf(spec), JSON.stringify(spec));
}

function declarationIn(database: DatabaseSync, name: string): Layout['spec'] | undefined {
  const row = database.prepare('SELECT declaration FROM store_table WHERE name = ?').get(name);
  return row && (JSON.parse(String(row.declaration)) as Layout['spec']);
}

function createTable(database: DatabaseSync, layout: Layout): void {
  const { key, name, place } = layout;
  const columns = [
    // An id is never given twice, or a page would go on behind the wrong one.
    ...(place ? [`${place.name} INTEGER PRIMARY KEY AUTOINCREMENT`] : []),
    ...key.map((column) => `${column.name} ANY NOT NULL`),
    ...columnPlans(layout).map((plan) => `${plan.name} ${plan.type}`),
  ];
  const keys = key.map((column) => column.name).join(', ');
  database.exec(`CREATE TABLE ${quoted(name)} (${columns.join(', ')}) STRICT;
    CREATE UNIQUE INDEX ${quoted(`${name}_key`)} ON ${quoted(name)} (${keys});`);
  for (const { text } of guards(layout)) database.exec(text);
}

/**
 * Columns beside key and place; those of old tables that are stored apart are their migrations'.
 */
function columnPlans({ fields, hasVersion, lease, spec, touch }: Layout): ColumnPlan[] {
  return [
    ...(hasVersion ? [{ name: quoted('version'), type: 'INTEGER NOT NULL' }] : []),
    // A derived field is typed, or its index would not cover what asks for it alone.
    ...fields.map((column) => ({
      column,
      name: column.name,
      type: column.derived ? 'INTEGER' : 'ANY',
    })),
    ...(spec.stored?.isBare ? [] : [{ name: quoted('document'), type: 'TEXT' }]),
    ...(spec.work ? [{ name: quoted('work'), type: 'TEXT' }] : []),
    ...(touch ? [{ name: touch.name, type: 'ANY' }] : []),
    ...(lease ? [{ name: lease.holder, type: 'TEXT' }] : []),
    ...(lease ? [lease.fence, lease.beat, lease.tries] : []).map((name) => ({
      name,
      type: 'INTEGER NOT NULL DEFAULT 0',
    })),
  ];
}

/** The file itself protects records that never change; kept ones go only behind a stored border. */
function guards(layout: Layout): { readonly name: string; readonly text: string }[] {
  const { name, spec } = layout;
  if (writesOf(spec) !== 'appendOnly' && writesOf(spec) !== 'rows') return [];
  const border = `(SELECT border FROM store_table WHERE name = '${name}')`;
  const from = spec.kept && columnsOf(layout, [spec.kept.from])[0]?.name;
  const guard = (verb: string, when = '') => {
    const trigger = `${name}_no_${verb.toLowerCase()}`;
    const text = `CREATE TRIGGER ${quoted(trigger)} BEFORE ${verb} ON ${quoted(name)}
      ${when} BEGIN SELECT RAISE(ABORT, '${name} is append-only'); END`;
    return { name: trigger, text };
  };
  const isEarly = from && `WHEN NOT coalesce(OLD.${from} <= ${border}, 0)`;
  return [guard('UPDATE'), guard('DELETE', isEarly)];
}

function extendTable(
  database: DatabaseSync,
  layout: Layout,
  file: { readonly before: Layout['spec'] | undefined; readonly stored: readonly StoredColumn[] },
): void {
  const { before, stored } = file;
  assertReachable(database, layout, file);
  const missing = columnPlans(layout).filter(
    ({ name }) => !stored.some((column) => column.name === name),
  );
  for (const { name, type } of missing) {
    database.exec(`ALTER TABLE ${quoted(layout.name)} ADD COLUMN ${name} ${type}`);
  }
  renewGuards(database, layout);
  const isRedefined =
    before !== undefined &&
    canonicalJson(before.derived ?? {}) !== canonicalJson(layout.spec.derived ?? {});
  const empty = missing.flatMap(({ column }) => column ?? []);
  const outdated = isRedefined ? layout.fields : empty;
  if (outdated.length === 0) return;
  assertSmall(database, layout, `${outdated.map(({ field }) => field).join(', ')}`);
  fillColumns(database, layout, outdated);
}

/** How long records are kept may have changed. Where an old table has no guards it gets none. */
function renewGuards(database: DatabaseSync, layout: Layout): void {
  const find = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = ?");
  for (const { name, text } of guards(layout)) {
    if (find.get(name) !== undefined) database.exec(`DROP TRIGGER ${quoted(name)}; ${text}`);
  }
}

function assertReachable(
  database: DatabaseSync,
  layout: Layout,
  { before, stored }: { before: Layout['spec'] | undefined; stored: readonly StoredColumn[] },
): void {
  const { generated, hasVersion, key, name, place, spec } = layout;
  const keys = key.map((column) => column.name);
  const found = keyOf(database, name, keys);
  if (!found) refuse(name, `its key is declared as (${spec.key.join(', ')}), the file has another`);
  const was = before === undefined ? undefined : writesOf(before);
  if (was !== undefined && was !== writesOf(spec)) {
    refuse(name, `it is declared as ${writesOf(spec)}, the file has it as ${was}`);
  }
  const needed = [
    ...(hasVersion ? [quoted('version')] : []),
    ...(place ? [place.name] : []),
    ...generated.map((column) => column.name),
  ];
  const lacking = needed.filter((column) => !stored.some((other) => other.name === column));
  if (lacking.length > 0) refuse(name, `the file has no column ${lacking.join(', ')}`);
}

function prepareIndex(database: DatabaseSync, layout: Layout, index: Index): void {
  if (hasIndex(database, layout.name, index)) return;
  assertSmall(database, layout, `the index ${index.name}`);
  const conditions = neededConditions(database, layout.name, index).join(' AND ');
  const where = conditions && `WHERE ${conditions}`;
  try {
    database.exec(`DROP INDEX IF EXISTS ${index.name};
      CREATE ${index.isUnique ? 'UNIQUE INDEX' : 'INDEX'} ${index.name}
        ON ${quoted(layout.name)} (${index.columns.join(', ')}) ${where}`);
  } catch (error) {
    if (isTaken(error)) refuse(layout.name, `records share the values of ${index.name}`);
    throw error;
  }
}

function assertSmall(database: DatabaseSync, { name }: Layout, what: string): void {
  const text = `SELECT count(*) AS rows FROM (SELECT 1 FROM ${quoted(name)} LIMIT ?)`;
  const rows = Number(database.prepare(text).get(ROWS_AT_OPENING_MAX + 1)?.rows);
  if (rows <= ROWS_AT_OPENING_MAX) return;
  refuse(name, `${what} cannot be added at start to more than ${ROWS_AT_OPENING_MAX} records`);
}

function refuse(name: string, problem: string): never {
  throw new DomainError('store-unavailable', { detail: `table ${name}: ${problem}` });
}
