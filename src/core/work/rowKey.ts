/** Names of a row of leased work: its key, as its table declares it. */
import type { FieldOf, Scalar, Table, TableRecord } from '#core/kernel';

/** The members of a record that are its key. */
export function keyOf<R extends TableRecord, K extends FieldOf<R>>(
  { spec }: Table<R, K>,
  record: Pick<R, K>,
): Pick<R, K> {
  return Object.fromEntries(spec.key.map((field) => [field, record[field]])) as Pick<R, K>;
}

/** The values of a record's key, in order: the cursor at which a page of the table continues. */
export function keyValues<R extends TableRecord, K extends FieldOf<R>>(
  { spec }: Table<R, K>,
  record: Pick<R, K>,
): readonly Scalar[] {
  return spec.key.map((field) => record[field] as Scalar);
}

/** The key as one text, for maps of this process. */
export function rowName<R extends TableRecord, K extends FieldOf<R>>(
  table: Table<R, K>,
  record: Pick<R, K>,
): string {
  return JSON.stringify(keyValues(table, record));
}
