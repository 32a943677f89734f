/** Credentials, base addresses and branded domains, over real keys and a directory in memory. */
import { describe, expect, test } from 'vitest';
import {
  createApiKeyAdmin,
  createApiKeyDirectory,
  createTenantDirectory,
  type OidcVerifier,
  type Role,
  tenantTable,
} from '#core/identity';
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { createAuthenticator } from '../../../src/api/middleware/authenticate.ts';
import {
  codeOf,
  LIVE_TENANT,
  memoryIdentity,
  movableClock,
  OTHER_TENANT,
  random,
  settings,
  tenantOf,
} from '../../core/identity/memory.ts';
import { fakeRequest } from '../fakes.ts';

const SANDBOX = tenantOf('018f0000-0000-7000-8000-0000000000aa', { kind: 'sandbox' });
const ORIGINS = { live: 'https://api.test', sandbox: 'https://sandbox.api.test:8443' };

const EXPIRES_AT = Date.UTC(2026, 0, 6) as EpochMs;

/** Stands for the verifier, which has a suite of its own: `<tenant id>/<role>/<mfa>`. */
const oidc: OidcVerifier = {
  async verify(token) {
    const [tenantId, role, factor] = token.split('/');
    if (factor === undefined) throw new DomainError('credential-invalid');
    return {
      expiresAt: EXPIRES_AT,
      id: 'https://issuer.test|user',
      mfa: factor === 'mfa',
      roles: [role as Role],
      tenantId: tenantId as never,
    };
  },
};

async function setUp(given: { origins?: object; trustProxy?: boolean; oidc?: OidcVerifier } = {}) {
  const memory = memoryIdentity();
  const branded = { ...LIVE_TENANT, settings: { hosts: 'acme.example.com' } };
  memory.seed(tenantTable, branded, OTHER_TENANT, SANDBOX);
  const { clock } = movableClock();
  const { commit, store } = memory;
  const admin = createApiKeyAdmin({ clock, commit, random, store });
  const keyOf = async (tenantId: typeof LIVE_TENANT.id) => {
    const ask = { actor: 'cli:root' as const, name: 'till', roles: ['mlro'], tenantId };
    return (await admin.create(ask)).secret.text;
  };
  const authenticator = createAuthenticator({
    apiKeys: createApiKeyDirectory({ clock, onTouchFailed: () => undefined, store }),
    oidc,
    origins: {},
    tenants: createTenantDirectory({ clock, settings, store }),
    trustProxy: false,
    ...given,
  });
  const call = (headers: Record<string, string>) =>
    authenticator.authenticate(
      fakeRequest({ headers: { host: 'api.test', ...headers }, path: '/' }),
    );
  return {
    ...memory,
    call,
    live: await keyOf(LIVE_TENANT.id),
    other: await keyOf(OTHER_TENANT.id),
    sandbox: await keyOf(SANDBOX.id),
  };
}

const bearer = (tenantId: string, role = 'mlro', factor = 'mfa') => ({
  authorization: `Bearer ${tenantId}/${role}/${factor}`,
});

describe('who calls', () => {
  test('a key and a token are two ways to a principal', async () => {
    const { call, live, sandbox } = await setUp();
    expect(await call({ 'x-api-key': live })).toMatchObject({
      environment: 'live',
      kind: 'api-key',
    });
    expect(await call({ 'x-api-key': sandbox })).toMatchObject({ environment: 'sandbox' });
    expect(await call(bearer(LIVE_TENANT.id))).toMatchObject({ environment: 'live', kind: 'user' });
    expect(await call(bearer(SANDBOX.id))).toMatchObject({ environment: 'sandbox' });
    expect(await call({ authorization: `bEaReR   ${SANDBOX.id}/mlro/mfa` })).toBeDefined();
  });

  test('nobody without a credential, or with two', async () => {
    const { call, live } = await setUp();
    expect(await codeOf(call({}))).toBe('credential-missing');
    const both = { ...bearer(LIVE_TENANT.id), 'x-api-key': live };
    expect(await codeOf(call(both))).toBe('credential-invalid');
  });

  test.each(['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer a b', 'Bearera', '', 'Bearer garbage'])(
    'Authorization: %j is no credential',
    async (authorization) => {
      const { call } = await setUp();
      expect(await codeOf(call({ authorization }))).toBe('credential-invalid');
    },
  );

  test('a token without a provider configured, or of an unknown tenant, is refused', async () => {
    const without = createAuthenticatorWithoutOidc();
    expect(await codeOf((await without).call(bearer(LIVE_TENANT.id)))).toBe('credential-invalid');
    const { call } = await setUp();
    const unknown = '018f0000-0000-7000-8000-00000000dead';
    expect(await codeOf(call(bearer(unknown)))).toBe('credential-invalid');
  });

  test('a person of level 2 needs a second factor, a key does not', async () => {
    const { call, live } = await setUp();
    expect(await codeOf(call(bearer(LIVE_TENANT.id, 'mlro', 'none')))).toBe('mfa-required');
    expect(await codeOf(call(bearer(LIVE_TENANT.id, 'agent_l1', 'none')))).toBe('none');
    expect(await codeOf(call({ 'x-api-key': live }))).toBe('none');
  });

  test('with the store down it is 503', async () => {
    const { call, live, state } = await setUp();
    state.down = true;
    expect(await codeOf(call({ 'x-api-key': live }))).toBe('store-unavailable');
  });
});

describe('two base addresses', () => {
  const atLive = { host: 'api.test' };
  const atSandbox = { host: 'Sandbox.API.test:8443' };

  test('each takes its own kind of credential alone', async () => {
    const { call, live, sandbox } = await setUp({ origins: ORIGINS });
    expect(await codeOf(call({ ...atLive, 'x-api-key': live }))).toBe('none');
    expect(await codeOf(call({ ...atSandbox, 'x-api-key': sandbox }))).toBe('none');
    for (const wrong of [
      { ...atLive, 'x-api-key': sandbox },
      { ...atSandbox, 'x-api-key': live },
      { ...atLive, ...bearer(SANDBOX.id) },
      { ...atSandbox, ...bearer(LIVE_TENANT.id) },
      { host: 'api.test:443', 'x-api-key': sandbox },
      { host: 'api.test.', 'x-api-key': sandbox },
    ]) {
      expect(await codeOf(call(wrong)), JSON.stringify(wrong)).toBe('credential-invalid');
    }
  });

  test('with one address named, or another host, both kinds pass', async () => {
    const one = await setUp({ origins: { live: ORIGINS.live } });
    expect(await codeOf(one.call({ ...atLive, 'x-api-key': one.sandbox }))).toBe('none');
    const two = await setUp({ origins: ORIGINS });
    expect(await codeOf(two.call({ host: '127.0.0.1:8080', 'x-api-key': two.sandbox }))).toBe(
      'none',
    );
  });

  test("a proxy's forwarded host counts only where a proxy is trusted", async () => {
    const forwarded = { 'x-forwarded-host': 'evil.test, sandbox.api.test:8443' };
    const trusting = await setUp({ origins: ORIGINS, trustProxy: true });
    const key = { 'x-api-key': trusting.live };
    expect(await codeOf(trusting.call({ ...atLive, ...forwarded, ...key }))).toBe(
      'credential-invalid',
    );
    const plain = await setUp({ origins: ORIGINS });
    expect(await codeOf(plain.call({ ...atLive, ...forwarded, 'x-api-key': plain.live }))).toBe(
      'none',
    );
  });
});

describe('a tenant-branded domain', () => {
  test('takes the credentials of its tenant alone', async () => {
    const { call, live, other } = await setUp();
    const host = 'ACME.example.com:8080';
    expect(await codeOf(call({ host, 'x-api-key': live }))).toBe('none');
    expect(await codeOf(call({ host, 'x-api-key': other }))).toBe('host-tenant-mismatch');
    expect(await codeOf(call({ host, ...bearer(OTHER_TENANT.id) }))).toBe('host-tenant-mismatch');
  });
});

async function createAuthenticatorWithoutOidc() {
  const { call } = await setUp({ oidc: undefined as never });
  return { call };
}
