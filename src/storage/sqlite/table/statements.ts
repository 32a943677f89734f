/**
 * Statements of one connection, prepared at their first use and kept by their text. The texts are
 * made from declarations, so their number is bounded.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';

/** Its rows are arrays: names of columns would cross to the asker with each. */
export interface Prepared {
  all(...values: readonly SQLInputValue[]): SQLOutputValue[][];
  get(...values: readonly SQLInputValue[]): SQLOutputValue[] | undefined;
  run(...values: readonly SQLInputValue[]): { readonly changes: number | bigint };
}

/** A statement by its text. */
export type Prepare = (text: string) => Prepared;

/** Prepares each statement at its first use. */
export function prepareOnce(database: DatabaseSync): Prepare {
  const known = new Map<string, Prepared>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    const prepared = statement as unknown as Prepared;
    known.set(text, prepared);
    return prepared;
  };
}

/** Reads that belong together see one state of the file. */
export function inSnapshot<T>(database: DatabaseSync, read: () => T): T {
  database.exec('BEGIN');
  try {
    return read();
  } finally {
    database.exec('COMMIT');
  }
}
