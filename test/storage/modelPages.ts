/** Pages of the model: all rows in the order of the index, then cut to what was asked. */
import assert from 'node:assert/strict';
import {
  IN_VALUES_MAX,
  PAGE_RECORDS_MAX,
  type Page,
  type PageAsk,
  type PlainTable,
  type Scalar,
} from '#core/kernel';
import {
  compareScalars,
  compareTuples,
  fieldOf,
  jsonOf,
  keyOf,
  ordered,
  type PlainRecord,
  type Row,
  valuesOf,
} from './modelRows.ts';

export function pageOf(table: PlainTable, rows: Iterable<Row>, ask: PageAsk): Page<PlainRecord> {
  const { after, direction = 'ascending', equal = {}, from, limit, to } = ask;
  assert(limit >= 1 && limit <= PAGE_RECORDS_MAX, `limit: ${limit}`);
  const { fields, ranged } = partsOf(table, ask);
  const sign = direction === 'ascending' ? 1 : -1;
  const isAsked = ({ record }: Row): boolean => {
    const value = ranged === undefined ? undefined : fieldOf(table, record, ranged);
    return (
      Object.entries(equal).every(([field, asked]) => fieldOf(table, record, field) === asked) &&
      (ask.in === undefined || isAmong(fieldOf(table, record, ask.in.field), ask.in.values)) &&
      (from === undefined || (value !== undefined && compareScalars(value, from) >= 0)) &&
      (to === undefined || (value !== undefined && compareScalars(value, to) < 0))
    );
  };
  const found = ordered([...rows].filter(isAsked), (row) =>
    positionOf(table, row, { fields, index: ask.index }),
  ).filter(({ values }) => after === undefined || sign * compareTuples(values, after) > 0);
  if (sign < 0) found.reverse();
  const cut = found.slice(0, limit);
  const last = cut.at(-1);
  return {
    records: cut.map(({ row }) => jsonOf(row.record)),
    ...(found.length > cut.length && last !== undefined && { next: last.values }),
  };
}

/** The first of each lane, then each one's second, and so on. */
export function turnsOf(
  table: PlainTable,
  rows: Iterable<Row>,
  ask: Pick<PageAsk, 'index' | 'equal' | 'limit'> & { readonly lane: string },
): PlainRecord[] {
  const { equal = {}, index, lane, limit } = ask;
  const fields = indexFields(table, index);
  const equalCount = Object.keys(equal).length;
  assert.equal(fields[equalCount], lane, `${index}: ${lane} follows the equal fields`);
  const behind = fields.slice(equalCount + 1);
  const isEqual = ({ record }: Row) =>
    Object.entries(equal).every(([field, asked]) => fieldOf(table, record, field) === asked);
  const inOrder = ordered([...rows].filter(isEqual), (row) =>
    positionOf(table, row, { fields: [lane, ...behind], index }),
  );
  const turns = new Map<Scalar, number>();
  const numbered = inOrder.map(({ row, values }) => {
    const turn = turns.get(values[0] ?? '') ?? 0;
    turns.set(values[0] ?? '', turn + 1);
    return { row, values: [turn, ...values.slice(1)] };
  });
  numbered.sort((a, b) => compareTuples(a.values, b.values));
  return numbered.slice(0, limit).map(({ row }) => jsonOf(row.record));
}

/** Where a row stands: the fields' values, its place where that is the order, then its key. */
function positionOf(
  table: PlainTable,
  row: Row,
  { fields, index }: { readonly fields: readonly string[]; readonly index: string },
): readonly Scalar[] | undefined {
  const values = valuesOf(table, row.record, fields);
  if (index !== 'placed') return values && [...values, ...keyOf(table, row.record)];
  return values && [...values, row.place];
}

/** The fields that the order is by, before the key, and the one that `from` and `to` are of. */
function partsOf(table: PlainTable, { equal = {}, in: among, index }: PageAsk) {
  const declared = indexFields(table, index);
  const all = index === 'key' ? table.spec.key : declared;
  const equalCount = Object.keys(equal).length;
  const prefix = all.slice(0, equalCount);
  assert(
    prefix.every((field) => equal[field] !== undefined),
    `${index}: equal is of a prefix`,
  );
  if (among === undefined) {
    return { fields: declared.slice(equalCount), ranged: all[equalCount] };
  }
  assert(among.values.length >= 1 && among.values.length <= IN_VALUES_MAX, 'in: too many values');
  assert.equal(all[equalCount], among.field, `${index}: in is of the field behind equal`);
  return { fields: declared.slice(equalCount + 1), ranged: all[equalCount + 1] };
}

/** The declared fields; the order of the key and of places may go without. */
function indexFields({ name, spec }: PlainTable, index: string): readonly string[] {
  const fields = spec.indexes?.[index];
  if (fields !== undefined) return fields;
  assert(index === 'key' || (index === 'placed' && spec.isPlaced), `${name}: no index ${index}`);
  return [];
}

function isAmong(value: Scalar | undefined, values: readonly Scalar[]): boolean {
  return value !== undefined && values.includes(value);
}
