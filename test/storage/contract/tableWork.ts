/** Tables: what is written outside commits, and what commits leave alone of it. */
import { describe, expect, test } from 'vitest';
import { writesOf } from '#core/kernel';
import type { PlainRecord } from '../modelRows.ts';
import { sampleEnd, sampleKey, sampleNext, sampleRecord, type TableCase } from './sampleRecord.ts';
import { chainOf, type Twins } from './twins.ts';

export function tableWorkContract(twins: () => Twins, of: TableCase): void {
  const { spec } = of;
  const isWritten = writesOf(spec) === 'versioned' || writesOf(spec) === 'once';
  const hasUnique = Object.keys(spec.unique ?? {}).length > 0;
  if (isWritten && (spec.work ?? []).length > 0) workContract(twins, of);
  if (spec.touch !== undefined) touchContract(twins, of, spec.touch);
  if (hasUnique) refusedMissingContract(twins, of);
  else if (!spec.isPlaced) {
    insertMissingContract(twins, of);
    if (writesOf(spec) === 'versioned') removedMissingContract(twins, of);
  }
}

function workContract(twins: () => Twins, of: TableCase): void {
  const { spec, table } = of;
  const fields = spec.work ?? [];
  const made = (label: number | undefined): PlainRecord =>
    Object.fromEntries(
      fields.map((field) => [field, field === spec.leased?.due ? label : label && [label, 'é']]),
    );
  const due = spec.leased?.due;
  const without = (record: PlainRecord) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !fields.includes(name)));
  /** As without, but due: no record is inserted that never is. */
  const bare = (record: PlainRecord) => ({
    ...without(record),
    ...(due !== undefined && { [due]: record[due] }),
  });
  const version = writesOf(spec) === 'versioned' ? 1 : undefined;

  describe('work', () => {
    test('is saved, taken away, and no version moves with it', async () => {
      const sample = twins().sample();
      const key = sampleKey(of, 1, sample);
      const save = (work: PlainRecord) => twins().tables.saveWork(table, { key, work });
      const record = bare(sampleRecord(of, 1, sample));
      expect(await save(made(1))).toBe(false);
      await twins().commit(chainOf(of, sample), [table.insert(record)]);
      expect(await save(made(1))).toBe(true);
      expect(await twins().tables.find(table, key)).toStrictEqual({ ...record, ...made(1) });
      expect(await save({})).toBe(true);
      expect(await save(made(2))).toBe(true);
      expect(await twins().tables.find(table, key)).toStrictEqual({ ...record, ...made(2) });
      expect(await save(made(undefined))).toBe(true);
      expect(await twins().tables.find(table, key)).toStrictEqual(without(record));
    });

    test('comes with the insert, and stays what it was in a put', async () => {
      const sample = twins().sample();
      const key = sampleKey(of, 1, sample);
      const record = { ...sampleRecord(of, 1, sample), ...made(1) };
      await twins().commit(chainOf(of, sample), [table.insert(record)]);
      expect(await twins().tables.find(table, key)).toStrictEqual(record);
      if (writesOf(spec) !== 'versioned') return;
      await twins().tables.saveWork(table, { key, work: made(2) });
      const next = { ...sampleNext(of, record, 2, sample), ...made(3) };
      await twins().commit(chainOf(of, sample), [table.put(next, 1)]);
      expect(await twins().tables.find(table, key)).toStrictEqual({ ...next, ...made(2) });
      const last = { ...sampleNext(of, next, 3, sample), ...made(undefined) };
      await twins().commit(chainOf(of, sample), [table.put(last, 2)]);
      expect(await twins().tables.find(table, key)).toStrictEqual({ ...without(last), ...made(2) });
    });

    test.runIf(spec.open !== undefined)('is as the end says, and saved no more', async () => {
      const sample = twins().sample();
      const key = sampleKey(of, 1, sample);
      const record = { ...sampleRecord(of, 1, sample), ...made(1) };
      const whole = { ...sampleEnd(of, record), ...made(3) };
      await twins().commit(chainOf(of, sample), [table.insert(record)]);
      await twins().tables.saveWork(table, { key, work: made(2) });
      await twins().commit(chainOf(of, sample), [table.put(whole, version, { work: fields })]);
      expect(await twins().tables.find(table, key)).toStrictEqual(whole);
      expect(await twins().tables.saveWork(table, { key, work: made(4) })).toBe(false);
      expect(await twins().tables.find(table, key)).toStrictEqual(whole);
    });

    test.runIf(spec.open !== undefined)('that the end names and leaves out is gone', async () => {
      const sample = twins().sample();
      const record = { ...sampleRecord(of, 1, sample), ...made(1) };
      const ended = without(sampleEnd(of, record));
      await twins().commit(chainOf(of, sample), [table.insert(record)]);
      await twins().commit(chainOf(of, sample), [table.put(ended, version, { work: fields })]);
      const found = await twins().tables.find(table, sampleKey(of, 1, sample));
      expect(found).toStrictEqual(ended);
    });

    test.runIf(spec.open !== undefined)(
      'that was saved after the read outlives the end',
      async () => {
        const sample = twins().sample();
        const key = sampleKey(of, 1, sample);
        const record = { ...sampleRecord(of, 1, sample), ...made(1) };
        await twins().commit(chainOf(of, sample), [table.insert(record)]);
        const read = (await twins().tables.find(table, key)) ?? {};
        expect(await twins().tables.saveWork(table, { key, work: made(2) })).toBe(true);
        const [named = '', ...others] = fields;
        const ends = table.put(sampleEnd(of, read), version, { work: [named] });
        expect(await twins().commit(chainOf(of, sample), [ends])).toBe('appended');
        const saved = Object.fromEntries(others.map((field) => [field, made(2)[field]]));
        const found = await twins().tables.find(table, key);
        expect(found).toStrictEqual({ ...sampleEnd(of, read), ...saved });
      },
    );

    test('is named by no put but the end', async () => {
      const sample = twins().sample();
      const record = { ...sampleRecord(of, 1, sample), ...made(1) };
      const next = writesOf(spec) === 'versioned' ? { ...record, version: 2 } : record;
      await twins().commit(chainOf(of, sample), [table.insert(record)]);
      const put = table.put(next, version, { work: fields });
      expect(await twins().commit(chainOf(of, sample), [put])).toBe('refused');
    });

    test.runIf(due !== undefined)('says when the row is due, from the insert on', async () => {
      const sample = twins().sample();
      const never = without(sampleRecord(of, 1, sample));
      expect(await twins().commit(chainOf(of, sample), [table.insert(never)])).toBe('refused');
      await expect(twins().tables.insertMissing(table, [never])).rejects.toThrow();
      if (spec.open === undefined) return;
      const ended = { ...sampleEnd(of, never), version: 1 };
      expect(await twins().commit(chainOf(of, sample), [table.insert(ended)])).toBe('appended');
    });

    test('a member that is none of it is refused', async () => {
      const sample = twins().sample();
      const key = sampleKey(of, 1, sample);
      await twins().commit(chainOf(of, sample), [table.insert(sampleRecord(of, 1, sample))]);
      const work = { [spec.key[0] ?? '']: 'another' };
      await expect(twins().tables.saveWork(table, { key, work })).rejects.toThrow();
    });
  });
}

function touchContract(twins: () => Twins, of: TableCase, touch: string): void {
  test('a touch moves on and never back, whatever is put meanwhile', async () => {
    const { table } = of;
    const sample = twins().sample();
    const key = sampleKey(of, 1, sample);
    const record = sampleRecord(of, 1, sample);
    const touched = async (value: number) => {
      await twins().tables.touch(table, key, value);
      return (await twins().tables.find(table, key)) as PlainRecord | undefined;
    };
    expect(await touched(5)).toBeUndefined();
    await twins().commit(chainOf(of, sample), [table.insert(record)]);
    expect(await touched(5)).toStrictEqual({ ...record, [touch]: 5 });
    expect(await touched(4)).toMatchObject({ [touch]: 5 });
    expect(await touched(9)).toMatchObject({ [touch]: 9 });
    const next = sampleNext(of, { ...record, [touch]: 5 }, 2, sample);
    expect(await twins().commit(chainOf(of, sample), [table.put(next, 1)])).toBe('appended');
    expect(await twins().tables.find(table, key)).toStrictEqual({ ...next, [touch]: 9 });
  });
}

function insertMissingContract(twins: () => Twins, of: TableCase): void {
  test('missing records are inserted, and those that are there stay as they are', async () => {
    const { table } = of;
    const sample = twins().sample();
    const isVersioned = writesOf(of.spec) === 'versioned';
    const records = [1, 2, 3].map((n) => sampleRecord(of, n, sample));
    const others = [1, 2, 3, 4].map((n) => {
      const another = sampleNext(of, sampleRecord(of, n, sample), n + 10, sample);
      return isVersioned ? { ...another, version: 1 } : another;
    });
    const keys = [1, 2, 3, 4].map((n) => sampleKey(of, n, sample));
    await twins().tables.insertMissing(table, []);
    await twins().tables.insertMissing(table, records);
    if (isVersioned) {
      const next = table.put(sampleNext(of, records[0] ?? {}, 5, sample), 1);
      expect(await twins().commit(chainOf(of, sample), [next])).toBe('appended');
    }
    const before = await twins().tables.findMany(table, keys);
    expect(before).toHaveLength(3);
    await twins().tables.insertMissing(table, others);
    const found = await twins().tables.findMany(table, keys);
    expect(found).toHaveLength(4);
    expect(found).toEqual(expect.arrayContaining([...before]));
    await twins().tables.insertMissing(table, others);
    expect(await twins().tables.findMany(table, keys)).toHaveLength(4);
    const record = sampleRecord(of, 4, sample);
    // A row under its key is this very row; of others there is one.
    const isRow = writesOf(of.spec) === 'rows';
    const again = [isRow ? table.append(record) : table.insert(record)];
    expect(await twins().commit(chainOf(of, sample), again)).toBe(isRow ? 'appended' : 0);
  });
}

function removedMissingContract(twins: () => Twins, of: TableCase): void {
  test('a record that was removed is missing, and goes on as a new one', async () => {
    const { table } = of;
    const sample = twins().sample();
    const chain = chainOf(of, sample);
    const key = sampleKey(of, 1, sample);
    const record = sampleRecord(of, 1, sample);
    const again: PlainRecord = { ...sampleNext(of, record, 2, sample), version: 1 };
    const gone = [table.insert(record), table.remove(key, 1)];
    expect(await twins().commit(chain, gone)).toBe('appended');
    await twins().tables.insertMissing(table, [again, sampleRecord(of, 3, sample)]);
    expect(await twins().tables.find(table, key)).toStrictEqual(again);
    const next = sampleNext(of, again, 4, sample);
    expect(await twins().commit(chain, [table.put(next, 1)])).toBe('appended');
    expect(await twins().commit(chain, [table.remove(key, 2)])).toBe('appended');
    expect(await twins().tables.find(table, key)).toBeUndefined();
  });
}

function refusedMissingContract(twins: () => Twins, of: TableCase): void {
  test('records are not inserted outside commits', async () => {
    const record = sampleRecord(of, 1, twins().sample());
    await expect(twins().tables.insertMissing(of.table, [record])).rejects.toThrow();
  });
}
