/** Tables: values that no two records share, always or while a derived field holds. */
import { describe, expect, test } from 'vitest';
import { isDerived, type Scalar, writesOf } from '#core/kernel';
import { type PlainRecord, valuesOf } from '../modelRows.ts';
import {
  type SampleOf,
  sampleEnd,
  sampleNext,
  sampleRecord,
  type TableCase,
} from './sampleRecord.ts';
import { chainOf, type Twins } from './twins.ts';

export function tableUniqueContract(twins: () => Twins, of: TableCase): void {
  for (const [name, fields] of Object.entries(of.spec.unique ?? {})) {
    describe(`unique ${name}`, () => {
      takenContract(twins, of, { fields, name });
      const whileName = fields.find((field) => of.spec.derived?.[field] !== undefined);
      if (writesOf(of.spec) !== 'versioned') return;
      if (whileName === undefined) releasedContract(twins, of, { fields, name });
      else if (whileName === of.spec.open) endedContract(twins, of, { fields, name });
      else whileContract(twins, of, { fields, name, whileName });
    });
  }
}

interface Unique {
  readonly name: string;
  readonly fields: readonly string[];
}

/** A record that holds the unique values, and others with the values of a given one. */
function makers(of: TableCase, { fields }: Unique, sample: SampleOf) {
  const holds = (n: number) => valuesOf(of, sampleRecord(of, n, sample), fields) !== undefined;
  const first = [1, 2, 3, 4, 5, 6].find(holds) ?? 1;
  const own = [...fields, ...fields.flatMap((field) => of.spec.derived?.[field]?.field ?? [])];
  const twin = (n: number, record: PlainRecord): PlainRecord => ({
    ...sampleRecord(of, n, sample),
    ...Object.fromEntries(own.flatMap((name) => (name in record ? [[name, record[name]]] : []))),
  });
  return { record: sampleRecord(of, first, sample), twin };
}

const valuesFor = (of: TableCase, { fields }: Unique, record: PlainRecord) => {
  const values = valuesOf(of, record, fields) ?? [];
  const isHeld = (field: string) => of.spec.derived?.[field] !== undefined;
  return Object.fromEntries(
    fields.map((field, index) => [field, isHeld(field) || (values[index] ?? '')]),
  );
};

function takenContract(twins: () => Twins, of: TableCase, unique: Unique): void {
  test('values that are taken are stale, in one commit and in two', async () => {
    const sample = twins().sample();
    const { record, twin } = makers(of, unique, sample);
    const insert = (...records: PlainRecord[]) =>
      twins().commit(
        chainOf(of, sample),
        records.map((one) => of.table.insert(one)),
      );
    expect(await insert(record, twin(30, record))).toBe(1);
    expect(await insert(record)).toBe('appended');
    expect(await insert(twin(31, record))).toBe(0);
    const found = (values: Readonly<Record<string, Scalar>>) =>
      twins().tables.findUnique(of.table, unique.name, values);
    expect(await found(valuesFor(of, unique, record))).toStrictEqual(record);
    const plain = unique.fields.filter((field) => of.spec.derived?.[field] === undefined);
    const given = Object.entries(valuesFor(of, unique, record));
    const without = (left: (field: string) => boolean) =>
      Object.fromEntries(given.filter(([field]) => !left(field)));
    expect(await found(without((field) => !plain.includes(field)))).toStrictEqual(record);
    await expect(found(without((field) => field === plain[0]))).rejects.toThrow();
    for (const field of unique.fields.filter((one) => !plain.includes(one)))
      await expect(found({ ...Object.fromEntries(given), [field]: false })).rejects.toThrow();
    const other = sampleRecord(of, 40, twins().sample());
    expect(await found(valuesFor(of, unique, { ...record, ...other }))).toBeUndefined();
  });
}

function releasedContract(twins: () => Twins, of: TableCase, unique: Unique): void {
  const { table } = of;
  test('values are released, then taken; not the other way round', async () => {
    const sample = twins().sample();
    const chain = chainOf(of, sample);
    const { record, twin } = makers(of, unique, sample);
    const moved = sampleNext(of, record, 50, sample);
    const taker = twin(30, record);
    await twins().commit(chain, [table.insert(record)]);
    expect(await twins().commit(chain, [table.insert(taker), table.put(moved, 1)])).toBe(0);
    const both = await twins().commit(chain, [table.put(moved, 1), table.insert(taker)]);
    expect(both).toBe('appended');
    const values = valuesFor(of, unique, record);
    expect(await twins().tables.findUnique(table, unique.name, values)).toStrictEqual(taker);
    const back = { ...record, version: 3 };
    expect(await twins().commit(chain, [table.put(back, 2)])).toBe(0);
    const removed = table.remove(taker as never, 1);
    expect(await twins().commit(chain, [removed, table.put(back, 2)])).toBe('appended');
    expect(await twins().tables.findUnique(table, unique.name, values)).toStrictEqual(back);
  });

  test('a put that keeps its values takes them from nobody', async () => {
    const sample = twins().sample();
    const { record } = makers(of, unique, sample);
    await twins().commit(chainOf(of, sample), [table.insert(record)]);
    const next = table.put({ ...record, version: 2 }, 1);
    expect(await twins().commit(chainOf(of, sample), [next])).toBe('appended');
  });
}

function endedContract(twins: () => Twins, of: TableCase, unique: Unique): void {
  const { table } = of;
  test('a record that has ended holds its values no more', async () => {
    const sample = twins().sample();
    const chain = chainOf(of, sample);
    const { record, twin } = makers(of, unique, sample);
    await twins().commit(chain, [table.insert(record)]);
    const end = table.put(sampleEnd(of, record), 1);
    expect(await twins().commit(chain, [table.insert(twin(30, record)), end])).toBe(0);
    expect(await twins().commit(chain, [end, table.insert(twin(30, record))])).toBe('appended');
    expect(await twins().commit(chain, [table.insert(twin(31, record))])).toBe(0);
  });
}

function whileContract(
  twins: () => Twins,
  of: TableCase,
  unique: Unique & { readonly whileName: string },
): void {
  const { spec, table } = of;
  const derived = spec.derived?.[unique.whileName] ?? { field: '' };

  test('one at a time while it holds, and any number while it does not', async () => {
    const sample = twins().sample();
    const chain = chainOf(of, sample);
    const { record, twin } = makers(of, unique, sample);
    const without = (one: PlainRecord) => ({ ...one, [derived.field]: outside(of, derived.field) });
    const [second, third] = [twin(30, record), twin(31, record)];
    const others = [table.insert(without(second)), table.insert(without(third))];
    expect(await twins().commit(chain, [table.insert(record), ...others])).toBe('appended');
    const hold = table.put({ ...second, version: 2 }, 1);
    const release = table.put({ ...without(record), version: 2 }, 1);
    expect(await twins().commit(chain, [hold])).toBe(0);
    expect(await twins().commit(chain, [hold, release])).toBe(0);
    expect(await twins().commit(chain, [release, hold])).toBe('appended');
    const values = valuesFor(of, unique, record);
    const found = await twins().tables.findUnique(table, unique.name, values);
    expect(found).toStrictEqual({ ...second, version: 2 });
  });
}

/** A value with which no derived field of this member holds. */
function outside({ fields = {}, spec }: TableCase, field: string): Scalar | undefined {
  const kind = fields[field];
  const values = typeof kind === 'object' ? kind : ['other'];
  const ofField = Object.values(spec.derived ?? {}).filter((derived) => derived.field === field);
  return values.find((value) => !ofField.some((derived) => isDerived(derived, { [field]: value })));
}
