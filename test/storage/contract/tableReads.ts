/** Tables: pages of every index, walked in both directions, and reads by keys. */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { PageAsk, PageCursor, Scalar } from '#core/kernel';
import { writesOf } from '#core/kernel';
import { fieldOf, keyOf, type PlainRecord } from '../modelRows.ts';
import { type SampleOf, sampleRecord, type TableCase } from './sampleRecord.ts';
import { chainOf, type Twins } from './twins.ts';

/** Records of the tenant whose pages are read; another has RECORDS_BESIDE. */
const RECORDS = 10;
const RECORDS_BESIDE = 3;
const DIRECTIONS = ['ascending', 'descending'] as const;

export function tableReadsContract(twins: () => Twins, of: TableCase, runs: number): void {
  const { spec, table } = of;
  const isRows = writesOf(spec) === 'rows';

  describe('reads', () => {
    let sample: SampleOf = { salt: '', tenant: '' };
    beforeAll(async () => {
      const put = async (count: number) => {
        const whose = twins().sample();
        const records = Array.from({ length: count }, (_, n) => sampleRecord(of, n, whose));
        const changes = records.map((one) => (isRows ? table.append(one) : table.insert(one)));
        // Two commits, so that places and keys are not in one order.
        const split = [changes.slice(count / 2), changes.slice(0, count / 2)];
        for (const part of split)
          expect(await twins().commit(chainOf(of, whose), part)).toBe('appended');
        return whose;
      };
      await put(RECORDS_BESIDE);
      sample = await put(RECORDS);
    });

    const records = () => Array.from({ length: RECORDS }, (_, n) => sampleRecord(of, n, sample));
    const keyIn = (record: PlainRecord) =>
      Object.fromEntries(spec.key.map((field) => [field, record[field] as Scalar]));

    test('records are found by key, one and many', async () => {
      for (const record of records().slice(0, 5))
        expect(await twins().tables.find(table, keyIn(record))).toStrictEqual(record);
      const keys = [...records(), ...records().slice(2)].map(keyIn);
      const absent = keyIn(sampleRecord(of, RECORDS + 30, sample));
      const found = await twins().tables.findMany(table, [absent, ...keys]);
      expect(found).toHaveLength(RECORDS);
      expect(found).toEqual(expect.arrayContaining(records()));
    });

    test('records by unique values are found', () => uniqueFound(twins(), of, records()));

    describe.each(indexesOf(of))('index %s', (index, fields) => {
      const equals = () => equalPrefixes(of, fields, records());

      test('walked by pages of 1, 2 and 7 it is the same as at once', async () => {
        for (const [at, equal] of equals().entries()) {
          for (const direction of DIRECTIONS) {
            const ask = { direction, equal, index };
            const all = await twins().tables.page(table, { ...ask, limit: 1_000 });
            expect(all.next).toBeUndefined();
            for (const limit of limitsOf(equal, at, direction))
              expect(await walk(twins(), of, { ...ask, limit })).toStrictEqual(all.records);
          }
        }
      });

      test('a range begins at its first value, and ends before its last', async () => {
        for (const equal of equals()) {
          const field = fields[Object.keys(equal).length];
          if (field === undefined || fieldOf(of, records()[0] ?? {}, field) === true) continue;
          const values = valuesIn(of, field, records());
          const [from, to] = [values[0], values.at(-1)];
          if (from === undefined || to === undefined) continue;
          const ask = { equal, index, limit: limitsOf(equal)[0] ?? 7 };
          await walk(twins(), of, { ...ask, direction: 'ascending', from });
          await walk(twins(), of, { ...ask, direction: 'descending', to });
          await walk(twins(), of, { ...ask, direction: 'ascending', from, to });
          await walk(twins(), of, { ...ask, direction: 'descending', from, to });
          const { records: none } = await twins().tables.page(table, { ...ask, from, to: from });
          expect(none).toEqual([]);
        }
      });

      test('several values of a field are merged into one order', async () => {
        for (const equal of equals()) {
          const field = fields[Object.keys(equal).length];
          if (field === undefined || index === 'key') continue;
          const values = valuesIn(of, field, records()).slice(0, 3);
          if (values.length < 2) continue;
          for (const direction of DIRECTIONS) {
            const ask = { direction, equal, in: { field, values }, index };
            const all = await twins().tables.page(table, { ...ask, limit: 1_000 });
            expect(all.records.length).toBeGreaterThan(0);
            for (const limit of limitsOf(equal))
              expect(await walk(twins(), of, { ...ask, limit })).toStrictEqual(all.records);
          }
        }
      });
    });

    test('whatever page is asked for, it is the right one', async () => {
      await fc.assert(
        fc.asyncProperty(anyAsk, async (asked) => {
          const { from, to, ...ask } = askOf(of, records(), asked);
          const { next } = await twins().tables.page(table, ask);
          const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
          // A cursor may stand outside of the range as well.
          await twins().tables.page(table, { ...ask, ...range, ...(next && { after: next }) });
        }),
        { numRuns: Math.ceil(runs / 2) },
      );
    });

    cursorContract(twins, of, () => sample);
    turnsContract(twins, of);
  });
}

/**
 * What a declaration alone can get wrong: each index leads to the records in its order, and each
 * unique value to its own.
 */
export function tableIndexesContract(twins: () => Twins, of: TableCase): void {
  const { spec, table } = of;

  test('each index, key and unique value leads to its records', async () => {
    const sample = twins().sample();
    const records = Array.from({ length: RECORDS }, (_, n) => sampleRecord(of, n, sample));
    const isRows = writesOf(spec) === 'rows';
    const changes = records.map((one) => (isRows ? table.append(one) : table.insert(one)));
    expect(await twins().commit(chainOf(of, sample), changes)).toBe('appended');
    for (const [index, fields] of indexesOf(of)) {
      const equal = equalPrefixes(of, fields, records).at(1) ?? {};
      for (const direction of DIRECTIONS)
        await walk(twins(), of, { direction, equal, index, limit: limitsOf(equal)[0] ?? 4 });
    }
    const keys = records.map((record) =>
      Object.fromEntries(spec.key.map((field) => [field, record[field] as Scalar])),
    );
    expect(await twins().tables.findMany(table, keys)).toHaveLength(RECORDS);
    await uniqueFound(twins(), of, records);
  });
}

async function uniqueFound(twins: Twins, of: TableCase, records: readonly PlainRecord[]) {
  for (const [name, fields] of Object.entries(of.spec.unique ?? {})) {
    for (const record of records) {
      const values = fields.map((field) => [field, fieldOf(of, record, field)] as const);
      if (values.some(([, value]) => value === undefined)) continue;
      const asked = Object.fromEntries(values) as Record<string, Scalar>;
      expect(await twins.tables.findUnique(of.table, name, asked)).toStrictEqual(record);
    }
  }
}

/** Every order that a page can be in, with the fields that `equal` may name. */
function indexesOf({ spec }: TableCase): [string, readonly string[]][] {
  const placed = spec.isPlaced ? { placed: [] } : {};
  return Object.entries({ key: spec.key, ...placed, ...spec.indexes });
}

const anyAsk = fc.record({
  equal: fc.nat({ max: 2 }),
  from: fc.option(fc.nat({ max: RECORDS - 1 })),
  in: fc.nat({ max: 3 }),
  index: fc.nat({ max: 7 }),
  isDescending: fc.boolean(),
  limit: fc.integer({ max: 5, min: 1 }),
  record: fc.nat({ max: RECORDS - 1 }),
  to: fc.option(fc.nat({ max: RECORDS - 1 })),
});
type AnyAsk = typeof anyAsk extends fc.Arbitrary<infer Asked> ? Asked : never;

/** The page that these numbers stand for: an index, and records whose values are asked for. */
function askOf(of: TableCase, records: readonly PlainRecord[], asked: AnyAsk): PageAsk {
  const indexes = indexesOf(of);
  const [index, fields] = indexes[asked.index % indexes.length] ?? ['key', of.spec.key];
  const valueAt = (at: number | null, field: string | undefined) =>
    at === null || field === undefined ? undefined : fieldOf(of, records[at] ?? {}, field);
  const equal: Record<string, Scalar> = {};
  for (const field of fields.slice(0, asked.equal)) {
    const value = valueAt(asked.record, field);
    if (value === undefined) break;
    equal[field] = value;
  }
  const count = Object.keys(equal).length;
  const [field, second] = fields.slice(count);
  const values = field === undefined ? [] : valuesIn(of, field, records).slice(0, asked.in);
  const hasIn = values.length > 0 && index !== 'key';
  const ranged = hasIn ? second : field;
  const isRanged = ranged !== undefined && of.spec.derived?.[ranged] === undefined;
  const [from, to] = isRanged ? [valueAt(asked.from, ranged), valueAt(asked.to, ranged)] : [];
  return {
    direction: asked.isDescending ? 'descending' : 'ascending',
    equal,
    index,
    limit: asked.limit,
    ...(hasIn && field !== undefined && { in: { field, values } }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

/** None, and each longer prefix with the values of two records. */
function equalPrefixes(
  of: TableCase,
  fields: readonly string[],
  records: readonly PlainRecord[],
): Readonly<Record<string, Scalar>>[] {
  const found = new Map<string, Record<string, Scalar>>([['', {}]]);
  for (const [at, record] of [records[0], records[5]].entries()) {
    for (const count of at === 0 ? fields.keys() : [fields.length - 1]) {
      const values = fields
        .slice(0, count + 1)
        .map((field) => [field, fieldOf(of, record ?? {}, field)]);
      if (values.some(([, value]) => value === undefined)) continue;
      found.set(JSON.stringify(values), Object.fromEntries(values) as Record<string, Scalar>);
    }
  }
  return [...found.values()];
}

/** All tenants' records grow with the tests: they are walked by large pages alone. */
function limitsOf(equal: object, at = 2, direction = 'ascending'): number[] {
  if (Object.keys(equal).length === 0) return [60];
  if (at > 1) return [4];
  return direction === 'ascending' ? [1, 7] : [2];
}

function valuesIn(of: TableCase, field: string, records: readonly PlainRecord[]): Scalar[] {
  const values = records.flatMap((record) => fieldOf(of, record, field) ?? []);
  return [...new Set(values)].filter((value) => typeof value !== 'boolean');
}

/** Page by page to the end: `next` is there exactly as long as there is more. */
async function walk(twins: Twins, of: TableCase, ask: PageAsk): Promise<PlainRecord[]> {
  const walked: PlainRecord[] = [];
  for (let after: PageCursor | undefined; ; ) {
    const page = await twins.tables.page(of.table, { ...ask, ...(after && { after }) });
    expect(page.records.length).toBeLessThanOrEqual(ask.limit);
    walked.push(...page.records);
    if (page.next === undefined) return walked;
    expect(page.records).toHaveLength(ask.limit);
    after = page.next;
  }
}

function cursorContract(twins: () => Twins, of: TableCase, sample: () => SampleOf): void {
  const { spec, table } = of;

  test('a page of no length, or longer than may be, is refused', async () => {
    for (const limit of [0, 1_001])
      await expect(twins().tables.page(table, { index: 'key', limit })).rejects.toThrow();
    const unknown = twins().tables.page(table, { index: 'nowhere', limit: 1 });
    await expect(unknown).rejects.toThrow();
  });

  test.runIf(writesOf(spec) === 'versioned')('a cursor outlives its record', async () => {
    const prefix = spec.key.length > 1 && spec.key[0] === spec.chain;
    const equal = prefix ? { [spec.chain]: sample().tenant } : {};
    for (const direction of DIRECTIONS) {
      const ask = { direction, equal, index: 'key', limit: 2 };
      const own = { ...sample() };
      const first = await twins().tables.page(table, ask);
      const gone = first.records.at(-1) ?? {};
      const chain = { ...own, tenant: String(gone[spec.chain] ?? own.tenant) };
      const key = Object.fromEntries(spec.key.map((field, at) => [field, keyOf(of, gone)[at]]));
      const removed = table.remove(key, Number(gone.version));
      if ((await twins().commit(chainOf(of, chain), [removed])) !== 'appended') continue;
      const after = first.next;
      await twins().tables.page(table, { ...ask, ...(after && { after }) });
      expect(await twins().commit(chainOf(of, chain), [table.insert(gone)])).toBe('appended');
    }
  });
}

/** Open work of tenants: no tenant's many hide another's few. */
function turnsContract(twins: () => Twins, of: TableCase): void {
  for (const [index, fields] of Object.entries(of.spec.indexes ?? {})) {
    const { chain, owner = chain } = of.spec;
    const at = fields.findIndex((field, n) => n > 0 && (field === chain || field === owner));
    const lane = fields[at];
    if (lane === undefined) continue;
    test(`by turns of ${lane} in ${index}: the first of each, then the second`, async () => {
      const equal = Object.fromEntries(fields.slice(0, at).map((field) => [field, true]));
      for (const limit of [1, 4, 100]) {
        const ask = { equal, index, lane, limit };
        const found = await twins().tables.inTurns(of.table, ask);
        const firsts = found.slice(0, new Set(found.map((record) => record[lane])).size);
        expect(new Set(firsts.map((record) => record[lane])).size).toBe(firsts.length);
      }
    });
  }
}
