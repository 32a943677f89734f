/**
 * A model of the port `Tables` and of applying changes, in memory: simple and obviously right
 * rather than fast. Property tests hold the stores against it (test/storage/contract), and tests of
 * slices use it in place of a store (modelHouse.ts).
 */
import assert from 'node:assert/strict';
import {
  type AnyTable,
  type FieldOf,
  INSERT_RECORDS_MAX,
  LEASE_ROWS_MAX,
  type LeaseClaim,
  PAGE_RECORDS_MAX,
  type PlainTable,
  type Table,
  type TableChange,
  type TableRecord,
  type Tables,
} from '#core/kernel';
import { applyChanges, assertDue, emptyState, rowsOf, tableOf } from './modelChanges.ts';
import { isClaimed, lanesOf, leasedOf, mayBeTaken, taken, waitingIn } from './modelLeases.ts';
import { pageOf, turnsOf } from './modelPages.ts';
import {
  compareTuples,
  fieldOf,
  isOpen,
  jsonOf,
  keyOf,
  keyText,
  newRow,
  ordered,
  type PlainRecord,
  type Row,
  valuesOf,
} from './modelRows.ts';

export interface ModelTables {
  readonly tables: Tables;
  /** The index of the stale change, with nothing applied; undefined where all hold. */
  apply(chainId: string, changes: readonly TableChange[]): number | undefined;
  /** Records as they are to be, whatever stood under their keys: what a test begins with. */
  seed<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    ...records: readonly R[]
  ): void;
  /** Every record of a table, in the order of its key. */
  records<R extends TableRecord, K extends FieldOf<R>>(table: Table<R, K>): readonly R[];
}

interface WorkWrite {
  readonly claim?: LeaseClaim;
  readonly work?: object;
  /** What becomes of the lease. */
  readonly next?: (row: Row) => Row;
}

export function createModelTables(declared: readonly AnyTable[]): ModelTables {
  let state = emptyState(declared);
  const plain = ({ name }: AnyTable): PlainTable => tableOf(state, name);
  const rows = (table: AnyTable) => rowsOf(state, table);
  const rowAt = (table: AnyTable, key: object) =>
    rows(table).get(keyText(plain(table), key as PlainRecord));
  const placed = (record: object): Row => {
    state = { ...state, lastPlace: state.lastPlace + 1 };
    return newRow(record as PlainRecord, state.lastPlace);
  };
  const inKeyOrder = (table: AnyTable): Row[] =>
    ordered(rows(table).values(), ({ record }) => keyOf(plain(table), record)).map(
      ({ row }) => row,
    );
  const save = (table: AnyTable, row: Row): Row => {
    rows(table).set(keyText(plain(table), row.record), row);
    return row;
  };

  /** Every write outside commits to a row that is there: false where it may not be. */
  const work = (table: AnyTable, key: object, write: WorkWrite): boolean => {
    const row = rowAt(table, key);
    if (row === undefined || !isOpen(plain(table), row.record)) return false;
    if (write.claim !== undefined && !isClaimed(row, write.claim)) return false;
    const fields = Object.keys(write.work ?? {});
    const { spec } = plain(table);
    assert(
      fields.every((field) => spec.work?.includes(field)),
      `${table.name}: not work fields`,
    );
    const worked = { ...row, record: jsonOf({ ...row.record, ...write.work }) };
    save(table, write.next?.(worked) ?? worked);
    return true;
  };

  const tables: Tables = {
    find: async (table, key) => recordOf(rowAt(table, key)),
    findMany: async (table, keys) => {
      assert(keys.length <= PAGE_RECORDS_MAX, `findMany: ${keys.length} keys`);
      const texts = new Set(keys.map((key) => keyText(plain(table), key as PlainRecord)));
      return [...texts].flatMap((text) => recordOf(rows(table).get(text)) ?? []);
    },
    findUnique: async (table, name, values) => {
      const fields = plain(table).spec.unique?.[name];
      assert(fields !== undefined, `table ${table.name}: no unique ${name}`);
      const { derived = {} } = plain(table).spec;
      const asked = Object.fromEntries(
        fields.map((field) => [field, values[field] ?? (field in derived ? true : undefined)]),
      );
      const isWhole = fields.every((field) =>
        field in derived ? asked[field] === true : asked[field] !== undefined,
      );
      assert(isWhole, `table ${table.name}: not the values of ${name}`);
      return recordOf(
        inKeyOrder(table).find(({ record }) => {
          const held = valuesOf(plain(table), record, fields);
          return held?.every((value, index) => value === asked[fields[index] ?? '']);
        }),
      );
    },
    inTurns: async (table, ask) => turnsOf(plain(table), rows(table).values(), ask) as never,
    page: async (table, ask) => pageOf(plain(table), rows(table).values(), ask) as never,
    stamp: async (name) => state.stamps.get(name) ?? 0,

    insertMissing: async (table, records) => {
      const { spec } = plain(table);
      assert(records.length <= INSERT_RECORDS_MAX, `insertMissing: ${records.length} records`);
      assert(Object.keys(spec.unique ?? {}).length === 0, `table ${table.name} has unique values`);
      for (const record of records) assertDue(plain(table), record as PlainRecord);
      for (const record of records) {
        if (rowAt(table, record) === undefined) save(table, placed(record));
      }
    },
    saveWork: async (table, ask) => work(table, ask.key, ask),
    touch: async (table, key, value) => {
      const row = rowAt(table, key);
      const { touch } = plain(table).spec;
      assert(touch !== undefined, `table ${table.name} is not touched`);
      if (row === undefined || Number(row.record[touch] ?? -1) >= value) return;
      save(table, { ...row, record: { ...row.record, [touch]: value } });
    },

    lanes: async (table, { after, limit, now }) => {
      assert(limit >= 1 && limit <= PAGE_RECORDS_MAX, `lanes: ${limit}`);
      return lanesOf(plain(table), rows(table).values(), now)
        .filter((lane) => after === undefined || compareTuples(lane, after) > 0)
        .slice(0, limit);
    },
    lease: async (table, { holder, limit, ...ask }) => {
      assert(limit >= 1 && limit <= LEASE_ROWS_MAX, `lease: ${limit} rows`);
      return waitingIn(plain(table), rows(table).values(), ask)
        .slice(0, limit)
        .map((row) => leasedOf(save(table, taken(row, holder))) as never);
    },
    claim: async (table, { holder, key }) => {
      const row = rowAt(table, key);
      if (row === undefined || !mayBeTaken(plain(table), row)) return undefined;
      return leasedOf(save(table, taken(row, holder))) as never;
    },
    takeOver: async (table, { holder, key, seen }) => {
      const row = rowAt(table, key);
      if (row === undefined || !isClaimed(row, seen) || row.beat !== seen.beat) return undefined;
      return leasedOf(save(table, taken(row, holder))) as never;
    },
    held: async (table, { after, limit }) => {
      assert(limit >= 1 && limit <= PAGE_RECORDS_MAX, `held: ${limit}`);
      const isBehind = (row: Row) =>
        after === undefined || compareTuples(keyOf(plain(table), row.record), after) > 0;
      return inKeyOrder(table)
        .filter((row) => row.holder !== undefined && isBehind(row))
        .slice(0, limit)
        .map((row) => leasedOf(row) as never);
    },
    renew: async (table, ask) =>
      work(table, ask.key, { ...ask, next: (row) => ({ ...row, beat: row.beat + 1 }) }),
    giveBack: async (table, ask) => work(table, ask.key, { ...ask, next: (row) => free(row, ask) }),

    purge: async (table, now) => {
      const past = inKeyOrder(table).filter((row) => isPast(plain(table), row.record, now));
      for (const { record } of past.slice(0, PAGE_RECORDS_MAX))
        rows(table).delete(keyText(plain(table), record));
      return Math.min(past.length, PAGE_RECORDS_MAX);
    },
  };

  return {
    apply: (chainId, changes) => {
      const applied = applyChanges(state, chainId, changes);
      if (applied.kind === 'stale') return applied.changeIndex;
      state = applied.state;
      return undefined;
    },
    records: (table) => inKeyOrder(table).map((row) => recordOf(row) as never),
    seed: (table, ...records) => {
      for (const record of records) save(table, placed(record));
    },
    tables,
  };
}

/** A copy, so that nothing that a caller does to it reaches the row. */
function recordOf<R>(row: Row | undefined): R | undefined {
  return row && (jsonOf(row.record) as unknown as R);
}

function free(
  { holder: _, ...row }: Row,
  { hasGotOn, isTried }: { readonly hasGotOn?: true; readonly isTried: boolean },
): Row {
  const tries = isTried ? row.tries : row.tries - 1;
  return { ...row, tries: hasGotOn ? 0 : tries };
}

function isPast(table: PlainTable, record: PlainRecord, now: number): boolean {
  const { kept } = table.spec;
  assert(kept !== undefined, `table ${table.name} is kept for ever`);
  const from = record[kept.from];
  const isHeld = kept.unless !== undefined && fieldOf(table, record, kept.unless) === true;
  return typeof from === 'number' && from + kept.ms <= now && !isHeld;
}
