/**
 * How a declared table lies in the file: its columns, how a record becomes a row, and how a row
 * becomes a record again.
 *
 * A column beside the document has a field that is looked up, compared or ordered. It has type ANY,
 * so that text and integers keep their own orders, and is NULL where the member is absent. Work
 * fields stand in a text of their own, so they never compete with a commit for the document. In
 * rows that a former release has written they lie inside the document, and `work` is NULL.
 */
import assert from 'node:assert/strict';
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import {
  type DerivedField,
  isDerived,
  type PlainSpec,
  type PlainTable,
  writesOf,
} from '#core/kernel';
import { readable } from '../../readableRecord.ts';

/** A record of any table. */
export type PlainRecord = Readonly<Record<string, unknown>>;
/**
 * The values of one record in a read's answer, in the order of `reads`; it crosses to the caller as
 * it is.
 */
export type Row = readonly SQLOutputValue[];

/** A member that has a column, or a derived field. Names are quoted as SQL has them. */
export interface Column {
  readonly field: string;
  readonly name: string;
  readonly derived?: DerivedField;
}

/** Columns of a lease. */
export interface LeaseColumns {
  readonly holder: string;
  readonly fence: string;
  readonly beat: string;
  readonly tries: string;
  /** Frozen; new rows have 0. */
  readonly until?: string;
}

/** All that statements are made from. */
export interface Layout {
  readonly name: string;
  readonly spec: PlainSpec;
  readonly hasVersion: boolean;
  readonly key: readonly Column[];
  /** Columns beside the key that are written with the record. */
  readonly fields: readonly Column[];
  /** Computed by the file itself. */
  readonly generated: readonly Column[];
  /** Members that are no part of the document. */
  readonly apart: readonly Column[];
  readonly touch?: Column;
  readonly place?: Column;
  readonly lease?: LeaseColumns;
  /** Condition of a record that has not ended; absent: records never end. */
  readonly open?: string;
  /** Columns that a read selects. */
  readonly reads: readonly string[];
}

export const quoted = (name: string): string => `"${name}"`;
export const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Layouts by name. */
export function layoutsOf(tables: readonly PlainTable[]): ReadonlyMap<string, Layout> {
  const layouts = new Map(tables.map((table) => [table.name, layoutOf(table)]));
  assert.equal(layouts.size, tables.length, 'two tables are declared under one name');
  return layouts;
}

/** The layout of a table that is declared; any other name is a mistake of the caller. */
export function layoutNamed(layouts: ReadonlyMap<string, Layout>, name: string): Layout {
  const layout = layouts.get(name);
  assert(layout !== undefined, `table ${name} is not declared`);
  return layout;
}

function layoutOf({ name, spec }: PlainTable): Layout {
  const { derived = {}, leased, stored = {}, touch } = spec;
  const toColumn = (field: string): Column => ({
    field,
    name: quoted(stored.sqliteColumns?.[field] ?? snake(field)),
    ...(derived[field] !== undefined && { derived: derived[field] }),
  });
  const key = spec.key.map(toColumn);
  const beside = fieldsOf(spec).map(toColumn);
  const isGenerated = ({ field }: Column) => stored.sqliteGenerated?.includes(field) === true;
  const apart = Object.entries(stored.sqliteApart ?? {}).map(([field, column]) => ({
    field,
    name: quoted(column),
  }));
  const hasVersion = writesOf(spec) === 'versioned';
  const place = stored.place?.sqlite ?? 'place';
  const layout: Omit<Layout, 'reads'> = {
    apart,
    fields: beside.filter((column) => !isGenerated(column)),
    generated: beside.filter(isGenerated),
    hasVersion,
    key,
    name,
    spec,
    ...(leased && { lease: leaseColumns(stored.lease) }),
    ...(spec.open !== undefined && { open: `${toColumn(spec.open).name} = 1` }),
    ...(spec.isPlaced && { place: { field: 'place', name: quoted(place) } }),
    ...(touch !== undefined && { touch: toColumn(touch) }),
  };
  assertDistinct(layout);
  return { ...layout, reads: readsOf(layout) };
}

function assertDistinct({ name, ...layout }: Omit<Layout, 'reads'>): void {
  const { apart, fields, generated, hasVersion, key, lease, place, touch } = layout;
  const members = [...key, ...fields, ...generated, ...apart, ...(touch ? [touch] : [])];
  const columns = [
    ...[...members, ...(place ? [place] : [])].map((column) => column.name),
    ...(hasVersion ? [quoted('version')] : []),
    ...Object.values(lease ?? {}),
    ...['document', 'work', 'rowid'].map(quoted),
  ];
  const twice = columns.filter((column, index) => columns.indexOf(column) !== index);
  assert.equal(twice.length, 0, `table ${name}: two things lie in the column ${twice[0]}`);
}

/** Every field beside the key that has a column, each once. */
function fieldsOf(spec: PlainSpec): string[] {
  const { chain, derived = {}, indexes = {}, kept, key, leased, unique = {} } = spec;
  const isChecked = spec.writes !== 'rows' && chain !== 'any' && chain !== 'platform';
  const fields = [
    ...Object.values(indexes).flat(),
    ...Object.values(unique).flat(),
    ...Object.keys(derived),
    ...(leased ? [...leased.lane, ...(leased.order ?? [])] : []),
    // A record of another chain is checked before it is put or removed.
    ...[isChecked ? chain : undefined, spec.owner, leased?.due, kept?.from].flatMap(
      (field) => field ?? [],
    ),
  ];
  return [...new Set(fields)].filter((field) => !key.includes(field));
}

function leaseColumns(stored: NonNullable<PlainSpec['stored']>['lease'] = {}): LeaseColumns {
  return {
    beat: quoted('lease_beat'),
    fence: quoted('lease_fence'),
    holder: quoted('lease_holder'),
    tries: quoted(stored.sqliteTries ?? 'lease_tries'),
    ...(stored.sqliteUntil !== undefined && { until: quoted(stored.sqliteUntil) }),
  };
}

function readsOf({ apart, fields, key, place, spec, touch }: Omit<Layout, 'reads'>): string[] {
  // The key names a row that cannot be read.
  const names = [...key, ...(spec.stored?.isBare ? fields : [])].map(({ name }) => name);
  const texts = spec.stored?.isBare ? [] : ['document', ...(spec.work ? ['work'] : [])];
  const parts = [...names, ...texts.map(quoted)];
  const rest = [...apart, ...(touch ? [touch] : []), ...(place ? [place] : [])];
  return [...parts, ...rest.map(({ name }) => name)];
}

/** Declared fields as columns, in their order. */
export function columnsOf(layout: Layout, fields: readonly string[]): Column[] {
  return fields.map((field) => {
    const column = [...layout.key, ...layout.fields, ...layout.generated].find(
      (known) => known.field === field,
    );
    assert(column !== undefined, `table ${layout.name}: ${field} is in no index`);
    return column;
  });
}

/** Integers as such: a number alone would be bound, and stored, as a float. */
export function toSql(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') {
    assert(Number.isSafeInteger(value), `a field of an index is no safe integer: ${value}`);
    return BigInt(value);
  }
  assert(typeof value === 'string', 'a field of an index is text, an integer or a boolean');
  assert(value.isWellFormed(), 'a field of an index holds half a character');
  return value;
}

/** The exact text: node ends a text at its first NUL, which a key may contain. */
export const exact = (name: string): string =>
  `CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END`;

/** A value that was selected by `exact`. */
export const fromExact = (value: SQLOutputValue): SQLInputValue =>
  value instanceof Uint8Array ? Buffer.from(value).toString() : value;

/** A record's value in this column. */
export function valueIn({ spec }: Layout, column: Column, record: PlainRecord): SQLInputValue {
  if (column.derived === undefined) return toSql(record[column.field]);
  if (isDerived(column.derived, record)) return 1n;
  return spec.stored?.isFalseZero ? 0n : null;
}

/** Whether the record has not ended; without `open` no record ends. */
export function isOpenRecord({ spec: { derived, open } }: Layout, record: PlainRecord): boolean {
  const field = open === undefined ? undefined : derived?.[open];
  return field === undefined || isDerived(field, record);
}

/** The key's members, all there. */
export function keyValues({ key, name }: Layout, record: PlainRecord): SQLInputValue[] {
  return key.map(({ field }) => {
    const value = record[field];
    assert(value !== undefined && value !== null, `table ${name}: the key lacks ${field}`);
    return toSql(value);
  });
}

/** The record's own text, without the members stored beside it. */
export function documentOf({ apart, spec, touch }: Layout, record: PlainRecord): string {
  const beside = [...(spec.work ?? []), ...[...apart, ...(touch ? [touch] : [])].map(fieldOf)];
  if (beside.length === 0) return JSON.stringify(record);
  const document: Record<string, unknown> = { ...record };
  for (const field of beside) delete document[field];
  return JSON.stringify(document);
}

const fieldOf = ({ field }: Column): string => field;

/** Its work fields alone, as a text. */
export function workOf({ spec: { work = [] } }: Layout, record: PlainRecord): string {
  return JSON.stringify(Object.fromEntries(work.map((field) => [field, record[field]])));
}

/** A row of `reads` as the record that was written. Throws `record-damaged`. */
export const toRecord = <R>(layout: Layout, row: Row): R =>
  readable(layout, row.slice(0, layout.key.length), () => parsedRow(layout, row));

function parsedRow(layout: Layout, row: Row): unknown {
  const { apart, key, spec, touch } = layout;
  const isBare = spec.stored?.isBare === true;
  const values = (isBare ? row : row.slice(key.length)).values();
  const next = () => values.next().value ?? null;
  const record = isBare ? bareRecord(layout, next) : JSON.parse(String(next()));
  const work = spec.work && next();
  if (typeof work === 'string') {
    for (const field of spec.work ?? []) delete record[field];
    Object.assign(record, JSON.parse(work));
  }
  for (const { field } of apart) {
    const text = next();
    if (typeof text === 'string') record[field] = JSON.parse(text);
  }
  if (touch !== undefined) setPresent(record, touch.field, next());
  return record;
}

function bareRecord({ fields, key }: Layout, next: () => SQLOutputValue) {
  const record: Record<string, unknown> = {};
  for (const { field } of [...key, ...fields]) setPresent(record, field, next());
  return record;
}

function setPresent(record: Record<string, unknown>, field: string, value: SQLOutputValue): void {
  if (value !== null) record[field] = value;
}
