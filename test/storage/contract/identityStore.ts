/** IdentityStore: tenants, keys, persons, and the compare-and-set of their changes. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApiKey, IdentityChange, Person } from '#core/identity';
import type { Change, TenantId } from '#core/kernel';
import type { Storage } from '../../../src/storage/index.ts';
import {
  append,
  at,
  type MakeHarness,
  makeTenant,
  putTenant,
  type StoreHarness,
  TENANT_A,
  TENANT_B,
} from './harness.ts';

function makeApiKey(tenantId: TenantId, id: string, version: number): ApiKey {
  return {
    id,
    tenantId,
    hash: `hash of ${id}`,
    prefix: 'cp_live_abcd',
    name: 'till',
    roles: ['agent_l1', 'developer'],
    createdAt: at(1),
    version,
  };
}

function makePerson(tenantId: TenantId, id: string, version: number): Person {
  return {
    id,
    tenantId,
    name: `Person ${version}`,
    roles: ['mlro'],
    accounts: [{ issuer: 'https://issuer.example', subject: id }],
    keys: [{ keyId: 'k1', publicKey: 'AAAA', validFrom: at(5) }],
    version,
  };
}

export function identityStoreContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: IdentityStore`, () => {
    let harness: StoreHarness;
    let storage: Storage;

    beforeEach(async () => {
      harness = await makeHarness();
      storage = await harness.open();
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });
    const change = async (...changes: IdentityChange[]) =>
      (await append(storage, { changes: changes satisfies Change[] })).result;
    const putKey = (apiKey: ApiKey, versionExpected: number): IdentityChange => ({
      kind: 'apiKey.put',
      apiKey,
      versionExpected,
    });
    const putPerson = (person: Person, versionExpected: number): IdentityChange => ({
      kind: 'person.put',
      person,
      versionExpected,
    });

    test('what was never put is absent', async () => {
      expect(await storage.identity.findTenant(TENANT_A)).toBeUndefined();
      expect(await storage.identity.listTenants()).toEqual([]);
      expect(await storage.identity.findApiKeyByHash('x')).toBeUndefined();
      expect(await storage.identity.listApiKeys(TENANT_A)).toEqual([]);
      expect(await storage.identity.findPerson(TENANT_A, 'p')).toBeUndefined();
      expect(await storage.identity.listPersons(TENANT_A)).toEqual([]);
    });

    test('a tenant reads back as it was put, by id and in the list', async () => {
      await change(putTenant(makeTenant(TENANT_B, 1), 0), putTenant(makeTenant(TENANT_A, 1), 0));
      expect(await storage.identity.findTenant(TENANT_A)).toStrictEqual(makeTenant(TENANT_A, 1));
      expect((await storage.identity.listTenants()).map(({ id }) => id)).toEqual([
        TENANT_A,
        TENANT_B,
      ]);
    });

    test('version 0 means that it must not exist', async () => {
      await change(putTenant(makeTenant(TENANT_A, 1), 0));
      expect(await change(putTenant(makeTenant(TENANT_A, 2), 0))).toEqual({
        kind: 'stale',
        changeIndex: 0,
      });
      expect(await change(putTenant(makeTenant(TENANT_B, 2), 1))).toEqual({
        kind: 'stale',
        changeIndex: 0,
      });
    });

    test('a change from an old version is stale, from the current one it is not', async () => {
      await change(putTenant(makeTenant(TENANT_A, 1), 0));
      expect((await change(putTenant(makeTenant(TENANT_A, 2), 1))).kind).toBe('appended');
      expect((await change(putTenant(makeTenant(TENANT_A, 3), 1))).kind).toBe('stale');
      expect(await storage.identity.findTenant(TENANT_A)).toEqual(makeTenant(TENANT_A, 2));
    });

    test('a key is found by its hash, and listed under its tenant alone', async () => {
      const key = makeApiKey(TENANT_A, 'key-1', 1);
      await change(putKey(key, 0), putKey(makeApiKey(TENANT_B, 'key-2', 1), 0));
      expect(await storage.identity.findApiKeyByHash(key.hash)).toStrictEqual(key);
      expect(await storage.identity.listApiKeys(TENANT_A)).toStrictEqual([key]);
    });

    test('a revoked key keeps its hash and shows when', async () => {
      const key = makeApiKey(TENANT_A, 'key-1', 1);
      await change(putKey(key, 0));
      await change(putKey({ ...key, revokedAt: at(77), version: 2 }, 1));
      expect((await storage.identity.findApiKeyByHash(key.hash))?.revokedAt).toBe(77);
    });

    test('two keys never share a hash, nor two tenants a key', async () => {
      const key = makeApiKey(TENANT_A, 'key-1', 1);
      await change(putKey(key, 0));
      const twin = { ...makeApiKey(TENANT_A, 'key-2', 1), hash: key.hash };
      expect((await change(putKey(twin, 0))).kind).toBe('stale');
      const stolen = { ...key, tenantId: TENANT_B, version: 2 };
      expect((await change(putKey(stolen, 1))).kind).toBe('stale');
      expect((await change(putKey({ ...stolen, version: 1 }, 0))).kind).toBe('stale');
    });

    test('the last use moves forward only, beside the version', async () => {
      const key = makeApiKey(TENANT_A, 'key-1', 1);
      await change(putKey(key, 0));
      await storage.identity.touchApiKey(TENANT_A, 'key-1', at(500));
      await storage.identity.touchApiKey(TENANT_A, 'key-1', at(400));
      await storage.identity.touchApiKey(TENANT_B, 'key-1', at(900));
      await storage.identity.touchApiKey(TENANT_A, 'unknown', at(900));
      expect(await storage.identity.findApiKeyByHash(key.hash)).toEqual({
        ...key,
        lastUsedAt: 500,
      });
      expect((await change(putKey({ ...key, name: 'new', version: 2 }, 1))).kind).toBe('appended');
      expect((await storage.identity.listApiKeys(TENANT_A))[0]).toMatchObject({
        name: 'new',
        lastUsedAt: 500,
      });
    });

    test('a person is found in its own tenant alone', async () => {
      const person = makePerson(TENANT_A, 'p1', 1);
      await change(putPerson(person, 0));
      expect(await storage.identity.findPerson(TENANT_A, 'p1')).toStrictEqual(person);
      expect(await storage.identity.findPerson(TENANT_B, 'p1')).toBeUndefined();
      expect(await storage.identity.listPersons(TENANT_A)).toStrictEqual([person]);
      expect(await storage.identity.listPersons(TENANT_B)).toEqual([]);
      expect((await change(putPerson(makePerson(TENANT_B, 'p1', 1), 0))).kind).toBe('appended');
      expect((await change(putPerson(makePerson(TENANT_A, 'p1', 2), 1))).kind).toBe('appended');
      expect((await storage.identity.findPerson(TENANT_B, 'p1'))?.version).toBe(1);
    });

    test('an approval is used up once per tenant', async () => {
      const consume = (tenantId: TenantId): IdentityChange => ({
        kind: 'approval.consume',
        tenantId,
        digest: 'ab'.repeat(32),
        expiresAt: at(harness.clock.now() + 300_000),
      });
      expect((await change(consume(TENANT_A))).kind).toBe('appended');
      expect((await change(consume(TENANT_A))).kind).toBe('stale');
      expect((await change(consume(TENANT_B))).kind).toBe('appended');
      await storage.audit.purgeIdempotency(harness.clock.now());
      expect((await change(consume(TENANT_A))).kind).toBe('stale');
    });

    test('a second process sees a change at once', async () => {
      const other = await harness.open();
      expect(await other.identity.findTenant(TENANT_A)).toBeUndefined();
      await change(putTenant(makeTenant(TENANT_A, 1), 0));
      expect(await other.identity.findTenant(TENANT_A)).toEqual(makeTenant(TENANT_A, 1));
      await other.close();
    });
  });
}
