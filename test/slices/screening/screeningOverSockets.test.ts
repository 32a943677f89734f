/** Screening and its evidence through a whole gateway, as two tenants see it, on both adapters. */
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eraseEvidence } from '#core/audit';
import { KEY_ROLES } from '#core/identity';
import { chainOf, type ScreeningId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { compileSchema } from '../../../src/api/validate.ts';
import { ScreeningEvidence, ScreeningResult } from '../../../src/slices/screening/edge/schemas.ts';
import { modelOf } from '../../../src/slices/screening/rerankers.ts';
import { roles } from '../../../src/slices/screening/roles.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import {
  type Answer,
  type Caller,
  openRealGateway,
  type Problem,
  type RealGateway,
} from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';

type Result = Static<typeof ScreeningResult>;
interface Evidence {
  readonly event: Readonly<Record<string, unknown>> & { readonly hash: string };
  readonly checkpoint: object | null;
}

const violationsOf = compileSchema(ScreeningResult);
const evidenceViolationsOf = compileSchema(ScreeningEvidence);
const LISTED = 'Tarek Velmorani';
const NOBODY = 'Qqwyx Zzujklo';

function resultOf(answer: Answer): Result {
  expect(answer.text).not.toContain('"code"');
  expect(answer.status).toBe(200);
  const result = answer.json<Result>();
  expect(violationsOf(result)).toEqual([]);
  return result;
}

/** As the page on the format says it, with nothing of the product but JCS. */
function hashOf({ hash: _, signature: __, ...hashed }: Record<string, unknown>): string {
  const { query_normalized: ___, query_salt: ____, ...closed } = hashed;
  const digest = createHash('sha256').update('audit-event-v1\0');
  digest.update(Buffer.from(String(closed.previous_event_hash), 'hex'));
  return digest.update(canonicalJson(closed)).digest('hex');
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('screening over %s', (technology) => {
  let gateway: RealGateway;
  let bank: Caller;
  let insurer: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    bank = await gateway.caller(await gateway.tenant('sandbox'), 'compliance_officer');
    insurer = await gateway.caller(await gateway.tenant('sandbox'), 'compliance_officer');
  });
  afterAll(() => gateway?.close());

  test('a listed name is answered as described, and its evidence says the same', async () => {
    const answer = await bank.screen({ dob: '1971-03-14', name: LISTED, type: 'Person' });
    const result = resultOf(answer);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expect(result.decision).toBe('MATCH_DIRECT_SANCTIONS');
    expect(result.hits[0]).toMatchObject({
      candidate: { dobScore: 1, finalScore: 1, ftm_id: 'demo-p-0001', nameScore: 1 },
      directScore: 1,
      typology: 'MATCH_DIRECT_SANCTIONS',
    });

    expect(result.hits[0]?.candidate).toMatchObject({
      akas: ['طارق فلموراني', 'Tariq Vilmourani', 'Abu Dastun'],
      citizenships: ['TN'],
      countries: ['TN'],
      dates_of_birth: ['1971-03-14'],
      identifiers: ['Passport'],
      programmes: ['DEMO-ASSET-FREEZE'],
    });

    const read = await bank.evidence(result.screening_id);
    // They are the list's, and no part of the evidence.
    expect(read.text).not.toContain('DEMO-ASSET-FREEZE');
    const { event } = read.json<Evidence>();
    expect([read.status, evidenceViolationsOf(read.json())]).toEqual([200, []]);
    expect(event).toMatchObject({
      event_id: result.audit.event_id,
      list_version: result.list_version,
      screening_id: result.screening_id,
      seq: result.audit.seq,
      tenant_id: bank.tenantId,
      thresholds: result.thresholds,
      verdict: { decision: result.decision, hits: result.hits.map((hit) => hit.candidate.ftm_id) },
    });
    expect(event.hash).toBe(result.audit.hash);
    expect(hashOf(event)).toBe(result.audit.hash);
    expect(read.text).toContain(canonicalJson(event));
  });

  test.each([
    ['Ilvana Dostrekova', 'MATCH_PEP', 'demo-p-0002'],
    ['Selmira Velmorani', 'MATCH_RCA_DIRECT', 'demo-p-0003'],
    ['Nabor Orsenduro', 'MATCH_RCA_INDIRECT', 'demo-p-0004'],
    ['Castor Brindelhof', 'POTENTIAL_ADVERSE_MEDIA', 'demo-p-0005'],
    ['طارق فلموراني', 'MATCH_DIRECT_SANCTIONS', 'demo-p-0001'],
    ['سلميرة فلموراني', 'MATCH_RCA_DIRECT', 'demo-p-0003'],
    ['Ильвана Дострекова', 'MATCH_PEP', 'demo-p-0002'],
  ])('%s is %s', async (name, decision, ftmId) => {
    const result = resultOf(await bank.screen({ name }));
    expect(result.decision).toBe(decision);
    expect(result.hits[0]).toMatchObject({ candidate: { ftm_id: ftmId }, typology: decision });
    const again = resultOf(await bank.post('/v1/aml/screen', { subject: { full_name: name } }));
    expect(again).toMatchObject({
      decision,
      list_version: result.list_version,
      // A tenant made now has the calibrated score for subjects.
      reranker_version: '2.0.0',
    });
    expect(again.hits[0]).toMatchObject({ candidate: { ftm_id: ftmId }, typology: decision });
    expect(result.reranker_version).toBe('1.1.0');
  });

  test.each(['Velmorani Tarek', 'Velmorani, Tarek', 'VELMORANI TAREK'])(
    '%s, in another order, is no less listed on either route',
    async (name) => {
      const answers = [
        await bank.screen({ name }),
        await bank.post('/v1/aml/screen', { subject: { full_name: name } }),
      ];
      for (const answer of answers) {
        expect(resultOf(answer)).toMatchObject({ decision: 'MATCH_DIRECT_SANCTIONS' });
      }
    },
  );

  test('a hit says why it has its score where asked, and again from its event', async () => {
    const subject = { dob: '1971-03-15', full_name: 'Velmorani, Tarik' };
    const plain = resultOf(await bank.post('/v1/aml/screen', { subject }));
    expect(plain.hits[0]).not.toHaveProperty('explanation');
    const key = crypto.randomUUID();
    const ask = () => bank.post('/v1/aml/screen?explain=true', { subject }, { key });
    const [answer, repeated] = [await ask(), await ask()];
    expect(repeated.text).toBe(answer.text);
    const [hit] = resultOf(answer).hits;
    expect(hit?.directScore).toBe(plain.hits[0]?.directScore);
    expect(hit?.explanation).toMatchObject({ score: hit?.directScore });
    const { terms = [], words = [], z = 0 } = hit?.explanation ?? {};
    expect(words.map(({ reason }) => reason)).toContain('same');
    expect(terms).toContainEqual({ term: 'date_of_birth', z: 2 });
    const sum = terms.reduce((total, line) => total + Math.round(line.z * 1e4), 0);
    expect(sum).toBe(Math.round(z * 1e4));
    // A formula has nothing to add to its components.
    const byFormula = resultOf(
      await bank.post('/v1/sanctions/screen?explain=true', { name: LISTED }),
    );
    expect(byFormula.hits[0]?.explanation).toBeNull();
  });

  test('a tenant that chose the calibrated score has it, and its event says so', async () => {
    const tenantId = await gateway.tenant('sandbox', { 'screening.reranker_version': '2.0.0' });
    const caller = await gateway.caller(tenantId, 'agent_l1', 'agent_l2');
    const subject = { full_name: 'Ilvana Dostrekova' };
    const result = resultOf(await caller.post('/v1/aml/screen', { subject }));
    expect(result).toMatchObject({ decision: 'MATCH_PEP', reranker_version: '2.0.0' });
    const { event } = (await caller.evidence(result.screening_id)).json<Evidence>();
    expect(event).toMatchObject({ reranker_model: modelOf('2.0.0'), reranker_version: '2.0.0' });
  });

  test('relatives name whom they are related to, and how far', async () => {
    const rcaHitsOf = async (name: string) =>
      resultOf(await bank.screen({ name })).hits[0]?.rcaHits;
    const target = { sanctionedTargetFtmId: 'demo-p-0001' };
    expect(await rcaHitsOf('Selmira Velmorani')).toMatchObject([
      { ...target, depth: 1, pathTypes: ['FAMILY'] },
    ]);
    expect(await rcaHitsOf('Nabor Orsenduro')).toMatchObject([
      { ...target, depth: 2, pathTypes: ['BUSINESS', 'FAMILY'], rcaScore: 0.6 },
    ]);
  });

  test('CLEAR is evidence as well: one event, with its query', async () => {
    const before = await gateway.headSeq(bank.tenantId);
    const result = resultOf(await bank.screen({ name: NOBODY }));
    expect(result).toMatchObject({ audit: { seq: before + 1 }, decision: 'CLEAR', hits: [] });
    const { event } = (await bank.evidence(result.screening_id)).json<Evidence>();
    expect(event.query_normalized).toMatchObject({ names: [expect.stringContaining('qqwyx')] });
    expect(event.verdict).toEqual({ decision: 'CLEAR', hits: [] });
    const trail = await bank.get('/v1/audit/events?type=screening&limit=200');
    expect(trail.text).toContain(`"target":"${result.screening_id}"`);
  });

  test("another tenant's screening is as unknown as one that never was", async () => {
    const { screening_id } = resultOf(await bank.screen({ name: LISTED }));
    const foreign = await insurer.evidence(screening_id);
    const unknown = await insurer.evidence(crypto.randomUUID());
    expect(foreign.problem()).toEqual(unknown.problem());
    expect(foreign.problem()).toMatchObject({ code: 'not-found', status: 404 });
    expect([...foreign.headers.keys()]).toEqual([...unknown.headers.keys()]);
    expect(foreign.text).toHaveLength(unknown.text.length);
    expect((await bank.evidence(screening_id)).status).toBe(200);
    const trail = await insurer.get(`/v1/audit/events?target=${screening_id}`);
    expect(trail.json()).toEqual({ data: [], next_cursor: null });
  });

  test('erased evidence is shown without its open members, under the same hash', async () => {
    const { audit, screening_id } = resultOf(await bank.screen({ name: LISTED }));
    const { event: whole } = (await bank.evidence(screening_id)).json<Evidence>();
    const { installation } = gateway;
    await eraseEvidence(
      { ...installation, store: installation.storage.audit },
      {
        actor: 'cli:test',
        chainId: chainOf(bank.tenantId),
        reason: 'request-17',
        screeningId: screening_id as ScreeningId,
      },
    );
    const { event: left } = (await bank.evidence(screening_id)).json<Evidence>();
    const { query_normalized, query_salt, ...closed } = whole;
    expect([query_normalized, query_salt]).not.toContain(undefined);
    expect(left).toEqual(closed);
    expect(hashOf(left)).toBe(audit.hash);
  });

  test('every role may do what the table says and no more', async () => {
    const { screening_id } = resultOf(await bank.screen({ name: LISTED }));
    for (const role of KEY_ROLES) {
      const caller = await gateway.caller(bank.tenantId, role);
      const before = await gateway.headSeq(bank.tenantId);
      const screened = await caller.screen({ name: NOBODY });
      const shown = await caller.evidence(screening_id);
      const mayScreen = roles.screen.includes(role as never);
      expect([role, screened.status]).toEqual([role, mayScreen ? 200 : 403]);
      expect([role, shown.status]).toEqual([
        role,
        roles.readEvidence.includes(role as never) ? 200 : 403,
      ]);
      if (!mayScreen) expect(screened.problem().code).toBe('role-insufficient');
      expect(await gateway.headSeq(bank.tenantId)).toBe(before + Number(mayScreen));
    }
  });

  test.each([
    ['an unknown code', ['OFAC', 'NARNIA'], 400, 'list-unknown', '/lists/1'],
    ['a code without a loaded source', ['DEMO', 'UN'], 422, 'list-unavailable', '/lists/1'],
    ['a code twice', ['DEMO', 'DEMO'], 400, 'body-invalid', '/lists'],
    ['no code', [], 400, 'body-invalid', '/lists'],
  ])('a list filter with %s is refused and leaves nothing', async (_, lists, ...expected) => {
    const before = await gateway.headSeq(bank.tenantId);
    const answer = await bank.screen({ lists, name: LISTED });
    const { code, errors, status } = answer.json<Problem>();
    expect([status, code, errors[0]?.pointer]).toEqual(expected);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await gateway.headSeq(bank.tenantId)).toBe(before);
  });

  test('a list filter that is loaded is obeyed; the shipped list is no live tenant’s', async () => {
    expect(resultOf(await bank.screen({ lists: ['DEMO'], name: LISTED })).decision).not.toBe(
      'CLEAR',
    );
    const live = await gateway.caller(await gateway.tenant('live'), 'compliance_officer');
    for (const body of [{ name: LISTED }, { lists: ['DEMO'], name: LISTED }]) {
      expect((await live.screen(body)).problem()).toMatchObject({
        code: 'list-unavailable',
        status: 422,
      });
    }
    expect((await live.get('/v1/sanctions/lists')).json()).toMatchObject({ data: [] });
  });

  test('after a 429 the next call passes once Retry-After is over', async () => {
    const tenantId = await gateway.tenant('sandbox', { 'limits.screening_per_second': 2 });
    const caller = await gateway.caller(tenantId, 'developer');
    const before = await gateway.headSeq(tenantId);
    const burst = await Promise.all(
      Array.from({ length: 8 }, () => caller.screen({ name: NOBODY })),
    );
    const passed = burst.filter(({ status }) => status === 200).length;
    const refused = burst.filter(({ status }) => status === 429);
    expect(passed).toBeGreaterThanOrEqual(2);
    expect(refused).toHaveLength(8 - passed);
    for (const answer of refused) {
      expect(answer.problem().code).toBe('rate-limited');
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(answer.headers.get('x-ratelimit-limit')).toBe('2');
      expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
    }
    expect(await gateway.headSeq(tenantId)).toBe(before + passed);
    // The promise is about time itself: nothing else tells when it is over.
    await wait(Number(refused[0]?.headers.get('retry-after')) * 1_000);
    expect((await caller.screen({ name: NOBODY })).status).toBe(200);
  });
});
