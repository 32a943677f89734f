/** Entries by what a person types, through a gateway on both adapters. */
import type { Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileSchema } from '../../../src/api/validate.ts';
import { EntitiesPage } from '../../../src/slices/screening/edge/entitySchemas.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';

type Page = Static<typeof EntitiesPage>;
const violationsOf = compileSchema(EntitiesPage);

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('looking entries up over %s', (technology) => {
  let gateway: RealGateway;
  let bank: Caller;
  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    bank = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
  });
  afterAll(() => gateway?.close());

  const ask = (caller: Caller, query: Readonly<Record<string, string>>) =>
    caller.get(`/v1/sanctions/entities?${new URLSearchParams(query)}`);
  const pageOf = async (query: Readonly<Record<string, string>>): Promise<Page> => {
    const answer = await ask(bank, query);
    expect([answer.status, violationsOf(answer.json())]).toEqual([200, []]);
    return answer.json<Page>();
  };

  test('each letter typed leads nearer, and the answer says that it is no screening', async () => {
    const before = await gateway.headSeq(bank.tenantId);
    for (const q of ['Tarek V', 'velmorani t', 'طارق فلم', 'Tarek Velmorani']) {
      const { data, notice, truncated } = await pageOf({ q });
      expect([q, data[0]?.ftm_id]).toEqual([q, 'demo-p-0001']);
      expect(data[0]).toMatchObject({
        categories: ['SAN'],
        list: 'DEMO',
        primary_name: 'Tarek Velmorani',
        schema: 'Person',
      });
      expect([notice.includes('not a screening'), truncated]).toEqual([true, false]);
    }
    expect((await pageOf({ q: 'Tarek Velmorani' })).data[0]?.relevance).toBe(1);
    expect(await gateway.headSeq(bank.tenantId)).toBe(before);
  });

  test('pages by cursor, each entry once, by relevance and then id', async () => {
    const whole = await pageOf({ limit: '200', q: 'a' });
    const all: Page['data'] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Page = await pageOf({ limit: '7', q: 'a', ...(cursor !== '' && { cursor }) });
      all.push(...page.data);
      cursor = page.next_cursor as string | null;
    }
    expect(all).toEqual(whole.data);
    const sorted = all.toSorted(
      (a, b) => b.relevance - a.relevance || (a.ftm_id < b.ftm_id ? -1 : 1),
    );
    expect(all.map(({ ftm_id }) => ftm_id)).toEqual(sorted.map(({ ftm_id }) => ftm_id));
    const { next_cursor } = await pageOf({ limit: '7', q: 'a' });
    const other = await ask(bank, { cursor: String(next_cursor), limit: '7', q: 'b' });
    expect(other.problem()).toMatchObject({ code: 'cursor-invalid', status: 400 });
  });

  test('refuses what it cannot look up', async () => {
    const live = await gateway.caller(await gateway.tenant('live'), 'agent_l1');
    const none = (await ask(live, { q: 'Tarek' })).problem();
    expect([none.status, none.code]).toEqual([422, 'list-unavailable']);
    for (const [query, status, code] of [
      [{ q: '...' }, 422, 'name-empty'],
      [{}, 400, 'query-invalid'],
      [{ q: 'x'.repeat(101) }, 400, 'query-invalid'],
      [{ limit: '201', q: 'a' }, 400, 'limit-out-of-range'],
      [{ list: 'NOPE', q: 'a' }, 400, 'list-unknown'],
      [{ list: 'UN', q: 'a' }, 422, 'list-unavailable'],
    ] as const) {
      const problem = (await ask(bank, query as Record<string, string>)).problem();
      expect([query, problem.status, problem.code]).toEqual([query, status, code]);
    }
    const auditor = await gateway.caller(bank.tenantId, 'auditor');
    expect((await ask(auditor, { list: 'DEMO', q: 'tarek' })).status).toBe(200);
    const dsi = await gateway.caller(bank.tenantId, 'dsi_admin');
    expect((await ask(dsi, { q: 'tarek' })).status).toBe(403);
  });
});
