/** Pages of every shape, from their first record to their last, as the model has them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageAsk, PageCursor, Scalar } from '#core/kernel';
import { sampleRecord } from '../contract/sampleRecord.ts';
import { SYNTHETIC } from '../contract/syntheticTables.ts';
import { openTablesBy } from '../contract/tablesStore.ts';
import type { TablesHarness, TablesStore } from '../contract/twins.ts';
import { createModelTables } from '../modelTables.ts';
import { makeSqliteHarness } from './harness.ts';

const NOTES = SYNTHETIC[0];
if (NOTES?.name !== 'synthetic_note') throw new Error('notes come first');
const { spec, table } = NOTES;
const TENANTS = ['a', 'é', '\u{1F600}'];
const RECORDS = TENANTS.flatMap((tenant, index) =>
  Array.from({ length: 15 }, (_, n) => sampleRecord(NOTES, n, { salt: `${index}`, tenant })),
);

const model = createModelTables([table]);
let harness: TablesHarness;
let store: TablesStore;
beforeAll(async () => {
  harness = await openTablesBy(makeSqliteHarness)([table]);
  store = await harness.open();
  await store.tables.insertMissing(table, RECORDS);
  model.seed(table, ...RECORDS);
});
afterAll(async () => {
  await store.close();
  await harness.dispose();
});

/** Values that records have in a field. */
const valuesOf = (field: string): Scalar[] =>
  field in (spec.derived ?? {})
    ? [true]
    : [...new Set(RECORDS.map((record) => record[field] as Scalar))].filter(
        (value) => value !== undefined,
      );

/** Each prefix of an index, alone and with `in` and ranges of what follows. */
function asksOf(index: string, fields: readonly string[]): Omit<PageAsk, 'limit'>[] {
  return [...fields, undefined].flatMap((next, count) => {
    const equal = Object.fromEntries(
      fields.slice(0, count).map((field) => [field, valuesOf(field)[0] ?? '']),
    );
    const plain = { equal, index };
    if (next === undefined || next in (spec.derived ?? {})) return [plain];
    const values = valuesOf(next);
    const [low = '', high = ''] = [values[1], values.at(-1)];
    const behind = fields[count + 1];
    const among = { ...plain, in: { field: next, values: values.slice(0, 3) } };
    const from =
      behind === undefined || behind in (spec.derived ?? {})
        ? {}
        : { from: valuesOf(behind)[1] ?? '' };
    return [plain, { ...plain, from: low }, { ...plain, to: high }, among, { ...among, ...from }];
  });
}

test.each(['key', ...Object.keys(spec.indexes ?? {})])('index %s', async (index) => {
  const fields = index === 'key' ? spec.key : (spec.indexes?.[index] ?? []);
  for (const ask of asksOf(index, fields)) {
    for (const direction of ['ascending', 'descending'] as const) {
      const whole = await model.tables.page(table, { ...ask, direction, limit: 1_000 });
      const found: unknown[] = [];
      let after: PageCursor | undefined;
      do {
        const more = after === undefined ? {} : { after };
        const page = await store.tables.page(table, { ...ask, ...more, direction, limit: 4 });
        found.push(...page.records);
        after = page.next;
      } while (after !== undefined);
      expect(found, JSON.stringify({ ...ask, direction })).toStrictEqual(whole.records);
    }
  }
});

test.each(['ascending', 'descending'] as const)(
  'a cursor beside a bound, %s',
  async (direction) => {
    const plain = { direction, equal: { tenantId: 'a' }, index: 'newest' } as const;
    const times = valuesOf('createdAt');
    const { records } = await model.tables.page(table, { ...plain, limit: 99 });
    // A cursor needs no record, and may stand before the bound, at it and behind it.
    const cursors = records.map(
      ({ createdAt, noteId }) => [createdAt, 'a', `${noteId}.`] as Scalar[],
    );
    for (const after of cursors) {
      for (const bound of times) {
        for (const range of [{ from: bound }, { to: bound }, { from: bound, to: 1_004 }]) {
          const ask = { ...plain, ...range, after, limit: 5 };
          const page = await store.tables.page(table, ask);
          expect(page, JSON.stringify(ask)).toStrictEqual(await model.tables.page(table, ask));
        }
      }
    }
  },
);
