/** Schedules that fire: once over many workers, once over jumps of the clock, never too often. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import {
  brokenScheduleAudit,
  fireSchedules,
  type ListRun,
  newSource,
  scheduleAuditTable,
} from '#slices/ingestion';
import type { ListSource } from '#slices/lists';
import { endRun } from './runHolds.ts';
import { RunMemory } from './runMemory.ts';

const HOUR_MS = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 5, 1);

let memory: RunMemory;

beforeEach(() => {
  memory = new RunMemory();
  memory.now = MIDNIGHT + 1;
  schedule({});
});

/** Full on Sundays at 04:00, delta every four hours; 2026-06-01 is a Monday. */
function schedule(more: Partial<ListSource>): void {
  memory.put({
    ...newSource('UN_SC'),
    cronDelta: '0 0 */4 * * ?',
    cronFull: '0 30 4 ? * SUN',
    enabled: true,
    updatedAt: MIDNIGHT as EpochMs,
    version: 1,
    ...more,
  });
}

const fire = async (): Promise<string[]> =>
  (await fireSchedules(memory.ports)).started.map(({ kind }) => kind);

async function end(status: 'failed' | 'skipped', errorCode?: string): Promise<void> {
  const run = memory.runs.find((one) => one.status === 'running') as ListRun;
  await endRun(memory.ports, run, { status, ...(errorCode !== undefined && { errorCode }) });
}

describe('a schedule', () => {
  test('fires at its time, and not before or again', async () => {
    memory.now = MIDNIGHT + 4 * HOUR_MS - 1;
    expect(await fire()).toEqual([]);
    memory.now += 1;
    expect(await fire()).toEqual(['delta']);
    await end('skipped');
    expect(await fire()).toEqual([]);
    expect(memory.source?.fires?.delta?.scheduledFor).toBe(MIDNIGHT + 4 * HOUR_MS);
  });

  test('fires once over five workers', async () => {
    memory.now = MIDNIGHT + 4 * HOUR_MS;
    const fired = await Promise.all(Array.from({ length: 5 }, fire));
    expect(fired.flat()).toEqual(['delta']);
    expect(memory.runs).toHaveLength(1);
  });

  test('fires nothing for a source that is disabled, or new since the time', async () => {
    memory.now = MIDNIGHT + 4 * HOUR_MS;
    schedule({ enabled: false });
    expect(await fire()).toEqual([]);
    schedule({ updatedAt: memory.now as EpochMs });
    expect(await fire()).toEqual([]);
  });

  test('that was missed while nothing ran is made up for once, the full run first', async () => {
    memory.now = MIDNIGHT + 8 * 24 * HOUR_MS;
    expect(await fire()).toEqual(['full']);
    await end('skipped');
    expect(await fire()).toEqual(['delta']);
    await end('skipped');
    expect(await fire()).toEqual([]);
  });

  test('waits for the run under way', async () => {
    memory.now = MIDNIGHT + 4 * HOUR_MS;
    await fire();
    memory.now += 4 * HOUR_MS;
    expect(await fire()).toEqual([]);
    await end('skipped');
    expect(await fire()).toEqual(['delta']);
  });

  test('fires once when the clock jumps forward, nothing twice when it jumps back', async () => {
    memory.now = MIDNIGHT + 3.5 * HOUR_MS;
    expect(await fire()).toEqual([]);
    memory.now += HOUR_MS;
    expect(await fire()).toEqual(['delta']);
    await end('skipped');
    memory.now -= HOUR_MS;
    expect(await fire()).toEqual([]);
    memory.now += HOUR_MS;
    expect(await fire()).toEqual([]);
    memory.now = MIDNIGHT + 8 * HOUR_MS;
    expect(await fire()).toEqual(['delta']);
  });

  test('that cannot be read stops no other source', async () => {
    memory.put({
      ...newSource('EU_CFSP'),
      cronDelta: 'every day',
      enabled: true,
      updatedAt: MIDNIGHT as EpochMs,
      version: 1,
    });
    memory.now = MIDNIGHT + 4 * HOUR_MS;
    expect(await fire()).toEqual(['delta']);
    expect(memory.problems).toEqual(['EU_CFSP']);
  });
});

describe('a run that failed', () => {
  async function failed(errorCode: string): Promise<void> {
    memory.now = MIDNIGHT + 4 * HOUR_MS;
    await fire();
    await end('failed', errorCode);
  }

  test('for what may pass is retried once, ten minutes later', async () => {
    await failed('list-unreachable');
    memory.now += 10 * 60_000 - 1;
    expect(await fire()).toEqual([]);
    memory.now += 1;
    expect(await fire()).toEqual(['retry']);
    await end('failed', 'list-unreachable');
    memory.now += 11 * 60_000;
    expect(await fire()).toEqual([]);
  });

  test.each([
    ['delta', 0],
    ['full', 6 * 24 * HOUR_MS + HOUR_MS / 2],
  ] as const)('of kind %s is retried as what it was', async (kind, laterMs) => {
    memory.now = MIDNIGHT + 4 * HOUR_MS + laterMs;
    expect(await fire()).toEqual([kind]);
    await end('failed', 'list-unreachable');
    memory.now += 10 * 60_000;
    const { started } = await fireSchedules(memory.ports);
    expect(started).toMatchObject([{ kind: 'retry', retryOf: kind }]);
  });

  test.each([
    ['a file that may have been cut on its way', 'list-damaged'],
    ['a page in its place', 'list-foreign'],
    ['a blob that may be restored meanwhile', 'blob-damaged'],
  ])('for %s is retried once', async (_, errorCode) => {
    await failed(errorCode);
    memory.now += 10 * 60_000;
    expect(await fire()).toEqual(['retry']);
    await end('failed', errorCode);
    memory.now += 11 * 60_000;
    expect(await fire()).toEqual([]);
  });

  test('for what the file is waits for its next time', async () => {
    await failed('list-shrunk');
    memory.now += 11 * 60_000;
    expect(await fire()).toEqual([]);
  });

  test('for a damaged file that lies in a folder waits for its next time', async () => {
    schedule({ airGapPath: 'inbox' });
    await failed('list-damaged');
    memory.now += 11 * 60_000;
    expect(await fire()).toEqual([]);
  });
});

describe('a source that fires three times in under a minute', () => {
  const now = MIDNIGHT + 4 * HOUR_MS;
  const recent = [now - 59_999, now - 30_000, now] as EpochMs[];
  const fires = { delta: { recent, scheduledFor: now as EpochMs } };

  test('is disabled, in the evidence and in the audit of its schedule', async () => {
    memory.now = now;
    schedule({ fires });
    expect(await fireSchedules(memory.ports)).toEqual({ disabled: ['UN_SC'], started: [] });
    expect(memory.source).toMatchObject({ disabledReason: 'fired-too-often', enabled: false });
    expect(memory.actions).toEqual(['SANCTIONS_SOURCE_DISABLED']);
    const rows = memory.model.records(scheduleAuditTable);
    expect(rows).toMatchObject([{ field: 'enabled', newValue: 'false', seq: 1 }]);
    expect(brokenScheduleAudit(rows)).toBeUndefined();
    memory.now += 24 * HOUR_MS;
    expect(await fire()).toEqual([]);
  });

  test('starts anew when a person enables it', async () => {
    memory.now = now;
    schedule({ fires, updatedAt: now as EpochMs });
    expect(await fireSchedules(memory.ports)).toEqual({ disabled: [], started: [] });
    expect(memory.source?.enabled).toBe(true);
  });

  test('is none where the three took a minute', async () => {
    memory.now = now;
    const spread = [now - 60_000, now - 30_000, now] as EpochMs[];
    schedule({ fires: { delta: { recent: spread, scheduledFor: now as EpochMs } } });
    expect((await fireSchedules(memory.ports)).disabled).toEqual([]);
  });
});
