/** API keys from their text to their end, with a clock that the test moves. */
import { describe, expect, test } from 'vitest';
import {
  apiKeyTable,
  createApiKeyAdmin,
  createApiKeyDirectory,
  generateApiKey,
  ROTATION_OVERLAP_MS,
  readApiKey,
  tenantTable,
} from '#core/identity';
import type { EpochMs } from '#platform/clock';
import {
  codeOf,
  LIVE_TENANT,
  memoryIdentity,
  movableClock,
  random,
  START,
  tenantOf,
} from './memory.ts';

const ACTOR = 'cli:root' as const;

function setUp() {
  const memory = memoryIdentity();
  memory.seed(tenantTable, LIVE_TENANT);
  const { clock, pass } = movableClock();
  const touchFailures: unknown[] = [];
  const admin = createApiKeyAdmin({ clock, commit: memory.commit, random, store: memory.store });
  /** As in another process: it hears of changes only through the store. */
  const directory = createApiKeyDirectory({
    clock,
    onTouchFailed: (error) => touchFailures.push(error),
    store: memory.store,
  });
  const create = (given: { roles?: string[]; scopes?: string[]; expiresAt?: EpochMs } = {}) =>
    admin.create({
      actor: ACTOR,
      name: 'till',
      roles: ['agent_l1'],
      tenantId: LIVE_TENANT.id,
      ...given,
    });
  return { ...memory, admin, create, directory, pass, touchFailures };
}

describe('the text of an API key', () => {
  test('is a prefix, 43 characters of secret and 6 of checksum', () => {
    expect(generateApiKey('live', random).text).toMatch(/^cp_live_[0-9A-Za-z]{49}$/);
    expect(generateApiKey('sandbox', random).text).toMatch(/^cp_test_[0-9A-Za-z]{49}$/);
  });

  test('is fixed for fixed bytes', () => {
    const { text, prefix } = generateApiKey('live', { bytes: (count) => new Uint8Array(count) });
    expect(text.slice(0, -6)).toBe(`cp_live_${'0'.repeat(43)}`);
    expect(prefix).toBe('cp_live_0000');
    const highest = generateApiKey('live', { bytes: (count) => new Uint8Array(count).fill(255) });
    expect(highest.text).toHaveLength(57);
  });

  test('reads back as its environment and hash', () => {
    for (const environment of ['live', 'sandbox'] as const) {
      const { text, hash } = generateApiKey(environment, random);
      expect(readApiKey(text)).toEqual({ environment, hash });
    }
  });

  test('any changed character is refused without asking a store', () => {
    const { text } = generateApiKey('live', random);
    for (let index = 0; index < text.length; index++) {
      const changed = text.charAt(index) === 'x' ? 'y' : 'x';
      expect(readApiKey(text.slice(0, index) + changed + text.slice(index + 1))).toBeUndefined();
    }
    expect(readApiKey(text.replace('cp_live_', 'cp_test_'))).toBeUndefined();
    expect(readApiKey(`${text}\n`)).toBeUndefined();
    expect(readApiKey('')).toBeUndefined();
  });
});

describe('API keys', () => {
  test('a created key authenticates as its tenant, with its roles', async () => {
    const { create, directory } = setUp();
    const { apiKey, secret } = await create({ roles: ['agent', 'administrator'] });
    expect(await directory.authenticate(secret.text)).toEqual({
      environment: 'live',
      id: apiKey.id,
      kind: 'api-key',
      mfa: false,
      roles: ['agent_l1', 'admin'],
      tenantId: LIVE_TENANT.id,
    });
  });

  test('a key with scopes keeps them, and so does its successor', async () => {
    const { admin, create, directory, events } = setUp();
    const scopes = ['lists:read', 'screening:write', 'lists:read'];
    const { apiKey, secret } = await create({ roles: ['admin'], scopes });
    const kept = ['screening:write', 'lists:read'];
    expect(await directory.authenticate(secret.text)).toMatchObject({ scopes: kept });
    expect(events[0]).toMatchObject({ open: { scopes: kept } });
    const next = await admin.rotate({ actor: ACTOR, id: apiKey.id, tenantId: LIVE_TENANT.id });
    expect(await directory.authenticate(next.secret.text)).toMatchObject({ scopes: kept });
  });

  test('a role of persons counts for no key, whatever its record says', async () => {
    const { create, directory, seed } = setUp();
    const { apiKey, secret } = await create();
    const roles = ['agent_l1', 'data_protection_officer'] as const;
    seed(apiKeyTable, { ...apiKey, roles });
    expect(await directory.authenticate(secret.text)).toMatchObject({ roles: ['agent_l1'] });
  });

  test('neither key nor hash stands in the audit entry, nor the key in the store', async () => {
    const { create, events, records } = setUp();
    const { secret } = await create();
    expect(events[0]).toMatchObject({
      action: 'identity.api_key.created',
      members: { action: 'identity.api_key.created', actor: ACTOR },
    });
    const written = JSON.stringify(events);
    expect(written).not.toContain(secret.text);
    expect(written).not.toContain(secret.hash);
    expect(JSON.stringify(records(apiKeyTable))).not.toContain(secret.text);
  });

  test('a sandbox tenant gets a test key', async () => {
    const { admin, seed } = setUp();
    const sandbox = tenantOf('018f0000-0000-7000-8000-000000000009', { kind: 'sandbox' });
    seed(tenantTable, sandbox);
    const made = await admin.create({
      actor: ACTOR,
      name: 'first run',
      roles: ['developer'],
      tenantId: sandbox.id,
    });
    expect(made.secret.text).toMatch(/^cp_test_/);
  });

  test('unknown, malformed and expired keys are refused', async () => {
    const { create, directory, pass } = setUp();
    const unknown = generateApiKey('live', random).text;
    expect(await codeOf(directory.authenticate(unknown))).toBe('credential-invalid');
    expect(await codeOf(directory.authenticate("' OR 1=1"))).toBe('credential-invalid');
    const { secret } = await create({ expiresAt: (START + 10_000) as EpochMs });
    pass(9_999);
    expect(await codeOf(directory.authenticate(secret.text))).toBe('none');
    pass(1);
    expect(await codeOf(directory.authenticate(secret.text))).toBe('credential-expired');
  });

  test('a revoked key is refused everywhere within 2 s', async () => {
    const { admin, create, directory, pass } = setUp();
    const { apiKey, secret } = await create();
    await directory.authenticate(secret.text);
    const revoked = { actor: ACTOR, id: apiKey.id, tenantId: LIVE_TENANT.id };
    await admin.revoke(revoked);
    await admin.revoke(revoked);
    pass(2_000);
    expect(await codeOf(directory.authenticate(secret.text))).toBe('credential-invalid');
  });

  test('a rotated key and its successor both work for 24 h, then one', async () => {
    const { admin, create, directory, pass } = setUp();
    const first = await create({ roles: ['mlro'] });
    const second = await admin.rotate({
      actor: ACTOR,
      id: first.apiKey.id,
      tenantId: LIVE_TENANT.id,
    });
    expect(second.apiKey.roles).toEqual(['mlro']);
    pass(ROTATION_OVERLAP_MS - 1);
    expect((await directory.authenticate(first.secret.text)).id).toBe(first.apiKey.id);
    expect((await directory.authenticate(second.secret.text)).id).toBe(second.apiKey.id);
    pass(1);
    expect(await codeOf(directory.authenticate(first.secret.text))).toBe('credential-expired');
    expect(await codeOf(directory.authenticate(second.secret.text))).toBe('none');
  });

  test('rotation never makes a key live longer than it would have', async () => {
    const { admin, create, store } = setUp();
    const soon = (START + 60_000) as EpochMs;
    const { apiKey } = await create({ expiresAt: soon });
    await admin.rotate({ actor: ACTOR, id: apiKey.id, tenantId: LIVE_TENANT.id });
    expect((await store.findApiKeyByHash(apiKey.hash))?.expiresAt).toBe(soon);
  });

  test('two administrators at once: one change holds, the other is refused', async () => {
    const { admin, create } = setUp();
    const { apiKey } = await create();
    const ask = { actor: ACTOR, id: apiKey.id, tenantId: LIVE_TENANT.id };
    const codes = await Promise.all([codeOf(admin.rotate(ask)), codeOf(admin.rotate(ask))]);
    expect(codes.sort()).toEqual(['none', 'state-conflict']);
  });

  test('the store is asked once for many calls, the last use written once a minute', async () => {
    const { calls, create, directory, pass, records } = setUp();
    const { apiKey, secret } = await create();
    const count = (name: string) => calls.filter((call) => call === name).length;
    await Promise.all(Array.from({ length: 100 }, () => directory.authenticate(secret.text)));
    expect([count('findUnique'), count('touch')]).toEqual([1, 1]);
    pass(59_999);
    await directory.authenticate(secret.text);
    expect(count('touch')).toBe(1);
    pass(1);
    await directory.authenticate(secret.text);
    expect(count('touch')).toBe(2);
    const lastUsedAt = START + 60_000;
    expect(records(apiKeyTable)).toMatchObject([{ id: apiKey.id, lastUsedAt }]);
  });

  test('with the store down a known key ends within 2 s, with 503 and not with 401', async () => {
    const { create, directory, pass, state, touchFailures } = setUp();
    const { secret } = await create();
    await directory.authenticate(secret.text);
    state.down = true;
    pass(1_999);
    expect(await codeOf(directory.authenticate(secret.text))).toBe('none');
    pass(1);
    expect(await codeOf(directory.authenticate(secret.text))).toBe('store-unavailable');
    expect(touchFailures).toEqual([]);
  });

  test.each([[[]], [['all']], [['screening:write', 'screening']], [['SCREENING:WRITE']]])(
    'scopes %j are refused',
    async (scopes) => {
      const { create } = setUp();
      expect(await codeOf(create({ scopes }))).toBe('setting-invalid');
    },
  );

  test.each([
    [[]],
    [['root']],
    [['agent_l1', '__proto__']],
    [['admin', 'data_protection_officer']],
  ])('roles %j are refused', async (roles) => {
    const { create } = setUp();
    expect(await codeOf(create({ roles }))).toBe('setting-invalid');
  });
});
