/** Forms with nothing replaced: two persons with tokens publish one, and a machine fills it in. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { approvalMessage, identityStore, type Role } from '#core/identity';
import type { TenantId } from '#core/kernel';
import { type Signer, signerFromSeed, verifyEd25519 } from '#platform/crypto';
import { createAdministration } from '../../../src/slices/tenants/administration.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { sign, startIssuer, type TestKey, testKey } from '../../core/identity/issuer.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { FILLED, FORM, NAME } from './formDesk.ts';

const AUDIENCE = 'api';
const ACTOR = 'cli:test' as const;
const ROLES = { carl: 'compliance_officer', dora: 'dsi_admin' } as const;
type Name = keyof typeof ROLES;
const KEYS: Readonly<Record<Name, Signer>> = {
  carl: signerFromSeed(new Uint8Array(32).fill(11)),
  dora: signerFromSeed(new Uint8Array(32).fill(12)),
};

interface Version {
  readonly etag: string;
  readonly hash: string;
  readonly status: string;
  readonly version: string;
  readonly version_id: string;
  readonly signing: { author: string; field: string; new_value: object; resource: string };
}

describe.skipIf(!hasRedis)('forms over sockets', () => {
  let key: TestKey;
  let issuer: Awaited<ReturnType<typeof startIssuer>>;
  let gateway: RealGateway;
  let tenantId: TenantId;
  let machine: Caller;
  const ids = {} as Record<Name, string>;

  beforeAll(async () => {
    key = await testKey('es');
    issuer = await startIssuer([key]);
    gateway = await openRealGateway('node:http', undefined, {
      OIDC_AUDIENCE: AUDIENCE,
      OIDC_ISSUER: issuer.url,
      OIDC_JWKS_URL: issuer.jwksUrl,
    });
    tenantId = await gateway.tenant('sandbox');
    machine = await gateway.caller(tenantId, 'agent_l1', 'developer');
    for (const name of ['carl', 'dora'] as const) await register(name);
  });
  afterAll(async () => {
    await gateway?.close();
    await issuer?.close();
  });

  async function register(name: Name): Promise<void> {
    const { installation } = gateway;
    const store = identityStore(installation.storage.tables);
    const { persons } = createAdministration({ ...installation, store });
    const accounts = [{ issuer: issuer.url, subject: name }];
    const roles = [ROLES[name]];
    const person = await persons.add({ accounts, actor: ACTOR, name, roles, tenantId });
    ids[name] = person.id;
    const publicKey = Buffer.from(KEYS[name].publicKey.raw).toString('base64');
    await persons.addKey({ actor: ACTOR, personId: person.id, publicKey, tenantId });
  }

  async function call<Body>(
    name: Name,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly body: Body; readonly status: number }> {
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
    const response = await fetch(`${gateway.origin}${path}`, {
      headers: {
        Authorization: `Bearer ${token}`,
        ...(method !== 'GET' && { 'Idempotency-Key': crypto.randomUUID() }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { body: (await response.json()) as Body, status: response.status };
  }

  function signed({ signing }: Version, name: Name) {
    const timestamp = new Date().toISOString();
    const message = approvalMessage(
      { field: signing.field, newValue: signing.new_value, resource: signing.resource },
      { approver: ids[name], author: signing.author, timestamp },
    );
    return { signature: Buffer.from(KEYS[name].sign(message)).toString('base64'), timestamp };
  }

  test('drafted, signed twice, rendered, filled in, and read', async () => {
    const wrong = { ...FORM, name: NAME, schema: { ...FORM.schema, data: {} } };
    expect(await call('carl', 'POST', '/v1/forms', wrong)).toMatchObject({
      body: { code: 'form-invalid', errors: [{ pointer: '/schema/data' }] },
      status: 422,
    });
    const made = await call<{ draft: Version; form_id: string }>('carl', 'POST', '/v1/forms', {
      ...FORM,
      name: NAME,
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const { draft, form_id: formId } = made.body;
    const version = `/v1/forms/${formId}/versions/${draft.version_id}`;
    const tried = await call('carl', 'POST', `${version}/preview`, { data: { status: 'x' } });
    expect(tried).toMatchObject({ body: { data: {}, visible: { length: 6 } }, status: 200 });
    const first = await call<Version>('carl', 'POST', `${version}/publish`, signed(draft, 'carl'));
    expect(first, JSON.stringify(first)).toMatchObject({ body: { status: 'Draft' }, status: 202 });

    const asked = await call<{ approval_id: string }>('carl', 'POST', '/v1/approvals', {
      field: draft.signing.field,
      new_value: draft.signing.new_value,
      reason: 'The first form of the house',
      resource: draft.signing.resource,
    });
    expect(asked.status, JSON.stringify(asked.body)).toBe(201);
    const second = await call<Version>('dora', 'POST', `${version}/publish`, signed(draft, 'dora'));
    expect(second).toMatchObject({ body: { status: 'active', version: '1.0.0' }, status: 200 });

    const path = `/v1/forms/${formId}/active`;
    const shown = await machine.get(path);
    const active = shown.json<{ hash: string; signature: { value: string } }>();
    const { publicKey } = gateway.process.signer;
    const message = Buffer.from(`form-definition-v1\0${active.hash}`);
    const value = Buffer.from(active.signature.value, 'base64');
    expect(verifyEd25519(Buffer.from(publicKey.raw), message, value)).toBe(true);
    const etag = shown.headers.get('etag') ?? '';
    expect(etag).toBe(`"${draft.hash}"`);
    const again = await machine.send(path, { headers: { 'If-None-Match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const odd = await machine.send(path, { headers: { 'X-SDK-Version': 'ios' } });
    expect(odd.problem()).toMatchObject({ code: 'header-invalid', status: 400 });

    const opened = await machine.post('/v1/kyc/cases', {
      external_ref: 'client-1',
      locale: 'fr-TN',
      subject_type: 'individual',
      workflow_code: 'individual_standard',
    });
    const { case_id } = opened.json<{ case_id: string }>();
    const sent = await machine.post(`/v1/forms/${formId}/submissions`, {
      case_id,
      data: FILLED,
      locale: 'fr-TN',
    });
    expect(sent.status, sent.text).toBe(201);
    const { submission_id } = sent.json<{ submission_id: string }>();
    const one = `/v1/forms/${formId}/submissions/${submission_id}`;
    expect(await call('carl', 'GET', one)).toMatchObject({
      body: { data: { first_name: 'Amira' }, ignored_fields: ['tax_id'] },
      status: 200,
    });
    expect(await call('carl', 'GET', '/v1/forms')).toMatchObject({
      body: { data: [{ active_version: '1.0.0', usage_30d: 1 }], next_cursor: null },
    });
  });
});
