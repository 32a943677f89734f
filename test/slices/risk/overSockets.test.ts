/** Risk over real sockets: roles, shapes, rules that are broken, answers that are kept. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chainOf, type TenantId } from '#core/kernel';
import { SHIPPED_HASH, SHIPPED_ID } from '#slices/risk';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';

describe.skipIf(!hasRedis)('risk over HTTP', () => {
  let gateway: RealGateway;
  let agent: Caller;
  let officer: Caller;
  let tenantId: TenantId;

  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    tenantId = await gateway.tenant('sandbox');
    agent = await gateway.caller(tenantId, 'agent_l1', 'agent_l2');
    officer = await gateway.caller(tenantId, 'compliance_officer');
  });
  afterAll(() => gateway?.close());

  test('the policy in force is the one that ships; a key drafts none', async () => {
    const found = await officer.get('/v1/risk/policies/in-force');
    expect(found.json()).toMatchObject({
      content_hash: SHIPPED_HASH,
      in_force: true,
      policy_id: SHIPPED_ID,
      version: 1,
      violations: [],
    });
    expect((await agent.get('/v1/risk/policies/in-force')).status).toBe(403);
    const drafted = await officer.post('/v1/risk/policies', { name: 'Mine' });
    expect(drafted.json()).toMatchObject({ code: 'person-required' });
    const wrong = await officer.post('/v1/risk/policies', {
      factors: [{ dimension: 'geo', fact: 'geo.residence', id: 'A', points: 101 }],
      name: '',
    });
    expect(wrong.status).toBe(400);
    const path = `/v1/risk/policies/${SHIPPED_ID}/simulate`;
    const simulated = await officer.post(path, { facts: { 'client.type': 'business' } });
    expect(simulated.json()).toMatchObject({ content_hash: SHIPPED_HASH, incomplete: true });
    const odd = await officer.post(path, { facts: { 'client.age': 'old', 'client.wealth': 1 } });
    expect(odd.json()).toMatchObject({ code: 'facts-invalid', status: 422 });
    const rows = await officer.get('/v1/risk/policies');
    expect(rows.json<{ data: object[] }>().data).toMatchObject([{ policy_id: SHIPPED_ID }]);
  });

  test('a client is evaluated, read, made again and counted', async () => {
    const opened = await agent.post('/v1/kyc/cases', {
      external_ref: 'client-7',
      locale: 'fr-TN',
      subject: { country_residence: 'IR', dob: '1990-05-17' },
      subject_type: 'individual',
      workflow_code: 'individual_standard',
    });
    expect(opened.status, opened.text).toBe(201);
    const made = await agent.post('/v1/risk/evaluations', {
      client: { external_ref: 'client-7' },
      facts: { 'product.codes': ['current_account'] },
    });
    expect(made.status, made.text).toBe(201);
    const evaluation = made.json<{
      client_id: string;
      evaluation_id: string;
      dimensions: { contribution: number }[];
      score: number;
    }>();
    expect(evaluation).toMatchObject({
      client_level: 'HIGH',
      facts: { 'geo.residence': 'IR', 'product.codes': ['current_account'] },
      overrides: [{ force: 'mustHigh', id: 'call_for_action' }],
    });
    const sum = evaluation.dimensions.reduce((total, one) => total + one.contribution, 0);
    expect(sum).toBeCloseTo(evaluation.score, 9);
    const path = `/v1/risk/evaluations/${evaluation.evaluation_id}`;
    expect((await agent.get(path)).json()).toEqual(made.json());
    const key = crypto.randomUUID();
    for (let times = 0; times < 2; times++) {
      const replayed = await agent.post(`${path}/replay`, undefined, { key });
      expect(replayed.json()).toEqual({ diff: [], equal: true });
    }
    const range = { action: 'risk.evaluation.replayed', chainId: chainOf(tenantId), fromSeq: 1 };
    const { audit } = gateway.process.storage;
    expect(await audit.readEvents({ ...range, limit: 9 })).toHaveLength(1);
    const list = await agent.get(`/v1/risk/clients/${evaluation.client_id}/evaluations?limit=1`);
    expect(list.json()).toMatchObject({ data: [made.json()], next_cursor: null });
    expect((await officer.get('/v1/risk/distribution')).json()).toMatchObject({
      clients: 1,
      levels: { HIGH: 1 },
      policy_version: 1,
    });
    const nobody = await agent.post('/v1/risk/evaluations', { client: { external_ref: 'x' } });
    expect(nobody.json()).toMatchObject({ code: 'risk-client-unknown' });
    const other = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
    expect((await other.get(path)).json()).toMatchObject({ code: 'evaluation-unknown' });
  });
});
