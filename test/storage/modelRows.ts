/**
 * Rows of the model: how records are compared, keyed and seen by their declaration. Each function
 * is the plainest reading of the contract (src/core/kernel), since stores are measured by it.
 */
import assert from 'node:assert/strict';
import { isDerived, type PlainTable, type Scalar } from '#core/kernel';

export type PlainRecord = Readonly<Record<string, unknown>>;

/** A record, and what stands beside it. */
export interface Row {
  /** Evidence, work fields and the touched member together, as a read answers them. */
  readonly record: PlainRecord;
  /** Grows with the order of commits. */
  readonly place: number;
  readonly holder?: string;
  readonly fence: number;
  readonly beat: number;
  readonly tries: number;
}

/** By the text of their key. */
export type Rows = Map<string, Row>;

export const newRow = (record: PlainRecord, place: number): Row => ({
  beat: 0,
  fence: 0,
  place,
  record: jsonOf(record),
  tries: 0,
});

/** A copy as JSON has it: no member of undefined, nothing shared with the original. */
export function jsonOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** What a field holds in an index; undefined: the record is absent from that index. */
export function fieldOf(
  { spec }: PlainTable,
  record: PlainRecord,
  field: string,
): Scalar | undefined {
  const derived = spec.derived?.[field];
  if (derived !== undefined) return isDerived(derived, record) ? true : undefined;
  const value = record[field];
  return isScalar(value) ? value : undefined;
}

/** The values of an index's fields; undefined where one of them is absent. */
export function valuesOf(
  table: PlainTable,
  record: PlainRecord,
  fields: readonly string[],
): readonly Scalar[] | undefined {
  const values = fields.map((field) => fieldOf(table, record, field));
  return values.every((value) => value !== undefined) ? values : undefined;
}

export function keyOf({ name, spec }: PlainTable, record: PlainRecord): readonly Scalar[] {
  return spec.key.map((field) => {
    const value = record[field];
    assert(isScalar(value), `table ${name}: the key's member ${field} is not there`);
    return value;
  });
}

export const keyText = (table: PlainTable, record: PlainRecord): string =>
  JSON.stringify(keyOf(table, record));

/** A record without `open` in its declaration never ends. */
export function isOpen({ spec }: PlainTable, record: PlainRecord): boolean {
  const derived = spec.open === undefined ? undefined : spec.derived?.[spec.open];
  return derived === undefined || isDerived(derived, record);
}

/** Text by its UTF-8 bytes, which is not the order of `<` above U+FFFF. */
export function compareScalars(left: Scalar, right: Scalar): number {
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  assert.equal(typeof left, typeof right, 'a field has values of one type');
  return Number(left) - Number(right);
}

export function compareTuples(left: readonly Scalar[], right: readonly Scalar[]): number {
  for (const [index, value] of left.entries()) {
    const other = right[index];
    assert(other !== undefined, 'tuples of one index are equally long');
    const order = compareScalars(value, other);
    if (order !== 0) return order;
  }
  return 0;
}

/** Rows in the order of these values; rows for which there are none are left out. */
export function ordered(
  rows: Iterable<Row>,
  valuesFor: (row: Row) => readonly Scalar[] | undefined,
): { readonly row: Row; readonly values: readonly Scalar[] }[] {
  const found: { row: Row; values: readonly Scalar[] }[] = [];
  for (const row of rows) {
    const values = valuesFor(row);
    if (values !== undefined) found.push({ row, values });
  }
  return found.sort((a, b) => compareTuples(a.values, b.values));
}

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
