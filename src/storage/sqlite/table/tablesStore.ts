/**
 * The port `Tables` on the caller's side of the two threads. Bounds are asserted here, and rows
 * become records here, so neither thread parses a document for another one.
 */
import assert from 'node:assert/strict';
import {
  type AnyTable,
  INSERT_RECORDS_MAX,
  LEASE_ROWS_MAX,
  type Leased,
  PAGE_RECORDS_MAX,
  type PageAsk,
  type PageCursor,
  type PlainTable,
  type Scalar,
  type Tables,
} from '#core/kernel';
import { readablePage, recordsIn } from '../../readableRecord.ts';
import { assertDue } from '../../tableChange.ts';
import type { ReadOperations, WriteOperations } from '../operations.ts';
import type { ThreadClient } from '../threadClient.ts';
import {
  keyValues,
  type Layout,
  layoutNamed,
  layoutsOf,
  type PlainRecord,
  type Row,
  toRecord,
} from './layout.ts';
import type { LeasedRow } from './leases.ts';
import { shapeOf } from './pages.ts';

interface Threads {
  readonly reader: ThreadClient<ReadOperations>;
  readonly writer: ThreadClient<WriteOperations>;
}
type LayoutOf = (table: AnyTable) => Layout;

export function tablesStore(threads: Threads, tables: readonly PlainTable[]): Tables {
  const layouts = layoutsOf(tables);
  const layoutOf: LayoutOf = ({ name }) => layoutNamed(layouts, name);
  return {
    ...tableReads(threads, layoutOf),
    ...tableLeases(threads, layoutOf),
    ...tableWork(threads, layoutOf),
  };
}

function tableReads(
  { reader }: Threads,
  layoutOf: LayoutOf,
): Pick<Tables, 'find' | 'findMany' | 'findUnique' | 'inTurns' | 'page' | 'stamp'> {
  return {
    async find(table, key) {
      const row = await reader.call('tableFind', table.name, plain(key));
      return row && toRecord(layoutOf(table), row);
    },
    async findMany(table, keys) {
      const layout = layoutOf(table);
      assertBound('keys', keys.length, PAGE_RECORDS_MAX);
      const asked = new Map(keys.map((key) => [keyText(layout, plain(key)), plain(key)]));
      const rows = await reader.call('tableFindMany', table.name, [...asked.values()]);
      return rows.map((row) => toRecord(layout, row));
    },
    async findUnique(table, unique, values) {
      const row = await reader.call('tableFindUnique', table.name, { unique, values });
      return row && toRecord(layoutOf(table), row);
    },
    async page(table, ask) {
      const layout = layoutOf(table);
      assertBound('limit', ask.limit, PAGE_RECORDS_MAX, 1);
      const { damaged, hasMore, read } = await readablePage(
        ask,
        (limit) => reader.call('tablePage', table.name, { ...ask, limit }),
        (row) => toRecord<never>(layout, row),
      );
      const last = read.at(-1);
      return {
        records: read.map(({ record }) => record),
        ...(damaged.length > 0 && { damaged: damaged.map(({ message }) => message) }),
        ...(hasMore && last && { next: cursorOf(layout, ask, last.row) }),
      };
    },
    async inTurns(table, ask) {
      assertBound('limit', ask.limit, PAGE_RECORDS_MAX, 1);
      const rows = await reader.call('tableTurns', table.name, ask);
      return recordsIn(rows, (row) => toRecord(layoutOf(table), row));
    },
    stamp: (name) => reader.call('tableStamp', name),
  };
}

function tableLeases(
  { reader, writer }: Threads,
  layoutOf: LayoutOf,
): Pick<Tables, 'claim' | 'held' | 'lanes' | 'lease' | 'takeOver'> {
  return {
    async lanes({ name }, ask) {
      assertBound('limit', ask.limit, PAGE_RECORDS_MAX, 1);
      return (await reader.call('tableLanes', name, ask)) as Scalar[][];
    },
    async held(table, ask) {
      assertBound('limit', ask.limit, PAGE_RECORDS_MAX, 1);
      const rows = await reader.call('tableHeld', table.name, ask);
      return recordsIn(rows, (row) => toLeased(layoutOf(table), row));
    },
    async lease(table, ask) {
      assertBound('limit', ask.limit, LEASE_ROWS_MAX, 1);
      const rows = await writer.call('tableLease', table.name, ask);
      return recordsIn(rows, (row) => toLeased(layoutOf(table), row));
    },
    async claim(table, { holder, key }) {
      const row = await writer.call('tableClaim', table.name, { holder, key: plain(key) });
      return row && toLeased(layoutOf(table), row);
    },
    async takeOver(table, { holder, key, seen }) {
      const ask = { holder, key: plain(key), seen };
      const row = await writer.call('tableTakeOver', table.name, ask);
      return row && toLeased(layoutOf(table), row);
    },
  };
}

function tableWork(
  { writer }: Threads,
  layoutOf: LayoutOf,
): Pick<Tables, 'giveBack' | 'insertMissing' | 'purge' | 'renew' | 'saveWork' | 'touch'> {
  const workOf = <Ask extends { readonly key: object; readonly work?: object }>(
    table: AnyTable,
    { key, work = {}, ...ask }: Ask,
  ) => {
    const { name, spec } = layoutOf(table);
    const others = Object.keys(work).filter((field) => !spec.work?.includes(field));
    assert.equal(others.length, 0, `table ${name}: no work fields: ${others.join(', ')}`);
    return { ...ask, key: plain(key), work: plain(work) };
  };
  return {
    async insertMissing(table, records) {
      const { name, spec } = layoutOf(table);
      assertBound('records', records.length, INSERT_RECORDS_MAX);
      assert(Object.keys(spec.unique ?? {}).length === 0, `table ${name} has unique values`);
      for (const record of records) assertDue(layoutOf(table), plain(record));
      await writer.call('tableInsertMissing', name, records.map(plain));
    },
    saveWork: async (table, ask) => writer.call('tableSaveWork', table.name, workOf(table, ask)),
    renew: async (table, ask) => writer.call('tableRenew', table.name, workOf(table, ask)),
    giveBack: async (table, ask) => writer.call('tableGiveBack', table.name, workOf(table, ask)),
    touch: ({ name }, key, value) => writer.call('tableTouch', name, plain(key), value),
    purge: ({ name }, now) => writer.call('tablePurge', name, now),
  };
}

const plain = (record: object): PlainRecord => record as PlainRecord;

/** Integers of keys keep their type; text is distinguished from digits. */
const keyText = (layout: Layout, key: PlainRecord): string =>
  JSON.stringify(keyValues(layout, key).map((value) => [typeof value, String(value)]));

function assertBound(what: string, count: number, most: number, least = 0): void {
  const isInside = Number.isSafeInteger(count) && count >= least && count <= most;
  assert(isInside, `${what}: expected ${least} to ${most}, got ${count}`);
}

/** The place of this row in the requested order. */
function cursorOf(layout: Layout, ask: PageAsk, row: Row): PageCursor {
  const record = toRecord<Record<string, Scalar>>(layout, row);
  const { place, reads } = layout;
  return shapeOf(layout, ask).positions.map((column) => {
    if (column === place) return Number(row[reads.length - 1]);
    return column.derived ? true : (record[column.field] ?? '');
  });
}

function toLeased<R>(layout: Layout, { lease, row }: LeasedRow): Leased<R> {
  return { lease, record: toRecord<R>(layout, row) };
}
