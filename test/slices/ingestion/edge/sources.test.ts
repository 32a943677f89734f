/** Sources over HTTP: read, changed by two persons, and what no source may be changed to. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consumedApprovalTable } from '#core/identity';
import type { EpochMs } from '#platform/clock';
import { brokenScheduleAudit, SOURCE_IDS } from '#slices/ingestion';
import { checkSources } from '../../../../src/slices/ingestion/edge/checks.ts';
import { makeSqliteHarness } from '../../../storage/sqlite/harness.ts';
import { type ListService, type Name, openListService, PEOPLE } from './fixture.ts';

const SOURCES = '/v1/sanctions/etl/sources';
const subjectOf = (sourceId: string, field: string, newValue: unknown) => ({
  field,
  newValue,
  resource: `sanctions_source:${sourceId}`,
});
const REASON = { approval_reason: 'Asked for by the committee' };

describe('sources over HTTP', () => {
  let service: ListService;
  beforeAll(async () => {
    service = await openListService(makeSqliteHarness, {
      resolve: async () => [{ address: '10.0.0.1', family: 4 }],
    });
  });
  afterAll(() => service.close());

  /** A change signed by the approver as it is sent. */
  function patch(
    sourceId: string,
    fields: object,
    by: { author: Name; approver: Name },
    more: Readonly<Record<string, string>> = {},
  ) {
    const names = Object.keys(fields).sort();
    const value = names.length === 1 ? Object.values(fields)[0] : fields;
    const headers = service.signed(subjectOf(sourceId, names.join(','), value), by);
    const body = { ...fields, ...REASON };
    return service.call(`${SOURCES}/${sourceId}`, {
      as: by.author,
      body,
      headers: { ...headers, ...more },
      method: 'PATCH',
    });
  }

  test('two persons of a sandbox change no list that others screen by', async () => {
    const before = await service.source('HMT_OFSI');
    const by = { approver: 'dora', author: 'carl' } as const;
    const sandbox = { 'x-test-environment': 'sandbox' };
    for (const fields of [{ url: 'https://lists.example/x.xml' }, { enabled: true }]) {
      const reply = await patch('HMT_OFSI', fields, by, sandbox);
      expect([reply.status, reply.code]).toEqual([403, 'role-insufficient']);
    }
    expect(await service.source('HMT_OFSI')).toEqual(before);
    expect(await service.rows('HMT_OFSI')).toEqual([]);
    expect((await patch('DEMO', { enabled: false }, by, sandbox)).status).toBe(200);
  });

  test('all are there before their first run, disabled; the invented one is not', async () => {
    const reply = await service.call(SOURCES);
    const data = reply.json().data as { source_id: string; enabled: boolean; url: string }[];
    expect(data.map(({ source_id }) => source_id)).toEqual(
      SOURCE_IDS.filter((id) => id !== 'DEMO'),
    );
    expect(data.some(({ enabled }) => enabled)).toBe(false);
    expect(reply.json().next_cursor).toBeNull();
    const one = (await service.call(`${SOURCES}/UN_SC`)).json();
    expect(one).toEqual(data.find(({ source_id }) => source_id === 'UN_SC'));
    expect(one).toMatchObject({ cron_full: '0 0 4 ? * SUN', next_fire_at: null });
    for (const id of ['NOBODY', 'DEMO', 'un_sc', 'constructor']) {
      expect((await service.call(`${SOURCES}/${id}`)).code).toBe('source-unknown');
    }
  });

  test('a signed change is made with its rows, its entry and the signal to reload', async () => {
    const reply = await patch('UN_SC', { enabled: true }, { approver: 'dora', author: 'carl' });
    expect(reply.status, String(reply.raw.body)).toBe(200);
    // Monday noon: the next full run is on Sunday, the next delta at midnight.
    expect(reply.json()).toMatchObject({
      enabled: true,
      next_fire_at: '2026-01-06T00:00:00.000Z',
      updated_by: PEOPLE.carl.id,
    });
    const several = { cron_delta: null, cron_full: '0 15 4 ? * SAT' };
    const again = await patch('UN_SC', several, { approver: 'carl', author: 'aude' });
    expect(again.status, String(again.raw.body)).toBe(200);
    expect(again.json()).toMatchObject({
      cron_delta: null,
      next_fire_at: '2026-01-10T04:15:00.000Z',
    });
    const rows = (await service.rows('UN_SC')).toReversed();
    expect(rows.map(({ field, oldValue, newValue }) => [field, oldValue, newValue])).toEqual([
      ['enabled', 'false', 'true'],
      ['cron_delta', '0 0 */12 * * ?', null],
      ['cron_full', '0 0 4 ? * SUN', '0 15 4 ? * SAT'],
    ]);
    expect(brokenScheduleAudit(rows)).toBeUndefined();
    expect(brokenScheduleAudit([...rows.slice(0, 1), ...rows.slice(2)])).toBe(3);
    const shown = await service.call(`${SOURCES}/UN_SC/schedule-audit`, { query: 'limit=1' });
    expect(shown.json().data).toMatchObject([
      {
        approval_user_id: PEOPLE.carl.id,
        chain_hash: rows[2]?.chainHash,
        changed_by: PEOPLE.aude.id,
      },
    ]);
    // The chain can be followed to its first row, page by page.
    const seqs: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = `limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const page = await service.call(`${SOURCES}/UN_SC/schedule-audit`, { query });
      const { data, next_cursor } = page.json() as {
        data: { seq: number }[];
        next_cursor: string | null;
      };
      seqs.push(...data.map(({ seq }) => seq));
      cursor = next_cursor;
    }
    expect(seqs).toEqual(rows.map(({ seq }) => seq).reverse());
    const entries = await service.entries('SANCTIONS_SCHEDULE_CHANGED');
    expect(entries.slice(-2).map(({ actor, target }) => [actor, target])).toEqual([
      [`person:${PEOPLE.carl.id}`, 'UN_SC'],
      [`person:${PEOPLE.aude.id}`, 'UN_SC'],
    ]);
    const { events = [] } = (await service.storage.outbox.readFor('bus', 100)) ?? {};
    const signals = events.filter(({ topic }) => topic === 'service.sanctions.schedule.updated');
    expect(signals.at(-1)).toMatchObject({
      partition: 'UN_SC',
      payload: { fields: ['cron_delta', 'cron_full'], source_id: 'UN_SC' },
    });
  });

  test('the same key gives the same answer, and changes nothing twice', async () => {
    const headers = service.signed(subjectOf('EU_CFSP', 'enabled', true), {
      approver: 'dora',
      author: 'carl',
    });
    const body = { enabled: true, ...REASON };
    const key = crypto.randomUUID();
    const ask = { as: 'carl', body, headers, key, method: 'PATCH' };
    const first = await service.call(`${SOURCES}/EU_CFSP`, ask);
    const again = await service.call(`${SOURCES}/EU_CFSP`, ask);
    expect([again.status, again.raw.body]).toEqual([200, first.raw.body]);
    expect(again.header('idempotent-replayed')).toBe('true');
    expect(await service.rows('EU_CFSP')).toHaveLength(1);
    // Under a fresh key it is the same approval a second time.
    const replayed = await service.call(`${SOURCES}/EU_CFSP`, { ...ask, key: crypto.randomUUID() });
    expect([replayed.status, replayed.code]).toEqual([403, 'dual-control-replayed']);
    expect(await service.rows('EU_CFSP')).toHaveLength(1);
  });

  test('an approval whose use was taken from the store makes no second change', async () => {
    const headers = service.signed(subjectOf('HMT_OFSI', 'enabled', true), {
      approver: 'dora',
      author: 'carl',
    });
    const ask = { as: 'carl', body: { enabled: true, ...REASON }, headers, method: 'PATCH' };
    const first = await service.call(`${SOURCES}/HMT_OFSI`, { ...ask, key: crypto.randomUUID() });
    expect(first.status).toBe(200);
    await expect(checkSources(service)).resolves.toContain('sources are what was signed');
    const later = (service.clock.now() + 10 * 24 * 3_600_000) as EpochMs;
    expect(await service.storage.tables.purge(consumedApprovalTable, later)).toBeGreaterThan(0);
    await expect(checkSources(service)).rejects.toThrow('approval of HMT_OFSI');
    const again = await service.call(`${SOURCES}/HMT_OFSI`, { ...ask, key: crypto.randomUUID() });
    expect([again.status, again.code]).toEqual([403, 'dual-control-replayed']);
    expect(await service.rows('HMT_OFSI')).toHaveLength(1);
  });

  test.each([
    ['cron_full', '0 2 ? * SUN', 'cron-invalid', '/cron_full not-six-fields'],
    ['cron_full', '* * * * * ?', 'cron-invalid', '/cron_full spacing-under-60s'],
    ['cron_full', '0 0 4 ? * SUN', 'cron-invalid', '/cron_delta full-delta-collision'],
    ['cron_delta', '0 15/30 * * * ?', 'cron-invalid', '/cron_delta ofac-over-hourly'],
    ['cron_full', '0 0 2 * * SUN', 'cron-invalid', '/cron_full cron-syntax'],
    ['url', 'https://user:secret@example.com/', 'body-invalid', '/url format'],
    ['url', 'https://example.com/#x', 'body-invalid', '/url format'],
    ['url', 'https://169.254.169.254/latest', 'address-refused', '/url private-address'],
    ['url', 'http://127.0.0.1:6379/', 'address-refused', '/url private-address'],
    ['url', 'https://0x7f.1/', 'address-refused', '/url private-address'],
    ['url', 'https://inside.example/list', 'address-refused', '/url private-address'],
  ])('%s %s is refused, and the approval is not used up', async (field, value, code, error) => {
    const reply = await patch('OFAC_SDN', { [field]: value }, { approver: 'dora', author: 'carl' });
    expect([reply.code, ...reply.errors.slice(0, 1)]).toEqual([code, error]);
    expect(await service.rows('OFAC_SDN')).toEqual([]);
    expect(await service.source('OFAC_SDN')).toBeUndefined();
  });

  test('ten changes at once are made one after the other', async () => {
    const before = await service.rows('COMMERCIAL_WATCHLIST');
    const minutes = Array.from({ length: 10 }, (_, at) => `0 ${at + 5} 9 ? * TUE`);
    const by = { approver: 'dora', author: 'carl' } as const;
    const replies = await Promise.all(
      minutes.map((cron_full) => patch('COMMERCIAL_WATCHLIST', { cron_full }, by)),
    );
    expect(replies.map(({ status }) => status)).toEqual(minutes.map(() => 200));
    const rows = await service.rows('COMMERCIAL_WATCHLIST');
    expect(rows).toHaveLength(before.length + 10);
    expect(brokenScheduleAudit([...rows].reverse())).toBeUndefined();
    expect(rows.map(({ newValue }) => newValue).sort()).toEqual([...minutes].sort());
  });

  test('every wrong member is told: what is malformed first, then what breaks a rule', async () => {
    const rules = { air_gap_path: '../x', cron_full: '0 2 ? * SUN' };
    const by = { approver: 'dora', author: 'carl' } as const;
    const malformed = await patch('OFAC_SDN', { ...rules, url: 'ftp://example.com/' }, by);
    expect([malformed.status, malformed.code, ...malformed.errors]).toEqual([
      400,
      'body-invalid',
      '/url format',
    ]);
    const broken = await patch('OFAC_SDN', rules, by);
    expect([broken.status, broken.code, ...broken.errors]).toEqual([
      422,
      'air-gap-path-invalid',
      '/air_gap_path format',
      '/cron_full not-six-fields',
    ]);
  });

  test.each([
    '../x',
    'a/../../x',
    '/etc/passwd',
    '/proc/self/environ',
    './x',
    'a/./b',
    '..%2fx',
    '%2e%2e/x',
    'a\\..\\x',
    '\\\\host\\share\\x',
    'C:\\x',
    'C:x',
    'file:///etc/passwd',
    '~/x',
    '.hidden',
    'a/.hidden/x',
    'a//b',
    'a/',
    'x.',
    'x ',
    'a\nb',
    'a\u2215b',
    'ａ/ｂ',
    `${'x/'.repeat(100)}x`,
    'CON:',
    '-rf',
    '$(x)',
    'a*',
    'a|b',
  ])('air_gap_path %j is refused', async (path) => {
    const ask = { air_gap_path: path };
    const reply = await patch('OFAC_SDN', ask, { approver: 'dora', author: 'carl' });
    expect([reply.status, reply.code]).toEqual([422, 'air-gap-path-invalid']);
    expect(await service.rows('OFAC_SDN')).toEqual([]);
  });
});

describe('where many tenants share an installation', () => {
  test.each([
    [undefined, 403],
    [false, 403],
    [true, 200],
  ])('a tenant with lists.operator %s changes lists: %i', async (operator, status) => {
    const options = operator === undefined ? {} : { operator };
    const service = await openListService(makeSqliteHarness, { ...options, mode: 'managed' });
    const headers = service.signed(subjectOf('UN_SC', 'enabled', true), {
      approver: 'dora',
      author: 'carl',
    });
    const body = { enabled: true, ...REASON };
    const ask = { as: 'carl', body, headers, method: 'PATCH' };
    expect((await service.call(`${SOURCES}/UN_SC`, ask)).status).toBe(status);
    const shown = (await service.call(`${SOURCES}/UN_SC`)).json();
    expect(shown.url === null).toBe(operator !== true);
    expect((await service.call(`${SOURCES}/UN_SC/schedule-audit`)).status).toBe(status);
    await service.close();
  });
});
