/** Policies with nothing replaced: two persons with tokens, over both HTTP adapters. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { approvalMessage, identityStore, type Role } from '#core/identity';
import type { TenantId } from '#core/kernel';
import { type Signer, signerFromSeed } from '#platform/crypto';
import { findPolicy, type PolicyContent } from '#slices/policies';
import { createAdministration } from '../../../src/slices/tenants/administration.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { sign, startIssuer, type TestKey, testKey } from '../../core/identity/issuer.ts';
import { hasRedis } from '../../redis/realRedis.ts';

const AUDIENCE = 'api';
const ACTOR = 'cli:test' as const;
const PATH = '/v1/sanctions/policies';
const KEYS: Readonly<Record<string, Signer>> = {
  carl: signerFromSeed(new Uint8Array(32).fill(11)),
  dora: signerFromSeed(new Uint8Array(32).fill(12)),
};
const ROLES = { carl: 'compliance_officer', dora: 'dsi_admin' } as const;

interface Policy {
  readonly version: number;
  readonly status: string;
  readonly content: PolicyContent;
  readonly content_hash: string;
  readonly signing: { author: string; field: string; new_value: object; resource: string };
  readonly signatures: readonly object[];
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('%s: policies', (technology) => {
  let key: TestKey;
  let issuer: Awaited<ReturnType<typeof startIssuer>>;
  let gateway: RealGateway;
  let second: RealGateway;
  let tenantId: TenantId;
  let machine: Caller;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    key = await testKey('es');
    issuer = await startIssuer([key]);
    const environment = {
      OIDC_AUDIENCE: AUDIENCE,
      OIDC_ISSUER: issuer.url,
      OIDC_JWKS_URL: issuer.jwksUrl,
    };
    gateway = await openRealGateway(technology, undefined, environment);
    second = await openRealGateway(technology, gateway, environment);
    tenantId = await gateway.tenant('sandbox');
    machine = await gateway.caller(tenantId, 'agent_l1', 'auditor');
    for (const name of ['carl', 'dora'] as const) await register(name);
  });
  afterAll(async () => {
    await second.close();
    await gateway.close();
    await issuer.close();
  });

  async function register(name: 'carl' | 'dora'): Promise<void> {
    const { installation } = gateway;
    const store = identityStore(installation.storage.tables);
    const { persons } = createAdministration({ ...installation, store });
    const accounts = [{ issuer: issuer.url, subject: name }];
    const roles = [ROLES[name]];
    const person = await persons.add({ accounts, actor: ACTOR, name, roles, tenantId });
    ids[name] = person.id;
    const publicKey = Buffer.from(KEYS[name]?.publicKey.raw ?? []).toString('base64');
    await persons.addKey({ actor: ACTOR, personId: person.id, publicKey, tenantId });
  }

  async function call(
    name: 'carl' | 'dora',
    method: string,
    path: string,
    given: { readonly body?: object; readonly ifMatch?: string } = {},
  ) {
    const { body, ifMatch } = given;
    const now = Math.floor(Date.now() / 1_000);
    const role: Role = ROLES[name];
    const token = await sign(key, {
      amr: ['pwd', 'otp'],
      aud: AUDIENCE,
      exp: now + 300,
      iat: now,
      iss: issuer.url,
      roles: [role],
      sub: name,
      tenant_id: tenantId,
    });
    const response = await fetch(`${gateway.origin}${PATH}${path}`, {
      headers: {
        Authorization: `Bearer ${token}`,
        ...(method !== 'GET' && { 'Idempotency-Key': crypto.randomUUID() }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
      },
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      etag: response.headers.get('etag'),
      json: <Body = Policy>() => JSON.parse(text) as Body,
      status: response.status,
      text,
    };
  }

  function signed({ signing }: Policy, name: 'carl' | 'dora') {
    const timestamp = new Date().toISOString();
    const message = approvalMessage(
      { field: signing.field, newValue: signing.new_value, resource: signing.resource },
      { approver: ids[name] ?? '', author: signing.author, timestamp },
    );
    const signature = Buffer.from(KEYS[name]?.sign(message) ?? []).toString('base64');
    return { signature, timestamp };
  }

  const inForce = async () =>
    (await call('carl', 'GET', '')).json<{ active: Policy; drafts: Policy[] }>();
  const screened = async (by: Caller = machine) =>
    (await by.screen({ name: 'Tarek Velmorani' })).json<{
      decision: string;
      policy_version: number;
      screening_id: string;
      thresholds: Record<string, number>;
    }>();

  test('a draft, two signatures, and every event names what decided it', async () => {
    const { active } = await inForce();
    const before = await screened();
    expect(before).toMatchObject({ policy_version: 1, thresholds: { pep: 0.85 } });
    const content = { ...active.content, thresholds: { ...active.content.thresholds, pep: 0.9 } };
    const listed = await call('carl', 'GET', '');
    const body = { content, justification: 'Fewer alerts' };
    const saved = await call('carl', 'PUT', '', { body, ifMatch: listed.etag ?? '' });
    expect([saved.status, saved.text]).toEqual([200, expect.stringContaining('"DRAFT"')]);
    const simulated = await call('dora', 'POST', '/2/simulate', { body: { sample: 10 } });
    expect([simulated.status, simulated.json<object>()]).toEqual([
      200,
      expect.objectContaining({ base_version: 1, changed: 0, complete: true, version: 2 }),
    ]);
    const seq = await gateway.headSeq(tenantId);
    const off = { ...content, thresholds: { ...content.thresholds, direct: 1 } };
    await call('carl', 'PUT', '', { body: { ...body, content: off } });
    const stricter = await call('dora', 'POST', '/2/simulate', { body: {} });
    expect(stricter.json<object>()).toMatchObject({ before: { MATCH_DIRECT_SANCTIONS: 1 } });
    // Nothing is written but the draft.
    expect(await gateway.headSeq(tenantId)).toBe(seq + 1);
    await call('carl', 'PUT', '', { body });
    const overtaken = await call('carl', 'PUT', '', { body, ifMatch: listed.etag ?? '' });
    expect(overtaken.status).toBe(412);
    const first = await call('carl', 'POST', '/2/publish', { body: signed(saved.json(), 'carl') });
    expect([first.status, first.json().status]).toEqual([202, 'PENDING_SIGNATURE']);
    const last = await call('dora', 'POST', '/2/publish', { body: signed(saved.json(), 'dora') });
    expect([last.status, last.json().status]).toEqual([200, 'PUBLISHED']);
    // At once here; the other gateway reads it anew.
    const after = await screened();
    expect(after).toMatchObject({ policy_version: 2, thresholds: { pep: 0.9 } });
    await vi.waitUntil(async () => (await screened(machine.at(second))).policy_version === 2, {
      interval: 50,
      timeout: 30_000,
    });
    for (const { policy_version: policyVersion, screening_id } of [before, after]) {
      const { event } = (await machine.evidence(screening_id)).json<{
        event: { policy_digest: string };
      }>();
      const { tables } = gateway.installation.storage;
      const stored = await findPolicy({ tables }, { policyVersion, tenantId });
      expect(event.policy_digest).toBe(stored.contentHash);
    }
  });

  test('a list that is off is left out, and never CLEAR where it is named', async () => {
    const { active } = await inForce();
    const content = { ...active.content, sources: { DEMO: { enabled: false } } };
    const body = { content, justification: 'The list of sandboxes' };
    const saved = (await call('dora', 'PUT', '', { body })).json();
    const signatures = (['carl', 'dora'] as const).map((name) => ({
      ...signed(saved, name),
      signer: ids[name],
    }));
    const path = `/${saved.version}/publish`;
    const published = await call('dora', 'POST', path, { body: { signatures } });
    expect([published.status, published.text]).toEqual([200, expect.anything()]);
    const named = await machine.screen({ lists: ['DEMO'], name: 'Tarek Velmorani' });
    expect(named.problem()).toMatchObject({ code: 'list-disabled-by-policy', status: 422 });
    const all = await machine.screen({ name: 'Tarek Velmorani' });
    expect(all.problem()).toMatchObject({ code: 'list-unavailable' });
    const back = await call('carl', 'POST', '/2/draft', { body: {} });
    expect([back.status, back.json().status]).toEqual([201, 'DRAFT']);
    for (const name of ['carl', 'dora'] as const) {
      const place = `/${back.json().version}/publish`;
      await call(name, 'POST', place, { body: signed(back.json(), name) });
    }
    expect((await screened()).decision).toBe('MATCH_DIRECT_SANCTIONS');
  });

  test('rules that are broken are told together, each by its place', async () => {
    const { active } = await inForce();
    const content = {
      ...active.content,
      sources: { NOWHERE: { enabled: true } },
      weights: { ...active.content.weights, name: 0.5 },
    };
    const refused = await call('carl', 'PUT', '', { body: { content, justification: 'x' } });
    expect(refused.status).toBe(422);
    const { code, errors } = refused.json<{ code: string; errors: { pointer: string }[] }>();
    expect([code, errors.map(({ pointer }) => pointer)]).toEqual([
      'policy-invalid',
      ['/content/weights', '/content/sources/NOWHERE'],
    ]);
    const misshapen = { ...active.content, reranker_version: '9.9.9' };
    const shape = await call('carl', 'PUT', '', {
      body: { content: misshapen, justification: 'x' },
    });
    expect(shape.json<{ code: string }>().code).toBe('body-invalid');
  });

  test('a machine reads policies and changes none; another tenant sees none', async () => {
    expect((await machine.get(`${PATH}/1`)).json<Policy>().version).toBe(1);
    const officer = await gateway.caller(tenantId, 'compliance_officer');
    const refused = await officer.post(`${PATH}/1/draft`, {});
    expect(refused.problem()).toMatchObject({ code: 'person-required', status: 403 });
    const other = await gateway.caller(await gateway.tenant('live'), 'auditor');
    expect((await other.get(`${PATH}/2`)).problem()).toMatchObject({ code: 'policy-unknown' });
    expect((await other.get(`${PATH}/x`)).problem()).toMatchObject({ code: 'policy-unknown' });
  });

  test('the schema of a content is published', async () => {
    const response = await fetch(`${gateway.origin}/schemas/sanctions/policy-content.v1.json`);
    expect(response.status).toBe(200);
    const schema = (await response.json()) as { $id: string; properties: object };
    expect(schema.$id).toContain('/schemas/sanctions/policy-content.v1.json');
    expect(Object.keys(schema.properties)).toContain('rca_depth_decay');
  });
});
