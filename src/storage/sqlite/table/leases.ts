/**
 * Leases: rows that workers take by turns, with the lanes that these wait in. Every statement over
 * rows that wait names its index: left alone, the planner has taken the key, past all that is done.
 */
import assert from 'node:assert/strict';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Lease, PageCursor, Scalar } from '#core/kernel';
import { type Cell, type RowAsk, rowCondition } from './cells.ts';
import { freeConditions, indexName, waitingConditions, waitingOrder } from './indexes.ts';
import {
  exact,
  fromExact,
  type Layout,
  type LeaseColumns,
  layoutNamed,
  type PlainRecord,
  quoted,
  type Row,
  toSql,
} from './layout.ts';
import { inSnapshot, type Prepare } from './statements.ts';

/** A leased row, as it crosses to the caller. */
export interface LeasedRow {
  readonly row: Row;
  readonly lease: Lease;
}

export interface LeaseAsk {
  readonly lane: readonly Scalar[];
  readonly holder: string;
  readonly now: number;
  readonly limit: number;
}

export interface LanesAsk {
  readonly now: number;
  readonly after?: readonly Scalar[];
  readonly limit: number;
}

type Layouts = ReadonlyMap<string, Layout>;

/** Lanes and leased rows, for the thread that reads. */
export function tableLeaseReader(database: DatabaseSync, prepare: Prepare, layouts: Layouts) {
  return {
    tableLanes: (name: string, ask: LanesAsk): SQLInputValue[][] =>
      inSnapshot(database, () => lanes(prepare, layoutNamed(layouts, name), ask)),
    tableHeld: (name: string, ask: { after?: PageCursor; limit: number }): LeasedRow[] => {
      const layout = layoutNamed(layouts, name);
      const keys = layout.key.map((column) => column.name).join(', ');
      const behind = ask.after ? `AND (${keys}) > (${ask.after.map(() => '?').join(', ')})` : '';
      const { holder } = leaseOf(layout);
      return prepare(
        `SELECT ${selected(layout)} FROM ${quoted(name)}
         INDEXED BY ${indexName(layout, 'held')} WHERE ${holder} IS NOT NULL ${behind}
         ORDER BY ${keys} LIMIT ?`,
      )
        .all(...(ask.after ?? []).map(toSql), ask.limit)
        .map(toLeased);
    },
  };
}

/** Takes, for the thread that writes. What holders do with their rows is in work.ts. */
export function tableLeaseWriter(prepare: Prepare, layouts: Layouts) {
  return {
    tableLease(name: string, ask: LeaseAsk): LeasedRow[] {
      const layout = layoutNamed(layouts, name);
      const { lane, line } = waitingOrder(layout);
      assert.equal(ask.lane.length, lane.length, `table ${name}: another lane`);
      const isDue = layout.spec.leased?.due === undefined ? [] : [`${line[0]?.name} <= ?`];
      const values = [ask.holder, ...ask.lane.map(toSql), ...isDue.map(() => ask.now)];
      const next = prepare(nextTaken(layout, isDue));
      const taken: LeasedRow[] = [];
      // One by one: RETURNING has no order, and a row that is taken waits no longer.
      while (taken.length < ask.limit) {
        const row = next.get(...values);
        if (row === undefined) break;
        taken.push(toLeased(row));
      }
      return taken;
    },
    tableClaim: (name: string, ask: { key: PlainRecord; holder: string }): LeasedRow | undefined =>
      take(prepare, layoutNamed(layouts, name), ask),
    tableTakeOver: (
      name: string,
      { seen, ...ask }: { key: PlainRecord; holder: string; seen: Lease },
    ): LeasedRow | undefined => {
      const layout = layoutNamed(layouts, name);
      const { beat, fence, holder } = leaseOf(layout);
      const where = [
        [`${holder} = ?`, seen.holder],
        [`${fence} = ?`, seen.fence],
        [`${beat} = ?`, seen.beat],
      ] as const;
      return take(prepare, layout, { ...ask, where });
    },
  };
}

/** A lane after the other, each found by one step into the index, however many rows wait in it. */
function lanes(prepare: Prepare, layout: Layout, ask: LanesAsk): SQLInputValue[][] {
  const { lane, line } = waitingOrder(layout);
  const names = lane.map((column) => column.name);
  const columns = [...lane, ...line].map((column) => column.name).join(', ');
  const due = layout.spec.leased?.due === undefined ? 'NULL' : (line[0]?.name ?? 'NULL');
  const nextLane = (after: readonly SQLInputValue[] | undefined) => {
    const behind = after ? [`(${names.join(', ')}) > (${names.map(() => '?').join(', ')})`] : [];
    return prepare(
      `SELECT ${[due, ...names.map(exact)].join(', ')} FROM ${quoted(layout.name)}
       INDEXED BY ${indexName(layout, 'lease')}
       WHERE ${[...waitingConditions(layout), ...behind].join(' AND ')}
       ORDER BY ${columns} LIMIT 1`,
    ).get(...(after ?? []));
  };
  const found: SQLInputValue[][] = [];
  for (let after = ask.after?.map(toSql); found.length < ask.limit; ) {
    const row = nextLane(after);
    if (row === undefined) break;
    const [dueAt, ...lane] = row;
    const values = lane.map(fromExact);
    if (typeof dueAt !== 'number' || dueAt <= ask.now) found.push(values);
    // A table without lanes is one line.
    if (names.length === 0) break;
    after = values;
  }
  return found;
}

/** Takes the first row that waits in a lane. */
function nextTaken(layout: Layout, isDue: readonly string[]): string {
  const { lane, line } = waitingOrder(layout);
  const keys = layout.key.map(({ name }) => name).join(', ');
  const conditions = [
    ...lane.map((column) => `${column.name} = ?`),
    ...waitingConditions(layout),
    ...isDue,
  ];
  return `UPDATE ${quoted(layout.name)} SET ${taking(layout)} WHERE (${keys}) = (
      SELECT ${keys} FROM ${quoted(layout.name)}
      INDEXED BY ${indexName(layout, 'lease')} WHERE ${conditions.join(' AND ')}
      ORDER BY ${line.map((column) => column.name).join(', ')} LIMIT 1)
    RETURNING ${selected(layout)}`;
}

/** Takes a row; without conditions of its own if it is free. */
function take(
  prepare: Prepare,
  layout: Layout,
  { holder, key, where }: RowAsk & { readonly holder: string },
): LeasedRow | undefined {
  const conditions = where ?? freeConditions(layout).map((condition) => [condition] as const);
  const { text, values } = rowCondition(layout, { key, where: conditions });
  const row = prepare(
    `UPDATE ${quoted(layout.name)} SET ${taking(layout)} WHERE ${text}
     RETURNING ${selected(layout)}`,
  ).get(holder, ...values);
  return row && toLeased(row);
}

/** What a row is set to that a holder takes; the holder is the first value. */
function taking(layout: Layout): string {
  const { beat, fence, holder, tries } = leaseOf(layout);
  return [
    `${holder} = ?`,
    ...[fence, beat, tries].map((column) => `${column} = ${column} + 1`),
  ].join(', ');
}

/** A count that grows by one. */
export const oneOn = (column: string): Cell => [column, null, `${column} + 1`];

/** The columns of a table that is leased. */
export function leaseOf({ lease, name }: Layout): LeaseColumns {
  assert(lease !== undefined, `table ${name} is not leased`);
  return lease;
}

function selected(layout: Layout): string {
  const { beat, fence, holder, tries } = leaseOf(layout);
  return [holder, fence, beat, tries, ...layout.reads].join(', ');
}

function toLeased([holder, fence, beat, tries, ...row]: Row): LeasedRow {
  return {
    lease: {
      beat: Number(beat),
      fence: Number(fence),
      holder: String(holder),
      tries: Number(tries),
    },
    row,
  };
}
