/**
 * `cache_ttl_hours` over the real engine and store: a query that was asked lately is not scored
 * again, has an event of its own that says so, and is scored anew once anything that decides
 * differs.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { chainOf, type ScreeningId, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { policySettingsOf } from '#slices/policies';
import { ScreeningCache, type ScreeningSettings, screeningPartsOf } from '#slices/screening';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';

const HOUR_MS = 3_600_000;
let gateway: RealGateway;
let tenantId: TenantId;
let policy: ScreeningSettings;

beforeAll(async () => {
  if (!hasRedis) return;
  gateway = await openRealGateway('node:http');
  tenantId = await gateway.tenant('sandbox');
  policy = await policySettingsOf(gateway.process)(tenantId);
});
afterAll(async () => gateway?.close());

async function screened(settings: ScreeningSettings, name = 'Tarek Velmorani') {
  const { engine, screening } = await screeningPartsOf(gateway.process);
  const spy = vi.spyOn(engine, 'screen');
  const text = await screening.screen({
    pointers: { lists: '/lists', name: '/name' },
    query: { name, transliterations: [] },
    requestedBy: 'test',
    sandbox: true,
    settings,
    startedAtMs: gateway.process.clock.monotonicMs(),
    tenantId,
  });
  const asked = spy.mock.calls.length;
  spy.mockRestore();
  const answer = JSON.parse(text) as { screening_id: string; hits: unknown[]; decision: string };
  const event = await gateway.installation.storage.audit.findByScreening(
    chainOf(tenantId),
    answer.screening_id as ScreeningId,
  );
  const members = JSON.parse(event?.body ?? '{}') as Record<string, unknown>;
  return { answer, asked, event, members };
}

test.skipIf(!hasRedis)(
  'the same query is scored once, and each screening has its event',
  async () => {
    const settings = { ...policy, cacheTtlMs: HOUR_MS };
    const first = await screened(settings);
    const second = await screened(settings);
    expect([first.asked, second.asked]).toEqual([1, 0]);
    expect(first.members.cached).toBeUndefined();
    expect(second.members.cached).toBe(true);
    expect(second.answer.screening_id).not.toBe(first.answer.screening_id);
    expect(second.answer.hits).toEqual(first.answer.hits);
    for (const member of ['candidates', 'effective_weights', 'lists', 'thresholds', 'verdict']) {
      expect(second.members[member]).toEqual(first.members[member]);
    }
    const queryOf = (text = '{}') => JSON.parse(text).query_normalized;
    expect(queryOf(second.event?.open)).toEqual(queryOf(first.event?.open));
    // Another query, another policy, and a policy that allows none.
    expect((await screened(settings, 'Nobody Atall')).asked).toBe(1);
    expect((await screened({ ...settings, policyVersion: 9 })).asked).toBe(1);
    expect((await screened(policy)).asked).toBe(1);
    expect((await screened(policy)).members.cached).toBeUndefined();
  },
);

test('an answer is kept for its time, under all that decides, and within a bound', () => {
  const cache = new ScreeningCache(4);
  const settings = { cacheTtlMs: HOUR_MS, topN: 50 } as ScreeningSettings;
  const key = {
    exclusions: undefined,
    listVersion: 'aa',
    query: { name: 'a', transliterations: [] },
    settings,
    tenantId: 'one' as TenantId,
  };
  const answer = { candidates: [], query: { names: ['a'], variants: [] }, truncated: false };
  const at = (ms: number) => ms as EpochMs;
  cache.keep(key, answer, at(0));
  expect(cache.find(key, at(HOUR_MS - 1))).toMatchObject(answer);
  for (const other of [
    { listVersion: 'bb' },
    { exclusions: 'cc' },
    { tenantId: 'two' as TenantId },
    { query: { name: 'b', transliterations: [] } },
    { settings: { ...settings, topN: 10 } },
  ]) {
    expect(cache.find({ ...key, ...other }, at(1))).toBeUndefined();
  }
  expect(cache.find(key, at(HOUR_MS))).toBeUndefined();
  expect(cache.find(key, at(1))).toBeUndefined();
  // Four answers without candidates fit; the oldest goes.
  const keyOf = (name: string) => ({ ...key, query: { name, transliterations: [] } });
  for (const name of ['1', '2', '3', '4', '5']) cache.keep(keyOf(name), answer, at(0));
  expect(cache.find(keyOf('1'), at(1))).toBeUndefined();
  expect(cache.find(keyOf('5'), at(1))).toBeDefined();
});
