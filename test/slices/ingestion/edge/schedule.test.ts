/** The schedule as a whole over HTTP: read, and changed by an administrator and compliance. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSqliteHarness } from '../../../storage/sqlite/harness.ts';
import { type ListService, type Name, openListService } from './fixture.ts';

const SCHEDULE = '/v1/sanctions/etl/schedule';
const REASON = { approval_reason: 'Asked for by the committee' };

describe('the schedule', () => {
  let service: ListService;
  beforeAll(async () => {
    service = await openListService(makeSqliteHarness);
  });
  afterAll(() => service.close());

  function put(
    schedule: readonly { source_id: string }[],
    by = { approver: 'carl', author: 'adam' } as { approver: Name; author: Name },
    more: Readonly<Record<string, string>> = {},
  ) {
    const newValue = Object.fromEntries(
      schedule.map(({ source_id, ...fields }) => [source_id, fields]),
    );
    const field = Object.keys(newValue).sort().join(',');
    const headers = service.signed({ field, newValue, resource: 'sanctions_schedule' }, by);
    return service.call(SCHEDULE, {
      as: by.author,
      body: { schedule, ...REASON },
      headers: { ...headers, ...more },
      method: 'PUT',
    });
  }

  test('a sandbox changes none that others screen by, beside its own neither', async () => {
    const schedule = [
      { enabled: true, source_id: 'DEMO' },
      { enabled: true, source_id: 'EU_CFSP' },
    ];
    const sandbox = { 'x-test-environment': 'sandbox' };
    const reply = await put(schedule, undefined, sandbox);
    expect([reply.status, reply.code]).toEqual([403, 'role-insufficient']);
    expect(await service.rows('DEMO')).toEqual([]);
    expect(await service.rows('EU_CFSP')).toEqual([]);
  });

  test('several sources are changed at once', async () => {
    const reply = await put([
      {
        cron_delta: null,
        cron_full: '0 0 1 ? * MON',
        enabled: true,
        source_id: 'BCT_TN',
      } as never,
      { cron_full: '0 0 3 ? * MON', source_id: 'OPEN_AGGREGATE' } as never,
    ]);
    expect(reply.status, String(reply.raw.body)).toBe(200);
    const sources = reply.json().sources as { source_id: string; warnings: string[] }[];
    expect(sources.find(({ source_id }) => source_id === 'BCT_TN')).toMatchObject({
      next_fire_at: '2026-01-12T01:00:00.000Z',
      next_fires: [1, 2, 3, 4, 5].map((_, week) => ({
        at: new Date(Date.UTC(2026, 0, 12 + 7 * week, 1)).toISOString(),
        kind: 'full',
      })),
      warnings: ['no-address'],
    });
    // Whether it is enabled or not: a preview is looked at before it is.
    expect(sources.find(({ source_id }) => source_id === 'UN_SC')).toMatchObject({
      enabled: false,
      next_fires: expect.objectContaining({ length: 5 }),
    });
    const days = reply.json().days as {
      date: string;
      hours: { hour: number; fires: object[] }[];
    }[];
    expect(days).toHaveLength(8);
    const monday = days.find(({ date }) => date === '2026-01-12');
    expect(monday?.hours.find(({ hour }) => hour === 1)?.fires).toEqual([
      {
        count: 1,
        enabled: true,
        first_at: '2026-01-12T01:00:00.000Z',
        kind: 'full',
        source_id: 'BCT_TN',
      },
    ]);
    expect((await service.call(SCHEDULE)).json().sources).toEqual(sources);
    expect(await service.rows('BCT_TN')).toHaveLength(3);
  });

  test('one wrong schedule, and none is changed', async () => {
    const reply = await put([
      { cron_full: '0 0 5 ? * MON', source_id: 'OPEN_AGGREGATE' } as never,
      { cron_full: '0 0 0/2 * * ?', source_id: 'COMMERCIAL_WATCHLIST' } as never,
    ]);
    expect(reply.code).toBe('cron-invalid');
    expect(reply.errors).toEqual(['/schedule/1/cron_delta full-delta-collision']);
    expect((await service.source('OPEN_AGGREGATE'))?.cronFull).toBe('0 0 3 ? * MON');
    expect(await service.rows('COMMERCIAL_WATCHLIST')).toEqual([]);
  });

  test('every wrong one is told, of all the sources', async () => {
    const reply = await put([
      { cron_full: '0 4 ? * MON', source_id: 'OPEN_AGGREGATE' } as never,
      { cron_full: '* * * * * ?', source_id: 'UN_SC' } as never,
      { cron_delta: '0 15/30 * * * ?', source_id: 'OFAC_SDN' } as never,
    ]);
    expect([reply.status, reply.code]).toEqual([422, 'cron-invalid']);
    expect(new Set(reply.errors.map((one) => String(one).split('/')[2]))).toEqual(
      new Set(['0', '1', '2']),
    );
    const ids = ['NOBODY', 'UN_SC', 'UN_SC', 'NOWHERE'];
    const unknown = await put(ids.map((source_id) => ({ enabled: true, source_id }) as never));
    expect([unknown.status, ...unknown.errors]).toEqual([
      400,
      '/schedule/0/source_id format',
      '/schedule/2/source_id format',
      '/schedule/3/source_id format',
    ]);
  });

  test('an unknown source or one named twice is refused by its place', async () => {
    const twice = [
      { enabled: true, source_id: 'UN_SC' },
      { enabled: false, source_id: 'UN_SC' },
    ];
    expect((await put(twice)).errors).toEqual(['/schedule/1/source_id format']);
    const reply = await put([{ enabled: true, source_id: 'NOBODY' } as never]);
    expect([reply.code, ...reply.errors]).toEqual(['body-invalid', '/schedule/0/source_id format']);
  });

  test('compliance is its approver, and not its author', async () => {
    const schedule = [{ enabled: true, source_id: 'UN_SC' } as never];
    const reply = await put(schedule, { approver: 'adam', author: 'carl' });
    expect([reply.status, reply.code]).toEqual([403, 'role-insufficient']);
  });

  test('an administrator and DSI are not enough', async () => {
    const schedule = [{ enabled: true, source_id: 'UN_SC' } as never];
    const reply = await put(schedule, { approver: 'dora', author: 'adam' });
    expect(reply.code).toBe('dual-control-roles');
  });
});
