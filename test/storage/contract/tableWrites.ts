/** Tables: what each kind of write promises, inside commits. */
import { describe, expect, test } from 'vitest';
import { writesOf } from '#core/kernel';
import type { PlainRecord } from '../modelRows.ts';
import { sampleEnd, sampleKey, sampleNext, sampleRecord, type TableCase } from './sampleRecord.ts';
import { chainOf, type Twins } from './twins.ts';

export function tableWritesContract(twins: () => Twins, of: TableCase): void {
  const { spec, table } = of;
  const writes = writesOf(spec);
  if (writes === 'versioned') versionedContract(twins, of);
  if (writes === 'once') onceContract(twins, of);
  if (writes === 'appendOnly' || writes === 'once') insertedOnceContract(twins, of);
  if (writes === 'rows') rowsContract(twins, of);
  else groupContract(twins, of);
  if (spec.open !== undefined && writes === 'versioned') endContract(twins, of);
  if (spec.owner !== undefined && !spec.key.includes(spec.owner)) ownerContract(twins, of);

  test('a write that the declaration does not know is refused', async () => {
    const sample = twins().sample();
    const record = sampleRecord(of, 1, sample);
    const key = sampleKey(of, 1, sample);
    const version = { record: { ...record, version: 1 }, table: of.name };
    const all = {
      append: table.append(record),
      expect: table.expect(key, {}),
      insert: { ...version, op: 'insert' },
      put: table.put({ ...record, version: 2 }, writes === 'once' ? undefined : 1),
      remove: table.remove(key, 1),
    } as const;
    for (const op of REFUSED[writes])
      expect(await twins().commit(chainOf(of, sample), [all[op]])).toBe('refused');
    expect(await twins().tables.find(table, key)).toBeUndefined();
  });

  test('a record in a chain that is not its own is refused, with all of its commit', async () => {
    const [sample, other] = [twins().sample(), twins().sample()];
    const write = (n: number, whose = sample) => {
      const record = sampleRecord(of, n, whose);
      return writes === 'rows' ? table.append(record) : table.insert(record);
    };
    const elsewhere = spec.chain === 'platform' ? sample.tenant : chainOf(of, other);
    const expected = spec.chain === 'any' ? 'appended' : 'refused';
    expect(await twins().commit(elsewhere, [write(1)])).toBe(expected);
    if (spec.chain === 'any' || spec.chain === 'platform') return;
    const both = [write(2), write(3, other)];
    expect(await twins().commit(chainOf(of, sample), both)).toBe('refused');
    const found = await twins().tables.find(table, sampleKey(of, 2, sample));
    expect(found).toBeUndefined();
  });
}

const REFUSED = {
  appendOnly: ['append', 'put', 'remove'],
  once: ['append', 'remove'],
  rows: ['insert', 'put', 'remove'],
  versioned: ['append'],
} as const;

function versionedContract(twins: () => Twins, of: TableCase): void {
  const { table } = of;

  test('a record is inserted once, put by its version, and removed by it', async () => {
    const sample = twins().sample();
    const commit = (...changes: Parameters<Twins['commit']>[1]) =>
      twins().commit(chainOf(of, sample), changes);
    const first = sampleRecord(of, 1, sample);
    const second = sampleNext(of, first, 2, sample);
    const key = sampleKey(of, 1, sample);
    const read = () => twins().tables.find(table, key);

    expect(await commit(table.put(second, 1))).toBe(0);
    expect(await commit(table.put(first, 0))).toBe('appended');
    expect(await read()).toStrictEqual(first);
    expect(await commit(table.insert(sampleNext(of, first, 3, sample)))).toBe(0);
    expect(await commit(table.put(second, 1))).toBe('appended');
    expect(await commit(table.put(second, 1))).toBe(0);
    expect(await commit(table.put({ ...second, version: 8 }, 7))).toBe(0);
    expect(await commit(table.put(second, 2))).toBe('refused');
    expect(await commit(table.remove(key, 1))).toBe(0);
    expect(await read()).toMatchObject({ version: 2 });
    expect(await commit(table.remove(key, 2))).toBe('appended');
    expect(await read()).toBeUndefined();
    expect(await commit(table.remove(key, 2))).toBe(0);
    expect(await commit(table.insert(first))).toBe('appended');
  });

  test('a version that a commit expects is held, and nothing of it is changed', async () => {
    const sample = twins().sample();
    const chain = chainOf(of, sample);
    const record = sampleRecord(of, 1, sample);
    const key = sampleKey(of, 1, sample);
    const expecting = (version: number) => twins().commit(chain, [table.expect(key, { version })]);
    expect(await expecting(1)).toBe(0);
    await twins().commit(chain, [table.insert(record)]);
    expect(await expecting(1)).toBe('appended');
    expect(await expecting(2)).toBe(0);
    expect(await twins().commit(chain, [table.expect(key, {})])).toBe('appended');
    expect(await twins().tables.find(table, key)).toStrictEqual(record);
  });
}

function onceContract(twins: () => Twins, of: TableCase): void {
  const { table } = of;

  test('a put ends it, and there is no other', async () => {
    const sample = twins().sample();
    const commit = (record: PlainRecord) =>
      twins().commit(chainOf(of, sample), [table.put(record)]);
    const record = sampleRecord(of, 1, sample);
    const ended = sampleEnd(of, record);
    expect(await commit(ended)).toBe(0);
    await twins().commit(chainOf(of, sample), [table.insert(record)]);
    expect(await commit(ended)).toBe('appended');
    expect(await commit(ended)).toBe(0);
    const found = await twins().tables.find(table, sampleKey(of, 1, sample));
    expect(found).toMatchObject(of.end ?? {});
  });

  test('the same record put twice in one commit is stale, with nothing of it', async () => {
    const sample = twins().sample();
    const records = [1, 2].map((n) => sampleRecord(of, n, sample));
    await twins().commit(
      chainOf(of, sample),
      records.map((record) => table.insert(record)),
    );
    const puts = [0, 1, 0].map((index) => table.put(sampleEnd(of, records[index] ?? {})));
    expect(await twins().commit(chainOf(of, sample), puts)).toBe(2);
    const found = await twins().tables.find(table, sampleKey(of, 1, sample));
    expect(found).toStrictEqual(records[0]);
  });
}

function insertedOnceContract(twins: () => Twins, of: TableCase): void {
  test('its key is taken for ever', async () => {
    const sample = twins().sample();
    const record = sampleRecord(of, 1, sample);
    const another = sampleNext(of, record, 2, sample);
    const insert = (given: PlainRecord) =>
      twins().commit(chainOf(of, sample), [of.table.insert(given)]);
    expect(await insert(record)).toBe('appended');
    expect(await insert(another)).toBe(0);
    const found = await twins().tables.find(of.table, sampleKey(of, 1, sample));
    expect(found).toStrictEqual(record);
  });
}

function rowsContract(twins: () => Twins, of: TableCase): void {
  test('a row that is appended again is this very row', async () => {
    const sample = twins().sample();
    const rows = [1, 2, 3].map((n) => of.table.append(sampleRecord(of, n, sample)));
    expect(await twins().commit(chainOf(of, sample), [...rows, ...rows])).toBe('appended');
    expect(await twins().commit(chainOf(of, sample), rows)).toBe('appended');
    const keys = [1, 2, 3, 4].map((n) => sampleKey(of, n, sample));
    expect(await twins().tables.findMany(of.table, keys)).toHaveLength(3);
  });
}

function groupContract(twins: () => Twins, of: TableCase): void {
  const { spec, table } = of;

  test('a stale change leaves nothing of those before and behind it', async () => {
    const sample = twins().sample();
    const [one, two, three] = [1, 2, 3].map((n) => table.insert(sampleRecord(of, n, sample)));
    const chain = chainOf(of, sample);
    if (one === undefined || two === undefined || three === undefined) return;
    expect(await twins().commit(chain, [two])).toBe('appended');
    expect(await twins().commit(chain, [one, two, three])).toBe(1);
    expect(await twins().commit(chain, [one, three, one])).toBe(2);
    const keys = [1, 2, 3].map((n) => sampleKey(of, n, sample));
    expect(await twins().tables.findMany(table, keys)).toHaveLength(1);
  });

  test.runIf(writesOf(spec) === 'versioned')('each change sees those before it', async () => {
    const sample = twins().sample();
    const first = sampleRecord(of, 1, sample);
    const key = sampleKey(of, 1, sample);
    const outcome = await twins().commit(chainOf(of, sample), [
      table.insert(first),
      table.put(sampleNext(of, first, 2, sample), 1),
      table.expect(key, { version: 2 }),
      table.remove(key, 2),
      table.insert(first),
    ]);
    expect(outcome).toBe('appended');
    expect(await twins().tables.find(table, key)).toStrictEqual(first);
  });
}

function endContract(twins: () => Twins, of: TableCase): void {
  const { table } = of;
  test('a record that has ended takes no put and no remove', async () => {
    const sample = twins().sample();
    const chain = chainOf(of, sample);
    const first = sampleRecord(of, 1, sample);
    const ended = sampleEnd(of, first);
    const key = sampleKey(of, 1, sample);
    await twins().commit(chain, [table.insert(first)]);
    expect(await twins().commit(chain, [table.put(ended, 1)])).toBe('appended');
    expect(await twins().commit(chain, [table.put({ ...ended, version: 3 }, 2)])).toBe(0);
    expect(await twins().commit(chain, [table.put({ ...first, version: 3 }, 2)])).toBe(0);
    expect(await twins().commit(chain, [table.remove(key, 2)])).toBe(0);
    expect(await twins().commit(chain, [table.expect(key, { version: 2 })])).toBe('appended');
    expect(await twins().tables.find(table, key)).toMatchObject({ version: 2 });
  });
}

function ownerContract(twins: () => Twins, of: TableCase): void {
  const { spec, table } = of;
  test('another tenant’s record is not there for this one', async () => {
    const [sample, thief] = [twins().sample(), twins().sample()];
    const record = sampleRecord(of, 1, sample);
    const key = sampleKey(of, 1, sample);
    await twins().commit(chainOf(of, sample), [table.insert(record)]);
    const stolen = { ...sampleNext(of, record, 2, sample), [spec.owner ?? '']: thief.tenant };
    const steal = (change: Parameters<Twins['commit']>[1][number]) =>
      twins().commit(chainOf(of, thief), [change]);
    const isVersioned = writesOf(spec) === 'versioned';
    expect(await steal(table.put(stolen, isVersioned ? 1 : undefined))).toBe(0);
    // Where any chain writes, a change without a record tells nothing of its owner.
    if (spec.chain !== 'any') {
      expect(await steal(table.expect(key, {}))).toBe(0);
      if (isVersioned) expect(await steal(table.remove(key, 1))).toBe(0);
    }
    expect(await twins().tables.find(table, key)).toStrictEqual(record);
  });
}

/** Facts about every table at once. */
export function tableKeysContract(twins: () => Twins, of: TableCase): void {
  describe('a key that is not there', () => {
    test('is an answer, one by one and among others', async () => {
      const sample = twins().sample();
      const keys = [1, 2].map((n) => sampleKey(of, n, sample));
      expect(await twins().tables.findMany(of.table, keys)).toEqual([]);
      expect(await twins().tables.findMany(of.table, [])).toEqual([]);
      expect(await twins().tables.find(of.table, sampleKey(of, 1, sample))).toBeUndefined();
    });
  });
}
