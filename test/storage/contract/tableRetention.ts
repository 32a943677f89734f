/** Tables: what goes when it is past its time, and numbers that tell that something changed. */
import { describe, expect, test } from 'vitest';
import { PAGE_RECORDS_MAX, writesOf } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { PlainRecord } from '../modelRows.ts';
import { sampleEnd, sampleKey, sampleNext, sampleRecord, type TableCase } from './sampleRecord.ts';
import { chainOf, type Twins } from './twins.ts';

export function tableRetentionContract(twins: () => Twins, of: TableCase): void {
  const { spec } = of;
  if (spec.kept !== undefined) keptContract(twins, of, spec.kept);
  if (spec.stamp !== undefined) stampContract(twins, of, spec.stamp);
}

/** Far from the samples of other tests, whose records go as well. */
const FROM = 5_000_000;

function keptContract(
  twins: () => Twins,
  of: TableCase,
  kept: { readonly from: string; readonly ms: number; readonly unless?: string },
): void {
  const { spec, table } = of;
  const now = (FROM + kept.ms) as EpochMs;
  const write = (record: PlainRecord) =>
    writesOf(spec) === 'rows' ? table.append(record) : table.insert(record);

  describe('retention', () => {
    test('records that are past their time go, and no others', async () => {
      const sample = twins().sample();
      const at = [FROM - 1, FROM, FROM + 1];
      const records = at.map((from, n) => ({ ...sampleRecord(of, n, sample), [kept.from]: from }));
      const isHeld = kept.unless !== undefined && kept.unless === spec.open;
      const past = isHeld ? records.map((record) => sampleEnd(of, record)) : records;
      const { [kept.from]: _, ...without } = past[0] ?? {};
      const lacking = { ...without, ...sampleRecord(of, 9, sample) };
      const isOptional = of.optional?.includes(kept.from) === true;
      const all = isOptional ? [...past, lacking] : past;
      expect(await twins().commit(chainOf(of, sample), all.map(write))).toBe('appended');
      expect(await twins().tables.purge(table, now)).toBeGreaterThanOrEqual(2);
      expect(await twins().tables.purge(table, now)).toBe(0);
      const keys = at.map((_, n) => sampleKey(of, n, sample));
      expect(await twins().tables.findMany(table, keys)).toStrictEqual(past.slice(2));
    });

    test.runIf(kept.unless !== undefined)('a record stays while it is held', async () => {
      const sample = twins().sample();
      const open = { ...sampleRecord(of, 1, sample), [kept.from]: FROM };
      await twins().commit(chainOf(of, sample), [write(open)]);
      await twins().tables.purge(table, now);
      const key = sampleKey(of, 1, sample);
      expect(await twins().tables.find(table, key)).toStrictEqual(open);
      const ended = table.put(sampleEnd(of, open), writesOf(spec) === 'versioned' ? 1 : undefined);
      await twins().commit(chainOf(of, sample), [ended]);
      expect(await twins().tables.purge(table, now)).toBe(1);
      expect(await twins().tables.find(table, key)).toBeUndefined();
    });
  });
}

/** One table for all: a thousand records more than cost most of a run's time. */
export function purgeStepsContract(twins: () => Twins, of: TableCase): void {
  test('a step takes a thousand records at the most', async () => {
    const sample = twins().sample();
    const kept = of.spec.kept ?? { from: '', ms: 0 };
    const records = Array.from({ length: PAGE_RECORDS_MAX + 3 }, (_, n) => ({
      ...sampleRecord(of, n, sample),
      [kept.from]: FROM,
    }));
    const now = (FROM + kept.ms) as EpochMs;
    while ((await twins().tables.purge(of.table, now)) > 0);
    await twins().tables.insertMissing(of.table, records.slice(0, PAGE_RECORDS_MAX));
    await twins().tables.insertMissing(of.table, records.slice(PAGE_RECORDS_MAX));
    await expect(twins().tables.insertMissing(of.table, records)).rejects.toThrow();
    expect(await twins().tables.purge(of.table, now)).toBe(PAGE_RECORDS_MAX);
    expect(await twins().tables.purge(of.table, now)).toBe(3);
    expect(await twins().tables.purge(of.table, now)).toBe(0);
  });
}

function stampContract(
  twins: () => Twins,
  of: TableCase,
  { fields, name }: { readonly fields: readonly string[]; readonly name: string },
): void {
  const { spec, table } = of;

  test('the stamp grows with what it is of, and with nothing else', async () => {
    const sample = twins().sample();
    const chain = chainOf(of, sample);
    const growth = async (...changes: Parameters<Twins['commit']>[1]) => {
      const before = await twins().stamp(name);
      const outcome = await twins().commit(chain, changes);
      const after = await twins().stamp(name);
      // How far it grows is the store's own affair.
      expect(after.store > before.store).toBe(after.model > before.model);
      expect(after.store).toBeGreaterThanOrEqual(before.store);
      return { isGrown: after.store > before.store, outcome };
    };
    const field = fields[0];
    const first = sampleRecord(of, 1, sample);
    const bare = { ...first };
    if (field !== undefined) delete (bare as Record<string, unknown>)[field];

    expect(await growth(table.insert(first))).toEqual({ isGrown: true, outcome: 'appended' });
    expect(await growth(table.insert(first))).toEqual({ isGrown: false, outcome: 0 });
    if (writesOf(spec) !== 'versioned' || field === undefined) return;
    const next = (n: number, version: number) => ({
      ...sampleNext(of, first, n, sample),
      [field]: first[field],
      version,
    });
    expect(await growth(table.put(next(2, 2), 1))).toMatchObject({ isGrown: false });
    const moved = { ...next(3, 3), [field]: `${first[field]} another` };
    expect(await growth(table.put(moved, 2))).toMatchObject({ isGrown: true });
    expect(await growth(table.put({ ...bare, version: 4 }, 3))).toMatchObject({ isGrown: true });
    expect(await growth(table.remove(sampleKey(of, 1, sample), 4))).toMatchObject({
      isGrown: false,
      outcome: 'appended',
    });
    expect(await growth(table.insert(bare))).toEqual({ isGrown: false, outcome: 'appended' });
  });
}
