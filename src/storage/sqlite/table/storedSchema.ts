/** A table as the file has it: its columns, its key, its indexes, as SQLite itself reports them. */
import type { DatabaseSync } from 'node:sqlite';
import type { Index } from './indexes.ts';
import { quoted } from './layout.ts';

/** Its name is quoted. */
export interface StoredColumn {
  readonly name: string;
  readonly isNullable: boolean;
  /** From 1; 0: no part of the primary key. */
  readonly keyPlace: number;
}

/** Generated ones too; none where there is no such table. */
export function storedColumns(database: DatabaseSync, table: string): StoredColumn[] {
  const rows = database.prepare(`PRAGMA table_xinfo(${quoted(table)})`).all();
  return rows.map((row) => ({
    isNullable: row.notnull === 0,
    keyPlace: Number(row.pk),
    name: quoted(String(row.name)),
  }));
}

/** Whether no two rows can share these columns. */
export function keyOf(database: DatabaseSync, table: string, columns: readonly string[]): boolean {
  const primary = storedColumns(database, table)
    .filter(({ keyPlace }) => keyPlace > 0)
    .sort((a, b) => a.keyPlace - b.keyPlace)
    .map(({ name }) => name);
  const unique = storedIndexes(database, table).filter(
    ({ isPartial, isUnique }) => isUnique && !isPartial,
  );
  return [primary, ...unique.map((index) => index.columns)].some((key) => isSame(key, columns));
}

/**
 * Its conditions without those that the columns themselves fulfil: SQLite strikes them out of every
 * statement, and then no longer sees that the index would do.
 */
export function neededConditions(
  database: DatabaseSync,
  table: string,
  { conditions }: Index,
): string[] {
  const filled = storedColumns(database, table).filter(({ isNullable }) => !isNullable);
  const moot = new Set(filled.map(({ name }) => `${name} IS NOT NULL`));
  return conditions.filter((condition) => !moot.has(condition));
}

/** Under its name; a unique one under any, since a second one would be in vain. */
export function hasIndex(database: DatabaseSync, table: string, index: Index): boolean {
  const { columns, isUnique, name } = index;
  const conditions = neededConditions(database, table, index);
  return storedIndexes(database, table).some(
    (stored) =>
      stored.isUnique === isUnique &&
      (isUnique || stored.name === name) &&
      isSame(isUnique ? stored.columns : stored.entries, columns) &&
      isSame(stored.conditions, conditions),
  );
}

interface StoredIndex {
  readonly name: string;
  readonly columns: readonly string[];
  /** With those that SQLite appends by itself, where the table has no rowid. */
  readonly entries: readonly string[];
  readonly conditions: readonly string[];
  readonly isUnique: boolean;
  readonly isPartial: boolean;
}

function storedIndexes(database: DatabaseSync, table: string): StoredIndex[] {
  const text = database.prepare('SELECT sql FROM sqlite_schema WHERE name = ?');
  return database
    .prepare(`PRAGMA index_list(${quoted(table)})`)
    .all()
    .map((row) => {
      const name = String(row.name);
      const parts = database.prepare(`PRAGMA index_xinfo(${quoted(name)})`).all();
      const named = parts.filter((part) => part.name !== null);
      return {
        columns: named.filter((part) => part.key === 1).map((part) => quoted(String(part.name))),
        conditions: conditionsIn(String(text.get(name)?.sql ?? '')),
        entries: named.map((part) => quoted(String(part.name))),
        isPartial: row.partial === 1,
        isUnique: row.unique === 1,
        name: quoted(name),
      };
    });
}

/** Conditions of an index's text, with every name quoted as ours are. */
function conditionsIn(sql: string): string[] {
  const [, where] = sql.split(/\sWHERE\s/);
  if (where === undefined) return [];
  return where.split(/\sAND\s/).map((condition) => {
    const [name = '', ...rest] = condition.trim().split(/\s+/);
    return [name.startsWith('"') ? name : quoted(name), ...rest].join(' ');
  });
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}
