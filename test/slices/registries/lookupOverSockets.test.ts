/** Lookups over HTTP in a sandbox, for themselves and for the case of a company. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import companies from '../../../config/demo/companies.json' with { type: 'json' };
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';

const PATH = '/v1/kyb/rne/lookup';
const [ACTIVE] = companies;
const STRUCK_OFF = companies.find(({ status }) => status === 'struck_off');

describe.skipIf(!hasRedis)('lookups over sockets', () => {
  let gateway: RealGateway;
  let agent: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    agent = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
  });
  afterAll(() => gateway?.close());

  const openCase = async (of: (typeof companies)[number] | undefined): Promise<string> => {
    const made = await agent.post('/v1/kyc/cases', {
      external_ref: `company-${of?.identifier}`,
      locale: 'fr-TN',
      subject: { legal_name: of?.legal_name, registration_number: of?.identifier },
      subject_type: 'business',
      workflow_code: 'business_standard',
    });
    expect(made.status, made.text).toBe(201);
    return made.json<{ case_id: string }>().case_id;
  };

  test('a company with its evidence, the same under one key, and then from memory', async () => {
    const key = crypto.randomUUID();
    const body = { country: 'TN', identifier: ACTIVE?.identifier };
    const answer = await agent.post(PATH, body, { key });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json()).toMatchObject({
      company: { legal_name: ACTIVE?.legal_name, status: 'active', trade_name: null },
      evidence: { audit: { seq: expect.any(Number) } },
      match: 'exact',
      registry: 'RNE_TN',
      source: 'file',
    });
    expect((await agent.post(PATH, body, { key })).text).toBe(answer.text);
    expect((await agent.post(PATH, body)).json()).toMatchObject({ source: 'cache' });
  });

  test('what is asked wrongly is said by name', async () => {
    const both = { country: 'TN', identifier: ACTIVE?.identifier, name: 'Olive' };
    expect((await agent.post(PATH, both)).problem()).toMatchObject({ code: 'body-invalid' });
    const wrong = await agent.post(PATH, { country: 'FR', identifier: '123456789' });
    expect(wrong.problem()).toMatchObject({ code: 'identifier-invalid', status: 422 });
    const other = await agent.post(PATH, { country: 'DE', name: 'Muster' });
    expect(other.problem()).toMatchObject({ code: 'registry-not-configured', status: 422 });
    const production = await gateway.caller(await gateway.tenant('live'), 'agent_l1');
    const none = await production.post(PATH, { country: 'TN', identifier: ACTIVE?.identifier });
    expect(none.problem()).toMatchObject({ code: 'registry-not-configured', status: 422 });
    const auditor = await gateway.caller(agent.tenantId, 'auditor');
    expect((await auditor.post(PATH, { country: 'TN', name: 'Olive' })).status).toBe(403);
  });

  test('a case has the outcome as a check, and the officers that it did not know', async () => {
    const id = await openCase(ACTIVE);
    const body = { case_id: id, country: 'TN', identifier: ACTIVE?.identifier };
    const answer = await agent.post(PATH, body);
    expect(answer.status, answer.text).toBe(200);
    expect((await agent.get(`/v1/kyc/cases/${id}`)).json()).toMatchObject({
      checks: [{ reason_codes: [], status: 'pass', type: 'registry' }],
      provenance: { officers: { source: 'registry' } },
      subject: { officers: [{ name: ACTIVE?.officers[0]?.name }] },
    });
    const gone = await openCase(STRUCK_OFF);
    const of = { case_id: gone, country: 'TN', identifier: STRUCK_OFF?.identifier };
    expect((await agent.post(PATH, of)).status).toBe(200);
    expect((await agent.get(`/v1/kyc/cases/${gone}`)).json()).toMatchObject({
      checks: [{ reason_codes: ['registry_struck_off'], status: 'fail', type: 'registry' }],
    });
    const unknown = { case_id: crypto.randomUUID(), country: 'TN', name: 'Olive' };
    expect((await agent.post(PATH, unknown)).problem()).toMatchObject({ code: 'case-unknown' });
  });
});
