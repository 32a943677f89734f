/** Tables: rows that workers take by turns, and what a holder may do that nobody else may. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type Lease, type Leased, type Scalar, writesOf } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type PlainRecord, valuesOf } from '../modelRows.ts';
import {
  type SampleOf,
  sampleEnd,
  sampleKey,
  sampleNext,
  sampleRecord,
  type TableCase,
} from './sampleRecord.ts';
import { chainOf, type Twins } from './twins.ts';

/** All samples are due by then. */
const NOW = 10_000 as EpochMs;
const EARLY = 0 as EpochMs;

export function tableLeasesContract(twins: () => Twins, of: TableCase): void {
  if (of.spec.leased === undefined) return;
  describe('leases', () => {
    // Without lanes all rows of all tests wait in one line.
    if (of.spec.leased?.lane.length !== 0) {
      lineContract(twins, of);
      lanesContract(twins, of);
    }
    holderContract(twins, of);
    takeOverContract(twins, of);
    fenceContract(twins, of);
    if (of.spec.open !== undefined) endedContract(twins, of);
  });
}

/** Rows in one lane, whose lane is the first one's; with due times where the table has them. */
function makeLine(of: TableCase, sample: SampleOf, count: number) {
  const { chain, key, leased, unique = {} } = of.spec;
  const first = sampleRecord(of, 0, sample);
  const kept = [...(leased?.lane ?? []), ...Object.values(unique).flat()];
  const isKey = (field: string) => key.includes(field) && key.at(-1) !== field;
  const laneFields = [...new Set([...kept, ...key])].filter(
    (field) => leased?.lane.includes(field) || isKey(field) || field === chain,
  );
  const records = Array.from({ length: count }, (_, n) => ({
    ...sampleRecord(of, n, sample),
    ...Object.fromEntries(laneFields.map((field) => [field, first[field]])),
    ...(leased?.due !== undefined && { [leased.due]: 1_000 + ((n * 3) % 4) }),
  })) as PlainRecord[];
  const lane = valuesOf(of, first, leased?.lane ?? []) ?? [];
  return { keys: records.map((record) => keyIn(of, record)), lane, records };
}

const keyIn = ({ spec }: TableCase, record: PlainRecord) =>
  Object.fromEntries(spec.key.map((field) => [field, record[field] as Scalar]));

/** A lane of so many rows; the sample and the lane are new for each test. */
function lineOf(twins: () => Twins, of: TableCase, count: number) {
  const line = { keys: [] as Record<string, Scalar>[], lane: [] as readonly Scalar[], tenant: '' };
  beforeEach(async () => {
    const sample = twins().sample();
    const { keys, lane, records } = makeLine(of, sample, count);
    const inserts = records.map((record) => of.table.insert(record));
    expect(await twins().commit(chainOf(of, sample), inserts)).toBe('appended');
    Object.assign(line, { chain: chainOf(of, sample), keys, lane, tenant: sample.tenant });
  });
  const { table } = of;
  return {
    key: (n = 0) => line.keys[n] ?? {},
    lane: () => line.lane,
    commit: (...changes: Parameters<Twins['commit']>[1]) =>
      twins().commit(of.spec.chain === 'platform' ? 'platform' : line.tenant, changes),
    lease: (holder: string, limit = 1, now = NOW) =>
      twins().tables.lease(table, { holder, lane: line.lane, limit, now }),
    claim: (holder: string, n = 0) =>
      twins().tables.claim(table, { holder, key: line.keys[n] ?? {} }),
  };
}

const leaseOf = (leased: Leased<object> | undefined): Lease => {
  expect(leased).toBeDefined();
  return leased?.lease ?? { beat: 0, fence: 0, holder: '', tries: 0 };
};

function lineContract(twins: () => Twins, of: TableCase): void {
  const { due } = of.spec.leased ?? {};
  const line = lineOf(twins, of, 5);

  test('each ask gets the next rows, and no row is had twice', async () => {
    const first = await line.lease('one', 2);
    const second = await line.lease('two', 2);
    const third = await line.lease('one', 2);
    expect([first, second, third].map(({ length }) => length)).toEqual([2, 2, 1]);
    const keys = [...first, ...second, ...third].map(({ record }) => keyIn(of, record));
    expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(5);
    expect(first.map(({ lease }) => lease)).toMatchObject([
      { fence: 1, holder: 'one', tries: 1 },
      { fence: 1, holder: 'one', tries: 1 },
    ]);
    expect(await line.lease('three', 2)).toEqual([]);
  });

  test.runIf(due !== undefined)(
    'a row that is not due is not leased, and can be claimed',
    async () => {
      expect(await line.lease('one', 5, EARLY)).toEqual([]);
      expect(await line.lease('one', 5, 1_000 as EpochMs)).toHaveLength(2);
      expect(await line.lease('two', 5, 1_001 as EpochMs)).toHaveLength(1);
      expect(leaseOf(await line.claim('three', 1))).toMatchObject({ fence: 1, tries: 1 });
      const later = { [due ?? '']: NOW + 1 };
      const key = line.key(2);
      expect(await twins().tables.saveWork(of.table, { key, work: later })).toBe(true);
      expect(await line.lease('two', 5)).toEqual([]);
      expect(await line.lease('two', 5, (NOW + 1) as EpochMs)).toHaveLength(1);
    },
  );

  test('a row is claimed by its key, if it is there and nobody has it', async () => {
    const [first, ...rest] = [await line.claim('one'), await line.claim('two')];
    expect(leaseOf(first)).toMatchObject({ fence: 1, holder: 'one', tries: 1 });
    expect(rest).toEqual([undefined]);
    const absent = sampleKey(of, 99, twins().sample());
    expect(await twins().tables.claim(of.table, { holder: 'one', key: absent })).toBeUndefined();
    expect(await line.lease('two', 5)).toHaveLength(4);
  });

  test('rows in hand are listed by key, page by page', async () => {
    await line.lease('one', 2);
    await line.claim('two', 4);
    const { table } = of;
    const all = await twins().tables.held(table, { limit: 1_000 });
    const lane = (record: PlainRecord) => valuesOf(of, record, of.spec.leased?.lane ?? []);
    const own = all.filter(
      ({ record }) => JSON.stringify(lane(record)) === JSON.stringify(line.lane()),
    );
    expect(own.length).toBeGreaterThanOrEqual(2);
    const keys = all.map(({ record }) => Object.values(keyIn(of, record)));
    const behind = await twins().tables.held(table, { after: keys.at(-3) ?? [], limit: 1_000 });
    expect(behind).toStrictEqual(all.slice(-2));
    expect(await twins().tables.held(table, { limit: 1 })).toStrictEqual(all.slice(0, 1));
  });
}

function lanesContract(twins: () => Twins, of: TableCase): void {
  const line = lineOf(twins, of, 2);

  test('a lane is named while it has a row that may be taken', async () => {
    const { table } = of;
    const isNamed = async (now: EpochMs) => {
      const lanes = await twins().tables.lanes(table, {
        after: before(line.lane()),
        limit: 20,
        now,
      });
      return lanes.some((lane) => JSON.stringify(lane) === JSON.stringify(line.lane()));
    };
    expect(await isNamed(NOW)).toBe(true);
    if (of.spec.leased?.due !== undefined) expect(await isNamed(EARLY)).toBe(false);
    await line.lease('one');
    expect(await isNamed(NOW)).toBe(true);
    const [second] = await line.lease('one');
    expect(await isNamed(NOW)).toBe(false);
    const key = keyIn(of, second?.record ?? {});
    const claim = leaseOf(second);
    await twins().tables.giveBack(table, { claim, isTried: true, key });
    expect(await isNamed(NOW)).toBe(true);
  });

  test('lanes are read on behind the last one', async () => {
    const all = await twins().tables.lanes(of.table, { limit: 4, now: NOW });
    const walked: (readonly Scalar[])[] = [];
    for (const _ of all) {
      const after = walked.at(-1);
      const ask = { limit: 1, now: NOW, ...(after !== undefined && { after }) };
      walked.push(...(await twins().tables.lanes(of.table, ask)));
    }
    expect(walked).toStrictEqual(all);
  });
}

/** A lane that would stand a little before this one: so a few others are read, and not all. */
function before(lane: readonly Scalar[]): readonly Scalar[] {
  const last = lane.at(-1);
  return [...lane.slice(0, -1), typeof last === 'string' ? last.slice(0, -1) : ''];
}

function holderContract(twins: () => Twins, of: TableCase): void {
  const { spec, table } = of;
  const line = lineOf(twins, of, 2);
  const due = spec.leased?.due;
  const work = due === undefined ? {} : { [due]: 1_000 };

  test('the holder renews, and works; nobody else does', async () => {
    const claim = leaseOf(await line.claim('one'));
    const key = line.key();
    const others = [
      { ...claim, holder: 'two' },
      { ...claim, fence: claim.fence + 1 },
    ];
    for (const other of others) {
      expect(await twins().tables.renew(table, { claim: other, key })).toBe(false);
      expect(await twins().tables.giveBack(table, { claim: other, isTried: true, key })).toBe(
        false,
      );
      if ((spec.work ?? []).length > 0)
        expect(await twins().tables.saveWork(table, { claim: other, key, work })).toBe(false);
    }
    expect(await twins().tables.renew(table, { claim, key })).toBe(true);
    expect(await twins().tables.renew(table, { claim, key, work })).toBe(true);
    if ((spec.work ?? []).length > 0)
      expect(await twins().tables.saveWork(table, { claim, key, work })).toBe(true);
    const held = await twins().tables.held(table, { limit: 1_000 });
    const own = held.find(
      ({ record }) => JSON.stringify(keyIn(of, record)) === JSON.stringify(key),
    );
    expect(leaseOf(own)).toMatchObject({ fence: claim.fence, holder: 'one', tries: 1 });
    expect(leaseOf(own).beat).toBe(claim.beat + 2);
  });

  test('a row that is given back is the next one’s, with or without its try', async () => {
    const key = line.key();
    const giveBack = (claim: Lease, isTried: boolean) =>
      twins().tables.giveBack(table, { claim, isTried, key, work });
    const first = leaseOf(await line.claim('one'));
    expect(await giveBack(first, false)).toBe(true);
    expect(await giveBack(first, false)).toBe(false);
    expect(await twins().tables.renew(table, { claim: first, key })).toBe(false);
    const second = leaseOf(await line.claim('two'));
    expect(second).toMatchObject({ fence: 2, tries: 1 });
    expect(await giveBack(second, true)).toBe(true);
    const third = leaseOf(await line.claim('one'));
    expect(third).toMatchObject({ fence: 3, tries: 2 });
    const onward = { claim: third, hasGotOn: true, isTried: false, key, work } as const;
    expect(await twins().tables.giveBack(table, onward)).toBe(true);
    expect(leaseOf(await line.claim('two'))).toMatchObject({ fence: 4, tries: 1 });
  });

  test.runIf(writesOf(spec) === 'versioned')('a put leaves the lease as it is', async () => {
    const claim = leaseOf(await line.claim('one'));
    const record = await twins().tables.find(table, line.key());
    const { salt = '', tenant = '' } = twins().sample();
    const owner = spec.chain === 'platform' ? tenant : String(record?.[spec.chain]);
    const next = sampleNext(of, record ?? {}, 7, { salt, tenant: owner });
    expect(await line.commit(table.put(next, 1))).toBe('appended');
    expect(await twins().tables.renew(table, { claim, key: line.key() })).toBe(true);
    expect(await line.claim('two')).toBeUndefined();
  });
}

function takeOverContract(twins: () => Twins, of: TableCase): void {
  const { table } = of;
  const line = lineOf(twins, of, 1);

  test('a row is taken over from one whose fence and beat stand still', async () => {
    const key = line.key();
    const takeOver = (seen: Lease) => twins().tables.takeOver(table, { holder: 'two', key, seen });
    const seen = leaseOf(await line.claim('one'));
    await twins().tables.renew(table, { claim: seen, key });
    expect(await takeOver(seen)).toBeUndefined();
    expect(await takeOver({ ...seen, beat: seen.beat + 1, fence: 2 })).toBeUndefined();
    const taken = leaseOf(await takeOver({ ...seen, beat: seen.beat + 1 }));
    expect(taken).toMatchObject({ fence: 2, holder: 'two', tries: 2 });
    expect(await takeOver({ ...seen, beat: seen.beat + 1 })).toBeUndefined();
    expect(await twins().tables.renew(table, { claim: seen, key })).toBe(false);
    expect(await twins().tables.renew(table, { claim: taken, key })).toBe(true);
  });
}

function fenceContract(twins: () => Twins, of: TableCase): void {
  const { table } = of;
  const line = lineOf(twins, of, 1);

  test('a commit under an older fence is stale', async () => {
    const expecting = (fence: number) => line.commit(table.expect(line.key(), { fence }));
    const first = leaseOf(await line.claim('one'));
    expect(await expecting(first.fence)).toBe('appended');
    const second = await twins().tables.takeOver(table, {
      holder: 'two',
      key: line.key(),
      seen: first,
    });
    expect(await expecting(first.fence)).toBe(0);
    expect(await expecting(leaseOf(second).fence)).toBe('appended');
  });
}

function endedContract(twins: () => Twins, of: TableCase): void {
  const { spec, table } = of;
  const line = lineOf(twins, of, 2);

  test('a row that has ended is nobody’s, and leased no more', async () => {
    const claim = leaseOf(await line.claim('one'));
    const key = line.key();
    const record = (await twins().tables.find(table, key)) ?? {};
    const version = writesOf(spec) === 'versioned' ? 1 : undefined;
    expect(await line.commit(table.put(sampleEnd(of, record), version))).toBe('appended');
    expect(await twins().tables.renew(table, { claim, key })).toBe(false);
    expect(await twins().tables.giveBack(table, { claim, isTried: true, key })).toBe(false);
    expect(await twins().tables.takeOver(table, { holder: 'two', key, seen: claim })).toBe(
      undefined,
    );
    expect(await line.claim('two')).toBeUndefined();
    const held = await twins().tables.held(table, { limit: 1_000 });
    expect(held.map((one) => keyIn(of, one.record))).not.toContainEqual(key);
    if (line.lane().length > 0) expect(await line.lease('two', 5)).toHaveLength(1);
  });
}
