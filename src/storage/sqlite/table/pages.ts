/**
 * Pages and turns as statements. A page is one range of one index, or as many as `in` has values,
 * merged as they are read: no statement sorts, and none reads a row that it does not answer.
 *
 * The start of a page and the end of the last one are two bounds on one side: SQLite would seek the
 * first and scan up to the second. The values show which is narrower, and only that one is used.
 */
import assert from 'node:assert/strict';
import type { SQLInputValue } from 'node:sqlite';
import { IN_VALUES_MAX, type PageAsk, type PageCursor, type Scalar } from '#core/kernel';
import { indexName, ordering, presence } from './indexes.ts';
import { type Column, columnsOf, type Layout, quoted, toSql } from './layout.ts';

export interface Query {
  readonly text: string;
  readonly values: readonly SQLInputValue[];
}

export interface TurnsAsk extends Pick<PageAsk, 'index' | 'equal' | 'limit'> {
  readonly lane: string;
}

interface Shape {
  /** The index's fields that have to be there. */
  readonly present: readonly Column[];
  readonly equals: readonly Column[];
  readonly among: Column | undefined;
  /** The field that `from` and `to` are of. */
  readonly ranged: Column | undefined;
  /** Columns whose values a cursor has. */
  readonly positions: readonly Column[];
  /** Those of them by which the rows are ordered. */
  readonly order: readonly Column[];
}

/** How an ask lies in its index; refuses what would not be one range of it. */
export function shapeOf(layout: Layout, ask: Pick<PageAsk, 'equal' | 'in' | 'index'>): Shape {
  const { equal = {}, index } = ask;
  const { key, name, place, spec } = layout;
  const declared = spec.indexes?.[index];
  const isOwn = index === 'key' || (index === 'placed' && place !== undefined);
  assert(declared !== undefined || isOwn, `table ${name}: no index ${index}`);
  const fields = columnsOf(layout, declared ?? []);
  const led = index === 'key' ? key : fields;
  const equals = led.slice(0, Object.keys(equal).length);
  for (const { derived, field } of equals) {
    const asked = equal[field];
    assert(asked !== undefined, `table ${name}: equal is no prefix of ${index}`);
    assert(
      derived === undefined || asked === true,
      `table ${name}: ${index} has those of ${field} alone`,
    );
  }
  const among = ask.in && led[equals.length];
  assert.equal(among?.field, ask.in?.field, `table ${name}: in is not of the next field`);
  const behind = equals.length + (among ? 1 : 0);
  const tie = index === 'placed' && place ? [place] : key;
  const positions = [...fields.slice(behind), ...tie];
  return {
    among,
    equals,
    order: ordering(positions).filter((column) => !equals.includes(column)),
    positions,
    present: fields,
    ranged: led[behind],
  };
}

/** One row more than asked for, which shows whether there is another page; undefined: no row. */
export function pageQuery(layout: Layout, ask: PageAsk): Query | undefined {
  const shape = shapeOf(layout, ask);
  const values = shape.among ? [...new Set(ask.in?.values)] : [undefined];
  assert(values.length >= 1 && values.length <= IN_VALUES_MAX, `in: ${values.length} values`);
  const arms = values
    .map((value) => conditionsOf(layout, shape, { ...ask, among: value }))
    .filter((arm) => arm !== undefined);
  if (arms.length === 0) return undefined;
  const names = shape.order.map((column) => column.name);
  const isMerged = arms.length > 1;
  const columns = [...layout.reads, ...(isMerged ? names : [])].join(', ');
  const select = `SELECT ${columns} FROM ${quoted(layout.name)}${indexedBy(layout, ask)}`;
  const direction = ask.direction === 'descending' ? 'DESC' : 'ASC';
  // The parts of a merge are ordered by the columns of their answer, which has no names of its own.
  const by = names.map((name, index) => (isMerged ? layout.reads.length + index + 1 : name));
  const order = by.map((place) => `${place} ${direction}`).join(', ');
  return {
    text: `${arms.map((arm) => `${select} ${whereOf(arm)}`).join(' UNION ALL ')}
      ${order && `ORDER BY ${order}`} LIMIT ?`,
    values: [...arms.flatMap(valuesOf), ask.limit + 1],
  };
}

type Condition = readonly [text: string, ...values: SQLInputValue[]];

const valuesOf = (conditions: readonly Condition[]): SQLInputValue[] =>
  conditions.flatMap(([, ...values]) => values);

function whereOf(conditions: readonly Condition[]): string {
  const text = conditions.map(([condition]) => condition).join(' AND ');
  return text && `WHERE ${text}`;
}

/** A part of a page: of one of the values of `in`, where there are any. */
type ArmAsk = Omit<PageAsk, 'limit'> & { readonly among?: Scalar | undefined };

/** Undefined where nothing can fulfil them. */
function conditionsOf(layout: Layout, shape: Shape, ask: ArmAsk): Condition[] | undefined {
  const { equals, present } = shape;
  const among = ask.among === undefined ? undefined : shape.among;
  const equal = (column: Column, value: Scalar | undefined): Condition =>
    column.derived ? [`${column.name} = 1`] : [`${column.name} = ?`, toSql(value)];
  const others = present.filter((column) => !equals.includes(column) && column !== among);
  const bounds = boundsOf(shape, ask);
  if (bounds === undefined) return undefined;
  return [
    ...equals.map((column) => equal(column, ask.equal?.[column.field])),
    ...(among ? [equal(among, ask.among)] : []),
    ...presence(layout, others).map((condition): Condition => [condition]),
    ...bounds,
  ];
}

function boundsOf(shape: Shape, ask: ArmAsk): Condition[] | undefined {
  const { order, positions, ranged } = shape;
  const { after, direction = 'ascending', from, to } = ask;
  assert(ranged !== undefined || (from ?? to) === undefined, 'from and to are of no field');
  assert(after === undefined || after.length === positions.length, 'a cursor of another index');
  const isAscending = direction === 'ascending';
  const first = order[0] === ranged ? after?.[ranged ? positions.indexOf(ranged) : -1] : undefined;
  const isPast = (bound: Scalar, isAfter: (order: number) => boolean) =>
    first !== undefined && isAfter(compareScalars(first, bound));
  const isFromMoot = from !== undefined && isAscending && isPast(from, (sign) => sign >= 0);
  const isToMoot = to !== undefined && !isAscending && isPast(to, (sign) => sign < 0);
  const near = isAscending ? from : to;
  const isAfterMoot = near !== undefined && first !== undefined && !isFromMoot && !isToMoot;
  const cursor = after && !isAfterMoot ? behind(shape, { ...ask, after }) : [];
  if (cursor === undefined) return undefined;
  return [
    ...(from !== undefined && !isFromMoot ? [[`${ranged?.name} >= ?`, toSql(from)] as const] : []),
    ...(to !== undefined && !isToMoot ? [[`${ranged?.name} < ?`, toSql(to)] as const] : []),
    ...cursor,
  ];
}

/**
 * Behind the cursor; undefined where nothing is. Where `in` is of a field of the order, each part
 * has one value of it, and only what stands before and behind that is compared: else the part's
 * rows would be looked at one after the other.
 */
function behind(
  { order, positions, ...shape }: Shape,
  ask: ArmAsk & { readonly after: PageCursor },
): Condition[] | undefined {
  const isAscending = ask.direction !== 'descending';
  const inCursor = (column: Column) => ask.after[positions.indexOf(column)];
  const compare = (columns: readonly Column[], sign: string): Condition[] => {
    const names = columns.map(({ name }) => name).join(', ');
    const marks = columns.map(() => '?').join(', ');
    return [[`(${names}) ${sign} (${marks})`, ...columns.map((column) => toSql(inCursor(column)))]];
  };
  const beyond = isAscending ? '>' : '<';
  const among = ask.among === undefined ? undefined : shape.among;
  const place = among ? order.indexOf(among) : -1;
  const before = order.slice(0, place < 0 ? order.length : place);
  const others = place < 0 ? order : [...before, ...order.slice(place + 1)];
  const side = place < 0 ? 0 : compareScalars(ask.among ?? '', (among && inCursor(among)) ?? '');
  // Where no other is left the one record that there can be is the cursor's own.
  if (side === 0) return others.length > 0 ? compare(others, beyond) : undefined;
  const isBeyond = isAscending ? side > 0 : side < 0;
  if (before.length === 0) return isBeyond ? [] : undefined;
  return compare(before, isBeyond ? `${beyond}=` : beyond);
}

/** Compares like SQLite: integers before text, text by its bytes. */
export function compareScalars(left: Scalar, right: Scalar): number {
  if (typeof left === 'string' && typeof right === 'string') {
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  if (typeof left === 'string') return 1;
  return typeof right === 'string' ? -1 : Number(left) - Number(right);
}

function indexedBy(layout: Layout, { index }: Pick<PageAsk, 'index'>): string {
  return layout.spec.indexes?.[index] ? ` INDEXED BY ${indexName(layout, index)}` : '';
}

/** Numbered from the index alone; the few rows that are answered are looked up by their keys. */
export function turnsQuery(layout: Layout, ask: TurnsAsk): Query {
  const shape = shapeOf(layout, { ...ask, in: { field: ask.lane, values: [] } });
  const { among, order } = shape;
  const lane = among?.name ?? '';
  const line = order.map((column) => column.name);
  const keys = layout.key.map((column) => column.name);
  const inner = [...new Set([...keys, ...line])];
  const equals = conditionsOf(layout, shape, ask) ?? [];
  const outer = (names: readonly string[]) => names.map((name) => `turns.${name}`).join(', ');
  return {
    text: `SELECT ${layout.reads.map((name) => `stored.${name}`).join(', ')} FROM (
        SELECT ${inner.join(', ')},
          row_number() OVER (PARTITION BY ${lane} ORDER BY ${line.join(', ')}) AS turn
        FROM ${quoted(layout.name)}${indexedBy(layout, ask)}
        ${whereOf(equals)}
        ORDER BY turn, ${line.join(', ')} LIMIT ?
      ) AS turns CROSS JOIN ${quoted(layout.name)} AS stored
      ON ${keys.map((name) => `stored.${name} = turns.${name}`).join(' AND ')}
      ORDER BY turns.turn, ${outer(line)}`,
    values: [...valuesOf(equals), ask.limit],
  };
}
