/** Tenants, their directory with its 2 s, their sandbox and their host names. */
import { describe, expect, test } from 'vitest';
import {
  createTenantAdmin,
  createTenantDirectory,
  limitSettings,
  sandboxTenantId,
  type Tenant,
  tenantTable,
} from '#core/identity';
import { DomainError } from '#core/kernel';
import { screeningSettings } from '#slices/screening';
import {
  codeOf,
  LIVE_TENANT,
  memoryIdentity,
  movableClock,
  OTHER_TENANT,
  random,
  settings,
} from './memory.ts';

const ACTOR = 'cli:root' as const;
const RELEASE_KEY = 'screening.reranker_release';
const RELEASED = '1.1.0';

function setUp() {
  const memory = memoryIdentity();
  memory.seed(tenantTable, LIVE_TENANT, OTHER_TENANT);
  const { clock, pass } = movableClock();
  const { commit, store } = memory;
  const admin = createTenantAdmin({ clock, commit, random, settings, store });
  const directory = createTenantDirectory({ clock, settings, store });
  const set = (changes: Record<string, string | null>, tenantId = LIVE_TENANT.id) =>
    admin.setSettings({ actor: ACTOR, changes, tenantId });
  return { ...memory, admin, directory, pass, set };
}

describe('tenants', () => {
  test('a created tenant leaves an entry, and has the defaults', async () => {
    const { admin, directory, events } = setUp();
    const tenant = await admin.create({ actor: ACTOR, kind: 'live', name: ' Bank ' });
    expect(tenant.name).toBe('Bank');
    const inForce = await directory.settings(tenant.id);
    expect(inForce.of(limitSettings)).toEqual(settings.defaults.of(limitSettings));
    expect(events[0]).toMatchObject({
      action: 'identity.tenant.created',
      members: { target: `tenant:${tenant.id}` },
    });
  });

  test('a changed setting is in force everywhere within 2 s', async () => {
    const { directory, pass, set } = setUp();
    await directory.settings(LIVE_TENANT.id);
    await set({ 'limits.burst': '7' });
    pass(2_000);
    const burstOf = async ({ id }: Tenant) =>
      (await directory.settings(id)).of(limitSettings).burst;
    expect(await burstOf(LIVE_TENANT)).toBe(7);
    expect(await burstOf(OTHER_TENANT)).toBe(100);
  });

  test('the entry of a change says before and after', async () => {
    const { events, set } = setUp();
    await set({ 'limits.burst': '7' });
    await set({ 'limits.burst': null });
    expect(events.map(({ open }) => open)).toEqual([
      { after: { 'limits.burst': 7 }, before: { 'limits.burst': null } },
      { after: { 'limits.burst': null }, before: { 'limits.burst': 7 } },
    ]);
  });

  test('a tenant of before takes over what the release gives, once, with an entry', async () => {
    const { admin, directory, events, pass } = setUp();
    const versionOf = async (id: Tenant['id']) => {
      pass(2_000);
      const { policyVersion, rerankerVersion } = (await directory.settings(id)).of(
        screeningSettings,
      );
      return [rerankerVersion, policyVersion];
    };
    expect(await versionOf(LIVE_TENANT.id)).toEqual(['1.0.0', 1]);
    expect(await admin.adoptRelease({ actor: 'system' })).toBe(2);
    expect(await versionOf(LIVE_TENANT.id)).toEqual([RELEASED, 2]);
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({
      action: 'identity.tenant.settings_changed',
      members: { actor: 'system' },
      open: { after: { [RELEASE_KEY]: RELEASED }, before: { [RELEASE_KEY]: null } },
    });
    expect(await admin.adoptRelease({ actor: 'system' })).toBe(0);
    const made = await admin.create({ actor: ACTOR, kind: 'live', name: 'Bank' });
    expect(await versionOf(made.id)).toEqual([RELEASED, 1]);
    expect(await admin.adoptRelease({ actor: 'system' })).toBe(0);
  });

  test("a tenant's own choice stays, and a later release is never taken back", async () => {
    const { admin, directory, set } = setUp();
    await set({ 'screening.reranker_version': '1.0.0' });
    await admin.adoptRelease({ actor: 'system' });
    const { rerankerVersion } = (await directory.settings(LIVE_TENANT.id)).of(screeningSettings);
    expect(rerankerVersion).toBe('1.0.0');
    expect(settings.adopt({ [RELEASE_KEY]: '9.0.0' })).toBeUndefined();
    expect(settings.adopt({ [RELEASE_KEY]: '1.0.9' })).toMatchObject({ [RELEASE_KEY]: RELEASED });
    expect(await codeOf(set({ [RELEASE_KEY]: '1.0.0' }))).toBe('setting-unknown');
  });

  test('a tenant that is changed meanwhile is left to the next time', async () => {
    const { admin, events, store } = setUp();
    const stale = createTenantAdmin({
      clock: movableClock().clock,
      commit: () => Promise.reject(new DomainError('state-conflict')),
      random,
      settings,
      store,
    });
    expect(await stale.adoptRelease({ actor: 'system' })).toBe(0);
    expect(events).toHaveLength(0);
    expect(await admin.adoptRelease({ actor: 'system' })).toBe(2);
  });

  test('a host name leads to its one tenant', async () => {
    const { directory, pass, set } = setUp();
    await set({ hosts: 'acme.example.com' });
    expect(await directory.tenantOfHost('acme.example.com')).toBe(LIVE_TENANT.id);
    expect(await directory.tenantOfHost('other.example.com')).toBeUndefined();
    expect(await codeOf(set({ hosts: 'acme.example.com' }, OTHER_TENANT.id))).toBe(
      'setting-invalid',
    );
    await set({ hosts: null });
    pass(2_000);
    expect(await directory.tenantOfHost('acme.example.com')).toBeUndefined();
  });

  test('the sandbox of a live tenant is one tenant, made when first asked for', async () => {
    const { admin, records } = setUp();
    const ask = { actor: ACTOR, tenantId: LIVE_TENANT.id };
    const sandbox = await admin.sandboxOf(ask);
    expect(sandbox).toMatchObject({ id: sandboxTenantId(LIVE_TENANT.id), kind: 'sandbox' });
    expect(sandbox.id).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(await admin.sandboxOf(ask)).toEqual(sandbox);
    expect(await admin.sandboxOf({ actor: ACTOR, tenantId: sandbox.id })).toEqual(sandbox);
    expect(records(tenantTable)).toHaveLength(3);
  });

  test('an unknown tenant has no settings, and none can be set', async () => {
    const { directory, set } = setUp();
    expect(await codeOf(directory.settings('nobody' as never))).toBe('credential-invalid');
    expect(await codeOf(set({ 'limits.burst': '7' }, 'nobody' as never))).toBe('not-found');
  });

  test('with the store down it is 503, not a default', async () => {
    const { directory, state } = setUp();
    state.down = true;
    expect(await codeOf(directory.settings(LIVE_TENANT.id))).toBe('store-unavailable');
    expect(await codeOf(directory.tenantOfHost('acme.example.com'))).toBe('store-unavailable');
  });
});
