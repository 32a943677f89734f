/** Approvals with nothing replaced: two persons with tokens, over both HTTP adapters. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { identityStore, type Role } from '#core/identity';
import type { TenantId } from '#core/kernel';
import { signerFromSeed } from '#platform/crypto';
import { listStore } from '#slices/lists';
import { createAdministration } from '../../../src/slices/tenants/administration.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { sign, startIssuer, type TestKey, testKey } from '../../core/identity/issuer.ts';
import { hasRedis } from '../../redis/realRedis.ts';

const AUDIENCE = 'api';
const ACTOR = 'cli:test' as const;
const DORA = signerFromSeed(new Uint8Array(32).fill(12));

interface Asked {
  readonly approval_id: string;
  readonly state: string;
  readonly signing: Readonly<Record<string, string>> | null;
  readonly result?: object;
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('%s: approvals', (technology) => {
  let key: TestKey;
  let issuer: Awaited<ReturnType<typeof startIssuer>>;
  let gateway: RealGateway;
  let tenantId: TenantId;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    key = await testKey('es');
    issuer = await startIssuer([key]);
    gateway = await openRealGateway(technology, undefined, {
      OIDC_AUDIENCE: AUDIENCE,
      OIDC_ISSUER: issuer.url,
      OIDC_JWKS_URL: issuer.jwksUrl,
    });
    tenantId = await gateway.tenant('live');
    await register('carl', 'compliance_officer');
    await register('dora', 'dsi_admin');
  });
  afterAll(async () => {
    await gateway.close();
    await issuer.close();
  });

  async function register(name: string, role: Role): Promise<void> {
    const { installation } = gateway;
    const store = identityStore(installation.storage.tables);
    const { persons } = createAdministration({ ...installation, store });
    const accounts = [{ issuer: issuer.url, subject: name }];
    const person = await persons.add({ accounts, actor: ACTOR, name, roles: [role], tenantId });
    ids[name] = person.id;
    if (name !== 'dora') return;
    const publicKey = Buffer.from(DORA.publicKey.raw).toString('base64');
    await persons.addKey({ actor: ACTOR, personId: person.id, publicKey, tenantId });
  }

  async function call(name: string, role: Role, path: string, body?: object) {
    const now = Math.floor(Date.now() / 1_000);
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
    const response = await fetch(`${gateway.origin}/v1/approvals${path}`, {
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...(body !== undefined && { 'Idempotency-Key': crypto.randomUUID() }),
      },
      ...(body !== undefined && { body: JSON.stringify(body), method: 'POST' }),
    });
    const text = await response.text();
    return { json: () => JSON.parse(text) as Asked, status: response.status, text };
  }

  test('one person asks, another one signs what is shown, and the source is changed', async () => {
    const asked = await call('carl', 'compliance_officer', '', {
      field: 'cron_delta,cron_full',
      new_value: { cron_delta: null, cron_full: '0 0 2 ? * SUN' },
      reason: 'Weekly is enough',
      resource: 'sanctions_source:UN_SC',
    });
    expect(asked.status, asked.text).toBe(201);
    const path = `/${asked.json().approval_id}`;
    const { signing } = (await call('dora', 'dsi_admin', path)).json();
    const timestamp = new Date().toISOString();
    const { after_timestamp, before_timestamp, prefix } = signing ?? {};
    const bytes = Buffer.from(`${prefix}${before_timestamp}${timestamp}${after_timestamp}`);
    const signature = Buffer.from(DORA.sign(bytes)).toString('base64');
    const signed = await call('dora', 'dsi_admin', `${path}/sign`, { signature, timestamp });
    expect(signed.status, signed.text).toBe(200);
    expect(signed.json()).toMatchObject({
      author: ids.carl,
      ended_by: ids.dora,
      result: { cron_full: '0 0 2 ? * SUN', source_id: 'UN_SC' },
      state: 'applied',
    });
    const found = await listStore(gateway.installation.storage.tables).findSource('UN_SC' as never);
    expect(found).toMatchObject({ cronFull: '0 0 2 ? * SUN', updatedBy: ids.carl });
  });

  test('a machine sees requests, and neither asks nor decides', async () => {
    const machine = await gateway.caller(tenantId, 'dsi_admin');
    const page = (await machine.get('/v1/approvals')).json<{ data: Asked[] }>();
    const id = page.data[0]?.approval_id;
    expect(page.data).toHaveLength(1);
    expect((await machine.get(`/v1/approvals/${id}`)).json<Asked>().signing).toBeNull();
    const refused = await machine.post(`/v1/approvals/${id}/reject`, { comment: 'No' });
    expect(refused.problem()).toMatchObject({ code: 'person-required', status: 403 });
    const other = await gateway.caller(await gateway.tenant('live'), 'dsi_admin');
    const unknown = await other.get(`/v1/approvals/${id}`);
    expect(unknown.problem()).toMatchObject({ code: 'approval-unknown', status: 404 });
  });
});
