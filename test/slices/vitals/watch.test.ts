/** Troubles as states: opened once, counted, closed by themselves, whoever looks and how often. */
import { expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';
import {
  beatTable,
  EVERYBODY,
  Heartbeat,
  openTroubles,
  reconcile,
  type Seen,
  type TroubleCode,
  troubleTable,
} from '#slices/vitals';
import { modelHouse } from '../../storage/modelHouse.ts';

const STALE: Seen = {
  code: 'LIST_STALE',
  params: {},
  scope: EVERYBODY,
  subjectId: 'UN_SC',
  subjectKind: 'list',
};
const DISK: Seen = { ...STALE, code: 'DISK_LOW', subjectId: 'host/1', subjectKind: 'node' };
const CODES = new Set<TroubleCode>(['DISK_LOW', 'LIST_STALE']);

function desk() {
  const house = modelHouse([beatTable, troubleTable]);
  let now = 1_000_000;
  return {
    house,
    later: (ms: number) => {
      now += ms;
    },
    ports: {
      clock: { monotonicMs: () => now, now: () => now as EpochMs },
      commit: house.commit,
      random: systemRandom,
      tables: house.tables,
    },
    tables: house.tables,
  };
}

test('a trouble is opened once, counted, and closed once it is over', async () => {
  const { house, later, ports, tables } = desk();
  expect(await reconcile(ports, [STALE, DISK], CODES)).toEqual({ closed: 0, opened: 2 });
  later(15_000);
  expect(await reconcile(ports, [STALE, DISK], CODES)).toEqual({ closed: 0, opened: 0 });
  const stale = (await openTroubles(tables)).find(({ code }) => code === 'LIST_STALE');
  expect(stale).toMatchObject({ count: 2, lastSeenAt: 1_015_000, openedAt: 1_000_000 });
  expect(await reconcile(ports, [DISK], CODES)).toEqual({ closed: 1, opened: 0 });
  expect((await openTroubles(tables)).map(({ code }) => code)).toEqual(['DISK_LOW']);
  // It comes back: another state, with a beginning of its own.
  later(15_000);
  expect(await reconcile(ports, [STALE, DISK], CODES)).toEqual({ closed: 0, opened: 1 });
  expect(house.bus.map(({ topic }) => topic)).toEqual([
    'operations.alert.opened',
    'operations.alert.opened',
    'operations.alert.closed',
    'operations.alert.opened',
  ]);
  expect(house.events.map(({ action }) => action).sort()).toEqual([
    'OPERATIONAL_ALERT_CLOSED',
    'OPERATIONAL_ALERT_OPENED',
    'OPERATIONAL_ALERT_OPENED',
    'OPERATIONAL_ALERT_OPENED',
  ]);
});

test('what was not looked out for is left as it stands', async () => {
  const { ports, tables } = desk();
  await reconcile(ports, [STALE], CODES);
  expect(await reconcile(ports, [], new Set<TroubleCode>(['DISK_LOW']))).toEqual({
    closed: 0,
    opened: 0,
  });
  expect(await openTroubles(tables)).toHaveLength(1);
});

test('a cluster that was yellow and is red is told anew', async () => {
  const { ports, tables } = desk();
  const cluster: Seen = { ...STALE, code: 'CLUSTER_DEGRADED', params: { status: 'yellow' } };
  const codes = new Set<TroubleCode>(['CLUSTER_DEGRADED']);
  expect(await reconcile(ports, [cluster], codes)).toEqual({ closed: 0, opened: 1 });
  const red = { ...cluster, params: { reason: 'no gateway', status: 'red' } };
  expect(await reconcile(ports, [red], codes)).toEqual({ closed: 1, opened: 1 });
  expect(await reconcile(ports, [red], codes)).toEqual({ closed: 0, opened: 0 });
  expect((await openTroubles(tables)).map(({ params }) => params)).toEqual([red.params]);
});

test('those of one tenant are read by themselves', async () => {
  const { ports, tables } = desk();
  const key: Seen = { ...STALE, code: 'KEY_EXPIRING', scope: 't1', subjectKind: 'key' };
  await reconcile(ports, [STALE, key, { ...key, scope: 't2' }], CODES);
  const scopes = async (scope?: string) =>
    (await openTroubles(tables, scope)).map((one) => one.scope).toSorted();
  expect(await scopes('t1')).toEqual(['t1']);
  expect(await scopes(EVERYBODY)).toEqual([EVERYBODY]);
  expect(await scopes()).toEqual([EVERYBODY, 't1', 't2']);
});

test('two workers that look at once open one', async () => {
  const { ports, tables } = desk();
  const both = await Promise.all([
    reconcile(ports, [STALE], CODES),
    reconcile(ports, [STALE], CODES),
  ]);
  expect(both.map(({ opened }) => opened).sort()).toEqual([0, 1]);
  expect(await openTroubles(tables)).toHaveLength(1);
});

test('a process beats in one record, written anew once it was purged', async () => {
  const { later, ports, tables } = desk();
  const failures: unknown[] = [];
  const heartbeat = new Heartbeat({
    clock: ports.clock,
    figures: async () => ({ memoryMb: 1 }),
    nodeId: 'host/1',
    onFailure: (error) => failures.push(error),
    release: '1.1.0',
    role: 'worker',
    tables,
  });
  await heartbeat.beat();
  later(15_000);
  await heartbeat.beat();
  const key = { nodeId: 'host/1' };
  expect(await tables.find(beatTable, key)).toMatchObject({
    recordedAt: 1_000_000,
    seenAt: 1_015_000,
    startedAt: 1_000_000,
  });
  await heartbeat.stop();
  expect(await tables.find(beatTable, key)).toMatchObject({ endedAt: 1_015_000 });
  expect(failures).toEqual([]);
});
