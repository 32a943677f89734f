/**
 * Whoever can write the database changes a tenant's settings, a key's roles or a person's keys, or
 * puts a revoked key back. Each is refused before anything is decided by it, on every store.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAuditLog, entry, newKeyRing } from '#core/audit';
import {
  type ApiKey,
  apiKeyTable,
  type IdentityStore,
  identityStore,
  type Person,
  personTable,
  signedIdentityStore,
  type Tenant,
  tenantTable,
} from '#core/identity';
import { chainOf, type TableChange } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { createAdministration } from '#slices/tenants';
import { SETTINGS } from '../../../src/app/sliceRows.ts';
import { SettingsTable } from '../../../src/core/identity/settingsTable.ts';
import { checkState } from '../../../src/slices/tenants/edge/checks.ts';
import type { Storage } from '../../../src/storage/index.ts';
import type { MakeHarness } from '../../storage/contract/harness.ts';
import { onEachStore } from '../../storage/eachStore.ts';
import { seededSigner } from '../audit/drafts.ts';

const ALTERED = { code: 'state-altered' };

onEachStore((makeHarness) => {
  let harness: Awaited<ReturnType<MakeHarness>>;
  let opened: Storage;
  let plain: IdentityStore;
  let tenant: Tenant;
  let apiKey: ApiKey;
  let person: Person;
  const signer = seededSigner('state');
  const keyRing = newKeyRing(signer.publicKey);
  const clock = systemClock;

  const storage = () => opened;
  const reading = (): IdentityStore =>
    signedIdentityStore(plain, { audit: storage().audit, clock, keyRing });
  const log = () =>
    createAuditLog({
      clock,
      holder: `test/${crypto.randomUUID()}`,
      random: systemRandom,
      signer,
      store: storage().audit,
    });
  const state = () => checkState({ clock, keyRing, storage: storage() as never });

  beforeEach(async () => {
    harness = await makeHarness();
    opened = await harness.open();
    plain = identityStore(storage().tables);
    const audit = log();
    const settings = new SettingsTable(SETTINGS);
    const parts = { audit, clock, random: systemRandom, settings, store: plain };
    const administration = createAdministration(parts);
    const actor = 'cli:test' as const;
    tenant = await administration.tenants.create({ actor, kind: 'live', name: 'Bank' });
    const tenantId = tenant.id;
    ({ apiKey } = await administration.apiKeys.create({
      actor,
      name: 'k',
      roles: ['agent_l1'],
      tenantId,
    }));
    person = await administration.persons.add({
      accounts: [],
      actor,
      name: 'Somebody',
      roles: ['mlro'],
      tenantId,
    });
    await audit.close();
  });
  afterEach(async () => {
    await opened?.close();
    await harness?.dispose();
  });

  /** A record as it is written past the service: the store takes it, and no entry tells of it. */
  async function write(...changes: readonly TableChange[]): Promise<void> {
    const audit = log();
    const told = entry(
      { clock, random: systemRandom },
      { action: 'case.reassigned' as never, actor: 'cli:test', target: 'something else' },
    );
    await audit.commit(chainOf(tenant.id), { bus: [], changes, events: [told] });
    await audit.close();
  }

  test('what was signed is answered, and the state is good', async () => {
    const store = reading();
    expect(await store.findTenant(tenant.id)).toEqual(tenant);
    expect(await store.findApiKeyByHash(apiKey.hash)).toEqual(apiKey);
    expect(await store.listPersons(tenant.id)).toEqual([person]);
    expect(await state()).toBe('3 tenants, keys and persons are what was signed');
  });

  describe('is refused', () => {
    test('a tenant whose settings were changed by hand', async () => {
      const settings = { 'limits.burst': 7 };
      await write(tenantTable.put({ ...tenant, settings, version: 2 }, 1));
      await expect(reading().findTenant(tenant.id)).rejects.toMatchObject(ALTERED);
      await expect(state()).rejects.toThrow(`tenant:${tenant.id}`);
    });

    test('a key that was given another role, and one that nobody made', async () => {
      const roles = ['admin'] as const;
      await write(apiKeyTable.put({ ...apiKey, roles, version: 2 }, 1));
      await expect(reading().findApiKeyByHash(apiKey.hash)).rejects.toMatchObject(ALTERED);
      const made = { ...apiKey, hash: 'f'.repeat(64), id: crypto.randomUUID() };
      await write(apiKeyTable.insert(made));
      await expect(reading().findApiKeyByHash(made.hash)).rejects.toMatchObject(ALTERED);
    });

    test('a person with a key of somebody else', async () => {
      const keys = [{ keyId: 'x', publicKey: 'A'.repeat(43), validFrom: clock.now() }];
      await write(personTable.put({ ...person, keys, version: 2 }, 1));
      await expect(reading().listPersons(tenant.id)).rejects.toMatchObject(ALTERED);
    });

    test('a person who is written to at an address that somebody else put there', async () => {
      const email = { address: 'eve@evil.example', salt: '' };
      await write(personTable.put({ ...person, email, version: 2 }, 1));
      await expect(reading().findPerson(tenant.id, person.id)).rejects.toMatchObject(ALTERED);
      await expect(state()).rejects.toThrow(`person:${person.id}`);
    });

    test('a revoked key that was put back as it was', async () => {
      const audit = log();
      const settings = new SettingsTable(SETTINGS);
      const parts = { audit, clock, random: systemRandom, settings, store: plain };
      const { apiKeys } = createAdministration(parts);
      const ask = { actor: 'cli:test' as const, id: apiKey.id, tenantId: tenant.id };
      const revoked = await apiKeys.revoke(ask);
      await audit.close();
      expect(await reading().findApiKeyByHash(apiKey.hash)).toEqual(revoked);
      await write(apiKeyTable.put({ ...apiKey, version: 3 }, 2));
      await expect(reading().findApiKeyByHash(apiKey.hash)).rejects.toMatchObject(ALTERED);
    });
  });

  test('entries of a former release, which have no digest, are replayed', async () => {
    const former = { ...tenant, id: crypto.randomUUID() as Tenant['id'] };
    const audit = log();
    const tell = (verb: 'created' | 'settings_changed', open: object, next: Tenant, was: number) =>
      audit.commit(chainOf(former.id), {
        bus: [],
        changes: [tenantTable.put(next, was)],
        events: [
          entry(
            { clock, random: systemRandom },
            {
              action: `identity.tenant.${verb}`,
              actor: 'cli:test',
              open: open as never,
              target: `tenant:${former.id}`,
            },
          ),
        ],
      });
    await tell('created', { kind: 'live', name: 'Bank' }, former, 0);
    const settings = { 'limits.burst': 200 };
    const changed = { ...former, settings, version: 2 };
    const told = { after: settings, before: { 'limits.burst': null } };
    await tell('settings_changed', told, changed, 1);
    await audit.close();
    expect(await reading().findTenant(former.id)).toEqual(changed);
    await write();
    const forged = { ...changed, settings: { 'limits.burst': 201 }, version: 3 };
    const again = log();
    await again.commit(chainOf(former.id), {
      bus: [],
      changes: [tenantTable.put(forged, 2)],
      events: [
        entry(
          { clock, random: systemRandom },
          { action: 'case.reassigned' as never, actor: 'cli:test', target: 'something else' },
        ),
      ],
    });
    await again.close();
    await expect(reading().findTenant(former.id)).rejects.toMatchObject(ALTERED);
  });
});
