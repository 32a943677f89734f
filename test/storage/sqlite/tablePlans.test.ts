/** Every statement over declared tables is one step into an index: none scans, and none sorts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AnyTable,
  type PageAsk,
  PLATFORM_CHAIN,
  type PlainTable,
  plainTable,
  type Scalar,
  type TableChange,
  writesOf,
} from '#core/kernel';
import { noCrashPoints } from '../../../src/storage/crashPoints.ts';
import { openDatabase } from '../../../src/storage/sqlite/connection.ts';
import { readOperations, writeOperations } from '../../../src/storage/sqlite/operations.ts';
import { tableChanges } from '../../../src/storage/sqlite/table/changes.ts';
import { layoutsOf } from '../../../src/storage/sqlite/table/layout.ts';
import { shapeOf } from '../../../src/storage/sqlite/table/pages.ts';
import { prepareOnce } from '../../../src/storage/sqlite/table/statements.ts';
import { createTestClock, TENANT_A } from '../contract/harness.ts';
import { OLD_TABLES } from '../contract/oldTables.ts';
import { TABLES } from '../contract/tables.ts';

/** Some of the old ones are declared by their slices. */
const ALL = new Map([...TABLES, ...OLD_TABLES].map((table: AnyTable) => [table.name, table]));
const PLAIN = [...ALL.values()].map(plainTable);
const layouts = layoutsOf(PLAIN);
let dataDir: string;
let database: DatabaseSync;
let asked: Set<string>;
let reader: ReturnType<typeof readOperations>;
let writer: ReturnType<typeof writeOperations>;
let changes: ReturnType<typeof tableChanges>;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'table-plans-'));
  database = openDatabase(join(dataDir, 'file.sqlite'), 'write', createTestClock(), PLAIN);
  asked = new Set();
  const prepare = (text: string) => {
    asked.add(text);
    return database.prepare(text);
  };
  const recorded = { exec: (text: string) => database.exec(text), prepare } as DatabaseSync;
  reader = readOperations(recorded, PLAIN);
  writer = writeOperations(recorded, noCrashPoints, PLAIN);
  changes = tableChanges(prepareOnce(recorded), layouts);
  asked.clear();
});
afterAll(async () => {
  database.close();
  await rm(dataDir, { recursive: true });
});

/** Statements that `ask` makes, with the plan of each. */
function plansOf(ask: () => void): string[] {
  asked.clear();
  ask();
  return [...asked].map((text) => {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    const plan = steps.map(({ detail }) => String(detail)).join('; ');
    return `${text.replace(/\s+/g, ' ')} → ${plan}`;
  });
}

/** A comparison of several columns at once. */
const VECTOR = /\) [<>] \(\?, /;
/** A scan of an index is in its order, up to the limit; one of the table itself never is. */
const SLOW = /TEMP B-TREE|SCAN \w+(;|$)|AUTOMATIC/;
const slow = (plans: readonly string[]) =>
  plans.filter((plan) => SLOW.test(plan) && !isWholeTable(plan));
/** All of a table that lies in the order of its key. */
const isWholeTable = (plan: string) => !/ WHERE | INDEXED |TEMP/.test(plan) && / LIMIT /.test(plan);

const scalarOf = (field: string): Scalar =>
  /(At|No|seq|ordinal|position)$/.test(field) ? 7 : TENANT_A;
/** With a value in every column; open, where there is an end. */
function recordOf({ name, spec }: PlainTable): Record<string, unknown> {
  const layout = layouts.get(name);
  const columns = [layout?.key, layout?.fields, layout?.generated].flatMap((part) => part ?? []);
  const plain = columns.filter(({ derived }) => derived === undefined);
  const derived = Object.values(spec.derived ?? {});
  return {
    ...Object.fromEntries(plain.map(({ field }) => [field, scalarOf(field)])),
    ...Object.fromEntries(derived.map(({ field, in: values }) => [field, values?.[0]])),
    version: 2,
  };
}
const keyOf = ({ spec }: PlainTable) =>
  Object.fromEntries(spec.key.map((field) => [field, scalarOf(field)]));

const chainOf = (name: string) =>
  layouts.get(name)?.spec.chain === 'platform' ? PLATFORM_CHAIN : TENANT_A;
/** What its table knows. */
const isTaken = (change: TableChange): boolean => {
  try {
    changes.check(change, chainOf(change.table));
    return true;
  } catch {
    return false;
  }
};

describe.each(PLAIN.map((table) => [table.name, table] as const))('%s', (name, table) => {
  const { spec } = table;
  const derived = Object.keys(spec.derived ?? {});
  const key = keyOf(table);

  test('a record is found by its key and by its unique values', () => {
    const plans = plansOf(() => {
      reader.tableFind(name, key);
      reader.tableFindMany(name, [key]);
      for (const [unique, fields] of Object.entries(spec.unique ?? {})) {
        const values = fields.map((field) => [
          field,
          derived.includes(field) ? true : scalarOf(field),
        ]);
        reader.tableFindUnique(name, { unique, values: Object.fromEntries(values) });
      }
    });
    expect(plans.length).toBeGreaterThan(0);
    expect(slow(plans)).toEqual([]);
    expect(plans.filter((plan) => / → SCAN/.test(plan))).toEqual([]);
  });

  test('a page of any shape seeks where it begins', () => {
    const asks = pagesOf(table);
    const plans = plansOf(() => {
      for (const ask of asks) reader.tablePage(name, ask);
    });
    expect(plans.length).toBeGreaterThan(3);
    expect(slow(plans)).toEqual([]);
    // A condition on values must be bound in the index, not checked row after row.
    const unsought = plans.filter(
      (plan) => /\?/.test(plan.split(' LIMIT ')[0] ?? '') && / → SCAN/.test(plan),
    );
    expect(unsought).toEqual([]);
    // A cursor of several values is sought by all of them; a place behind others by those alone.
    const cursors = plans.filter((plan) => !plan.includes('_placed"') && VECTOR.test(plan));
    const halfSought = cursors.filter((plan) => {
      const [text = '', steps = ''] = plan.split(' → ');
      return text.split(VECTOR).length !== steps.split(/\) ?[<>] ?\(\?,/).length;
    });
    expect(halfSought).toEqual([]);
  });

  test('a write looks at its own row', () => {
    const record = recordOf(table);
    const applied = (['insert', 'append', 'expect', 'put', 'remove'] as const).map((op) => {
      const given = op === 'remove' || op === 'expect' ? { key } : { record };
      const version = writesOf(spec) === 'versioned' && op !== 'insert' && { versionExpected: 2 };
      return { ...given, ...version, op, table: name };
    });
    database.exec('SAVEPOINT tried');
    const plans = plansOf(() => {
      for (const change of applied.filter(isTaken)) changes.apply(change, TENANT_A);
      if (spec.touch) writer.tableTouch(name, key, 7);
      if (spec.kept) writer.tablePurge(name, 7);
      if (spec.work) writer.tableSaveWork(name, { key, work: { [spec.work[0] ?? '']: 1 } });
    });
    database.exec('ROLLBACK TO tried; RELEASE tried');
    // Rows are appended, by one statement, and nothing else is done to them.
    expect(plans.length).toBeGreaterThan(writesOf(spec) === 'rows' ? 0 : 1);
    // The stamp of the old tables is the only row of its own.
    const steps = plans.filter((plan) => !plan.includes('publication_counter'));
    expect(slow(steps)).toEqual([]);
    expect(steps.filter((plan) => / → SCAN/.test(plan))).toEqual([]);
  });

  test.runIf(spec.leased)('a lease passes over nothing', () => {
    const lane = (spec.leased?.lane ?? []).map(scalarOf);
    const claim = { fence: 1, holder: 'w' };
    const plans = plansOf(() => {
      reader.tableLanes(name, { limit: 9, now: 7 });
      if (lane.length > 0) reader.tableLanes(name, { after: lane, limit: 9, now: 7 });
      reader.tableHeld(name, { limit: 9 });
      reader.tableHeld(name, { after: Object.values(key), limit: 9 });
      writer.tableLease(name, { holder: 'w', lane, limit: 9, now: 7 });
      writer.tableClaim(name, { holder: 'w', key });
      writer.tableTakeOver(name, { holder: 'w', key, seen: { ...claim, beat: 1, tries: 1 } });
      writer.tableRenew(name, { claim, key });
      writer.tableGiveBack(name, { claim, isTried: false, key });
    });
    expect(slow(plans)).toEqual([]);
    const waiting = plans.filter((plan) => plan.includes(`"${name}_lease"`));
    expect(waiting.length).toBeGreaterThan(1);
    for (const plan of waiting) expect(plan).toMatch(/INDEX \w+_lease/);
    // Whether an old row is open is told by columns that the index of lanes has not.
    const isOld = spec.stored !== undefined;
    if (!isOld) expect(waiting[0]).toContain(`COVERING INDEX ${name}_lease`);
  });
});

test('turns of open work sort the few that an index of these alone has', () => {
  const turns = [
    { ask: { equal: { isOpen: true }, index: 'open', lane: 'tenantId' }, name: 'batch' },
    { ask: { equal: { isOpen: true }, index: 'turns', lane: 'tenantId' }, name: 'synthetic_job' },
  ];
  for (const { ask, name } of turns) {
    const [plan = ''] = plansOf(() => reader.tableTurns(name, { ...ask, limit: 9 }));
    expect(plan).toContain(`${name} USING COVERING INDEX ${name}_${ask.index}`);
    expect(plan.match(/TEMP B-TREE/g)).toHaveLength(1);
    expect(plan).toMatch(/SEARCH stored USING INDEX \w+ \(\w+=\?\)/);
  }
});

/** Each prefix of each index, both ways, with and without cursor, range and `in`. */
function pagesOf(table: PlainTable): PageAsk[] {
  const { spec } = table;
  const layout = layouts.get(table.name);
  if (layout === undefined) throw new Error('no layout');
  const own = spec.isPlaced ? ['key', 'placed'] : ['key'];
  const sampleOf = (field: string): Scalar =>
    Object.keys(spec.derived ?? {}).includes(field) ? true : scalarOf(field);
  return [...new Set([...own, ...Object.keys(spec.indexes ?? {})])].flatMap((index) => {
    const fields = index === 'key' ? spec.key : (spec.indexes?.[index] ?? []);
    return fields
      .map((_, count) => count)
      .concat(fields.length)
      .flatMap((count) => {
        const equal = Object.fromEntries(
          fields.slice(0, count).map((field) => [field, sampleOf(field)]),
        );
        const next = fields[count];
        const isRanged = next !== undefined && sampleOf(next) !== true;
        const values = ['a', 'b', 'c'];
        const plain = { equal, index, limit: 9 };
        const asks: PageAsk[] = [
          plain,
          ...(isRanged
            ? [
                { ...plain, from: 1 },
                { ...plain, from: 1, to: 9 },
                { ...plain, to: 9 },
              ]
            : []),
          ...(isRanged ? [{ ...plain, in: { field: next, values } }] : []),
        ];
        const behind = asks.map((ask) => ({
          ...ask,
          after: shapeOf(layout, ask).positions.map(({ derived, field }) =>
            derived ? true : sampleOf(field),
          ),
        }));
        return [...asks, ...behind].flatMap((ask) => [
          ask,
          { ...ask, direction: 'descending' as const },
        ]);
      });
  });
}
