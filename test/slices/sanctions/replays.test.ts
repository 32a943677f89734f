/**
 * Screenings repeated on a real store and the real engine: over several versions of a list, all
 * re-rankers and several policies nothing differs, and what was altered is told by its place.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eraseEvidence, signedEvents } from '#core/audit';
import { chainOf, DomainError, type ScreeningId, type TenantId } from '#core/kernel';
import { DIFFERENCES_MAX, differencesOf, replayScreening } from '#slices/sanctions';
import { RERANKERS } from '#slices/screening';
import { start } from '../../../src/slices/sanctions/edge/jobs.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { demoLines, publishWithout } from './demoVersions.ts';

const NAMES = [
  'Tarek Velmorani',
  'Velmorani Tarek',
  'Nobody Atall',
  'طارق فلموراني',
  'Tarik Vilmorani',
];
const VERSIONS = 3;

interface Shown {
  readonly status: string;
  readonly reason: string | null;
  readonly differences: readonly { readonly pointer: string }[];
  readonly original_hash: string | null;
  readonly replayed_hash: string | null;
  readonly event_id: string | null;
  readonly reranker_version: string | null;
}

let gateway: RealGateway;
let tenantId: TenantId;
let caller: Caller;
let folder: string;
let work: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
  if (!hasRedis) return;
  folder = await mkdtemp(join(tmpdir(), 'replays-'));
  gateway = await openRealGateway('node:http');
  tenantId = await gateway.tenant('sandbox');
  caller = await gateway.caller(tenantId, 'agent_l2');
  work = await start(gateway.process as never);
});
afterAll(async () => {
  await work?.stop();
  await gateway?.close();
  if (folder !== undefined) await rm(folder, { force: true, recursive: true });
});

async function replayed(screeningId: string): Promise<Shown> {
  const path = `/v1/sanctions/screenings/${screeningId}`;
  const asked = await caller.post(`${path}/replay`);
  expect(asked.status, asked.text).toBe(202);
  const { replay_id } = asked.json<{ replay_id: string }>();
  work.wake?.();
  const read = async () => (await caller.get(`${path}/replays/${replay_id}`)).json<Shown>();
  const ENDED = ['identical', 'different', 'impossible'];
  await expect
    .poll(async () => ENDED.includes((await read()).status), { timeout: 20_000 })
    .toBe(true);
  return read();
}

const screened = async (body: object): Promise<string> =>
  (await caller.screen(body)).json<{ screening_id: string }>().screening_id;

test.skipIf(!hasRedis)(
  'over versions of a list, re-rankers and policies nothing differs',
  async () => {
    const ids: string[] = [];
    for (let version = 0; version < VERSIONS; version++) {
      if (version > 0) await publishWithout(version, gateway, folder);
      for (const [place, reranker] of RERANKERS.entries()) {
        const own = await gateway.tenant('sandbox', {
          'screening.reranker_version': reranker,
          'screening.threshold.adverse_media': 0.6 + place / 20,
          'screening.top_n': 5 + version * 10,
        });
        const other = await gateway.caller(own, 'agent_l2');
        for (const name of NAMES) {
          const answer = await other.screen({ dob: '1971-03-14', name });
          ids.push(`${own} ${answer.json<{ screening_id: string }>().screening_id}`);
        }
      }
    }
    const callers = new Map<string, Caller>();
    const results = [];
    for (const one of ids) {
      const [own = '', id = ''] = one.split(' ');
      caller = callers.get(own) ?? (await gateway.caller(own as TenantId, 'agent_l2'));
      callers.set(own, caller);
      const { differences, reason, status } = await replayed(id);
      results.push({ differences, reason, status });
    }
    caller = await gateway.caller(tenantId, 'agent_l2');
    const identical = { differences: [], reason: null, status: 'identical' };
    expect(results).toEqual(ids.map(() => identical));
  },
  120_000,
);

test.skipIf(!hasRedis)('an erased query cannot be repeated; an altered event neither', async () => {
  const erased = await screened({ name: NAMES[0] });
  const { audit, clock, random, storage } = gateway.installation;
  await eraseEvidence(
    { audit, clock, random, store: storage.audit },
    {
      actor: 'cli:test',
      chainId: chainOf(tenantId),
      reason: 'a request',
      screeningId: erased as ScreeningId,
    },
  );
  expect(await replayed(erased)).toMatchObject({
    event_id: expect.any(String),
    reason: 'query-erased',
    status: 'impossible',
  });
  const elsewhere = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l2');
  const path = `/v1/sanctions/screenings/${erased}/replay`;
  expect((await elsewhere.post(path)).problem()).toMatchObject({ code: 'not-found', status: 404 });
  const agent = await gateway.caller(tenantId, 'agent_l1');
  expect((await agent.post(path)).status).toBe(403);
});

test('differences are told by pointer, the first of them, long values cut', () => {
  const original = { 'a/b': [1, { x: 'one' }], same: true, verdict: 'CLEAR' };
  const changed = { 'a/b': [1, { x: 'two' }, 'more'], same: true, verdict: 'y'.repeat(1_000) };
  const found = differencesOf(original, changed);
  expect(found.map(({ pointer }) => pointer)).toEqual(['/a~1b/1/x', '/a~1b/2', '/verdict']);
  expect(found[1]).toMatchObject({ original: null, replayed: 'more' });
  expect(String(found[2]?.replayed).length).toBeLessThan(500);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`m${n}`, n]));
  expect(differencesOf(many, {})).toHaveLength(DIFFERENCES_MAX);
  expect(differencesOf(original, structuredClone(original))).toEqual([]);
});

test.skipIf(!hasRedis)(
  'an engine that answers otherwise is told by place; a lost list is not guessed',
  async () => {
    // One that every version has.
    const line = (await demoLines())[VERSIONS + 2] ?? '';
    const { primary_name: name } = JSON.parse(line) as { readonly primary_name: string };
    const id = await screened({ name });
    const { clock, keyRing, random, storage } = gateway.installation;
    const event = await storage.audit.findByScreening(chainOf(tenantId), id as ScreeningId);
    assert(event !== undefined);
    const ports = {
      clock,
      // It finds nobody.
      engine: {
        screen: async ({ query }: { readonly query: object }) => ({
          candidates: [],
          query,
          truncated: false,
        }),
      },
      events: signedEvents({ audit: storage.audit, keyRing }),
      exclusions: async () => undefined,
      lists: {
        acquire: async () => ({ lists: [], release: () => undefined, resolution: undefined }),
      },
      random,
    } as unknown as Parameters<typeof replayScreening>[0];
    const replayed = await replayScreening(ports, { event, tenantId });
    assert('differences' in replayed);
    expect(replayed.originalHash).not.toBe(replayed.replayedHash);
    const pointers = replayed.differences.map(({ pointer }) => pointer);
    expect(pointers).toContain('/verdict/decision');
    expect(pointers).toContain('/candidates/0');
    const lost = {
      ...ports,
      lists: { acquire: async () => Promise.reject(new DomainError('list-unavailable')) },
    };
    expect(await replayScreening(lost, { event, tenantId })).toMatchObject({
      reason: 'list-unavailable',
      rerankerVersion: '1.1.0',
    });
    const altered = { ...event, body: event.body.replace('"top_n":', '"top_m":') };
    expect(await replayScreening(ports, { event: altered, tenantId })).toMatchObject({
      reason: 'event-altered',
    });
  },
);
