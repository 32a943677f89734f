/**
 * What runs on the gateway's own thread: nothing whose cost the content of a query decides. The
 * functions that read names refuse to run on this thread here, and only engine threads, which
 * load the files for themselves, have the real ones.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createEngine } from '#engine';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { SETTINGS } from '../../engine/fixtures.ts';
import { hasRedis } from '../../redis/realRedis.ts';

vi.mock('../../../src/engine/normalizeQuery.ts', () => ({
  normalizeQuery: () => {
    throw new Error('a name was normalised on the main thread');
  },
}));
vi.mock('../../../src/engine/preparedQuery.ts', async (original) => ({
  ...(await original<object>()),
  PreparedQuery: class {
    set(): void {
      throw new Error('a name was prepared on the main thread');
    }
  },
}));
vi.mock('../../../src/engine/reranker2/explain.ts', () => ({
  explainEntities: () => {
    throw new Error('a score was taken apart on the main thread');
  },
}));
const ARABIC = 'عبد الرحمن بن محمد الفلموراني ';
const WORST = {
  name: ARABIC.repeat(20).slice(0, 512),
  transliterations: Array.from({ length: 20 }, (_, at) => ARABIC.repeat(20).slice(at, at + 512)),
};
const TOKENS = 21;

test('an engine without threads would meet the refusal', async () => {
  const engine = createEngine({ queueMax: 1, threads: 0 });
  const call = { deadlineMs: 60_000, indexes: [], settings: SETTINGS };
  await expect(engine.screen({ ...call, query: WORST })).rejects.toThrow(/on the main thread/);
  const normalized = { names: ['a'], variants: [] };
  await expect(engine.screen({ ...call, query: normalized })).rejects.toThrow(/on the main thread/);
  await engine.close();
});

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('over %s', (technology) => {
  let gateway: RealGateway;
  let caller: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    caller = await gateway.caller(await gateway.tenant('sandbox'), 'compliance_officer');
  });
  afterAll(() => gateway?.close());

  test('the worst query is read by a thread, and its evidence has all names of it', async () => {
    // The thread for long queries starts with the first, which may be over before it is there.
    const answer = await vi.waitFor(
      async () => {
        const one = await caller.screen(WORST);
        expect(one.status, one.text).toBe(200);
        return one;
      },
      { timeout: 60_000 },
    );
    const { screening_id } = answer.json<{ screening_id: string }>();
    const { event } = (await caller.evidence(screening_id)).json<{
      event: { query_normalized: { names: string[]; variants: string[] } };
    }>();
    expect(event.query_normalized.names.length).toBeGreaterThan(20);
    expect(event.query_normalized.variants.length).toBeGreaterThan(16);
  });

  test('a listed name and one of punctuation are told apart there, too', async () => {
    const [found, empty] = await Promise.all([
      caller.screen({ name: 'Tarek Velmorani' }),
      caller.screen({ name: '...' }),
    ]);
    expect(found.json<{ hits: unknown[] }>().hits).not.toEqual([]);
    expect(empty.problem()).toMatchObject({ code: 'name-empty', status: 422 });
  });

  test('why a hit has its score is found in a thread, and repeated from its event', async () => {
    const key = randomUUID();
    const subject = {
      full_name: 'Tarek Velmorani',
      full_name_transliterations: WORST.transliterations,
    };
    const ask = () => caller.post('/v1/aml/screen?explain=true', { subject }, { key });
    const answer = await ask();
    expect(answer.status, answer.text).toBe(200);
    const { hits } = answer.json<{ hits: { explanation: { score: number } | null }[] }>();
    expect(hits[0]?.explanation?.score).toBeGreaterThan(0.9);
    const again = await ask();
    expect(again.text).toBe(answer.text);
  });

  test('a costly query costs as many tokens as it has times 512 letters', async () => {
    const tenantId = await gateway.tenant('sandbox', { 'limits.screening_per_second': 50 });
    const bank = await gateway.caller(tenantId, 'developer');
    const [costly] = [await bank.screen(WORST)];
    expect(costly.headers.get('x-ratelimit-limit')).toBe('50');
    // What came back meanwhile is within the second that the bucket holds.
    const left = Number(costly.headers.get('x-ratelimit-remaining'));
    expect(left).toBeGreaterThanOrEqual(50 - TOKENS);
    expect(left).toBeLessThan(50);
    const burst = await Promise.all(Array.from({ length: 8 }, () => bank.screen(WORST)));
    const refused = burst.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expect(answer.problem().code).toBe('rate-limited');
  });
});
