/**
 * Which indexes a declared table has, and the conditions that they and the statements share: SQLite
 * takes a partial index only for a statement that spells the same conditions.
 *
 * A derived field is a condition and no column: an index that names one holds the records of which
 * it is true. A record without one of an index's members is absent from it.
 */
import assert from 'node:assert/strict';
import { type Column, columnsOf, type Layout, type LeaseColumns, quoted, snake } from './layout.ts';

/** Names are quoted. */
export interface Index {
  readonly name: string;
  readonly columns: readonly string[];
  readonly conditions: readonly string[];
  readonly isUnique: boolean;
}

/** The index `key` and the order of places are the table's own. */
export const indexName = ({ name }: Layout, index: string): string =>
  quoted(`${name}_${snake(index)}`);

/** Conditions that every record of an index with these fields meets. */
export function presence({ key }: Layout, columns: readonly Column[]): string[] {
  return columns
    .filter((column) => !key.includes(column))
    .map(({ derived, name }) => (derived ? `${name} = 1` : `${name} IS NOT NULL`));
}

/** Each column once, derived fields left out. */
export function ordering(columns: readonly Column[]): Column[] {
  return columns.filter(
    (column, index) => column.derived === undefined && columns.indexOf(column) === index,
  );
}

/** All of a table, but for the one that its key is. */
export function indexesOf(layout: Layout): Index[] {
  const { key, spec } = layout;
  const plain = (index: string, fields: readonly string[]): Index => {
    const columns = columnsOf(layout, fields);
    const tie = index === 'placed' && layout.place ? [layout.place] : key;
    return made(layout, index, { columns: [...columns, ...tie], isUnique: false });
  };
  const unique = (index: string, fields: readonly string[]): Index =>
    made(layout, index, { columns: columnsOf(layout, fields), isUnique: true });
  const found = [
    ...Object.entries(spec.indexes ?? {}).map(([index, fields]) => plain(index, fields)),
    ...Object.entries(spec.unique ?? {}).map(([index, fields]) => unique(index, fields)),
    ...(layout.lease ? [waitingIndex(layout, layout.lease), heldIndex(layout, layout.lease)] : []),
    ...(spec.kept ? [keptIndex(layout)] : []),
  ];
  const names = new Set(found.map(({ name }) => name));
  assert.equal(names.size, found.length, `table ${layout.name}: two indexes have one name`);
  return found;
}

function made(
  layout: Layout,
  index: string,
  { columns, isUnique }: { readonly columns: readonly Column[]; readonly isUnique: boolean },
): Index {
  const { place } = layout;
  const members = columns.filter((column) => column !== place);
  return {
    columns: ordering(columns).map(({ name }) => name),
    conditions: presence(layout, ordering(members).concat(members.filter(isDerivedColumn))),
    isUnique,
    name: indexName(layout, index),
  };
}

const isDerivedColumn = ({ derived }: Column): boolean => derived !== undefined;

/** Rows of all lanes that may be taken, in the order in which they are. */
export function waitingOrder(layout: Layout): { lane: Column[]; line: Column[] } {
  const { leased } = layout.spec;
  assert(leased !== undefined, `table ${layout.name} is not leased`);
  const { due, lane, order = [] } = leased;
  const lanes = columnsOf(layout, lane);
  const line = [...columnsOf(layout, [...(due ? [due] : []), ...order]), ...layout.key];
  return { lane: lanes, line: ordering(line).filter((column) => !lanes.includes(column)) };
}

/** Conditions of a row that is free and has not ended. */
export function freeConditions(layout: Layout): string[] {
  const { lease, open } = layout;
  assert(lease !== undefined, `table ${layout.name} is not leased`);
  return [`${lease.holder} IS NULL`, ...(open ? [open] : [])];
}

/** Conditions of every row in the index of waiting ones. */
export function waitingConditions(layout: Layout): string[] {
  const { lane, line } = waitingOrder(layout);
  const [nobody = '', ...open] = freeConditions(layout);
  return [nobody, ...presence(layout, [...lane, ...line]), ...open];
}

function waitingIndex(layout: Layout, { holder }: LeaseColumns): Index {
  const { lane, line } = waitingOrder(layout);
  return {
    columns: [...[...lane, ...line].map(({ name }) => name), holder],
    conditions: waitingConditions(layout),
    isUnique: false,
    name: indexName(layout, 'lease'),
  };
}

function heldIndex(layout: Layout, { holder }: LeaseColumns): Index {
  return {
    columns: layout.key.map(({ name }) => name),
    conditions: [`${holder} IS NOT NULL`],
    isUnique: false,
    name: indexName(layout, 'held'),
  };
}

/** Conditions of every record that may be removed once it is old enough. */
export function keptConditions(layout: Layout): string[] {
  const { kept } = layout.spec;
  assert(kept !== undefined, `table ${layout.name} is kept for ever`);
  const from = columnsOf(layout, [kept.from]);
  const unless = columnsOf(layout, kept.unless === undefined ? [] : [kept.unless]);
  return [...presence(layout, from), ...unless.map(({ name }) => `${name} IS NOT 1`)];
}

function keptIndex(layout: Layout): Index {
  const from = columnsOf(layout, [layout.spec.kept?.from ?? '']);
  return {
    columns: ordering([...from, ...layout.key]).map(({ name }) => name),
    conditions: keptConditions(layout),
    isUnique: false,
    name: indexName(layout, 'kept'),
  };
}
