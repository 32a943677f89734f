/** How screenings went: sums of each gateway by bucket, added up, whoever writes and how often. */
import { expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { quantilesOf } from '#platform/histogram';
import { readUsage, screeningUsageTable, UsageRecorder } from '#slices/sanctions';
import { ScreeningUsage } from '#slices/screening';
import { modelHouse } from '../../storage/modelHouse.ts';

const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
const OTHER = '0190bbbb-0000-7000-8000-00000000000b' as TenantId;
const START = Date.UTC(2026, 5, 15, 12, 30, 30) as EpochMs;
const MINUTE_MS = 60_000;

function desk() {
  const house = modelHouse([screeningUsageTable]);
  let now = START as number;
  const clock = { now: () => now as EpochMs };
  const gateway = (nodeId: string) => {
    const usage = new ScreeningUsage();
    const take = () => usage.take();
    const { tables } = house;
    return { recorder: new UsageRecorder({ clock, nodeId, tables, take }), usage };
  };
  const read = (tenantId: TenantId, from: number, bucketMs = MINUTE_MS) =>
    readUsage(house.tables, {
      bucketMs,
      from: from as EpochMs,
      tenantId,
      to: (now + bucketMs) as EpochMs,
    });
  const later = (ms: number) => {
    now += ms;
  };
  return { gateway, house, later, read };
}

test('sums of two gateways are those of both, flushed as often as they are', async () => {
  const { gateway, later, read } = desk();
  const [one, other] = [gateway('g1'), gateway('g2')];
  for (let ms = 1; ms <= 50; ms++) {
    one.usage.took(TENANT, 'total', ms);
    one.usage.answered(TENANT, 200);
    if (ms % 10 === 0) await one.recorder.flush();
  }
  for (let ms = 51; ms <= 100; ms++) {
    other.usage.took(TENANT, 'total', ms);
    other.usage.answered(TENANT, ms > 98 ? 503 : ms > 95 ? 429 : 200);
  }
  other.usage.answered(OTHER, 500);
  await other.recorder.flush();
  await one.recorder.flush();
  const sums = await read(TENANT, START - MINUTE_MS);
  expect(sums).toMatchObject({ answers: 100, errors: 2, rateLimited: 3 });
  expect(quantilesOf(sums.ms.total)).toEqual({ p50: 51, p95: 96, p99: 100 });
  expect(await read(OTHER, START - MINUTE_MS)).toMatchObject({ answers: 1, errors: 1 });
  // The next minute has a bucket of its own; the quarter of an hour has both.
  later(MINUTE_MS);
  one.usage.answered(TENANT, 200);
  await one.recorder.flush();
  expect(await read(TENANT, START + 30_000)).toMatchObject({ answers: 1 });
  expect(await read(TENANT, START - 15 * MINUTE_MS, 15 * MINUTE_MS)).toMatchObject({
    answers: 101,
  });
});

test('a store that fails loses nothing that the next flush can write', async () => {
  const { gateway, house, read } = desk();
  const { recorder, usage } = gateway('g1');
  const failing = {
    insertMissing: () => Promise.reject(new Error('away')),
    saveWork: () => Promise.reject(new Error('away')),
  };
  const take = () => usage.take();
  const clock = { now: () => START };
  const broken = new UsageRecorder({ clock, nodeId: 'g1', tables: failing, take });
  usage.answered(TENANT, 200);
  await expect(broken.flush()).rejects.toThrow('away');
  Object.assign(failing, {
    insertMissing: house.tables.insertMissing.bind(house.tables),
    saveWork: house.tables.saveWork.bind(house.tables),
  });
  usage.answered(TENANT, 200);
  await broken.flush();
  expect(await read(TENANT, START - MINUTE_MS)).toMatchObject({ answers: 2 });
  await recorder.flush();
});

test('a minute that ended while the store was away is written once it is back', async () => {
  const { house, later, read } = desk();
  const away = () => Promise.reject(new Error('away'));
  const tables = { insertMissing: away, saveWork: away };
  let now: EpochMs = START;
  const usage = new ScreeningUsage();
  const take = () => usage.take();
  const recorder = new UsageRecorder({ clock: { now: () => now }, nodeId: 'g1', tables, take });
  usage.answered(TENANT, 503);
  await expect(recorder.flush()).rejects.toThrow('away');
  now = (START + MINUTE_MS) as EpochMs;
  later(MINUTE_MS);
  Object.assign(tables, {
    insertMissing: house.tables.insertMissing.bind(house.tables),
    saveWork: house.tables.saveWork.bind(house.tables),
  });
  // Nobody of the tenant screens meanwhile.
  await recorder.flush();
  expect(await read(TENANT, START - MINUTE_MS)).toMatchObject({ answers: 1, errors: 1 });
});

test('one screening in sixteen is timed by the engine', () => {
  const usage = new ScreeningUsage();
  const timed = Array.from({ length: 160 }, () => usage.isTimed()).filter(Boolean);
  expect(timed).toHaveLength(10);
});
