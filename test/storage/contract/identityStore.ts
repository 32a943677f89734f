/** What identity demands of its tables: tenants, keys, persons, used approvals. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ApiKey,
  apiKeyTable,
  consumedApprovalTable,
  type IdentityStore,
  identityStore,
  type Person,
  personTable,
} from '#core/identity';
import type { TableChange, TenantId } from '#core/kernel';
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
    scopes: ['screening:write', 'lists:read'],
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
    let identity: IdentityStore;

    beforeEach(async () => {
      harness = await makeHarness();
      storage = await harness.open();
      identity = identityStore(storage.tables);
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });
    const change = async (...changes: TableChange[]) => (await append(storage, { changes })).result;
    const putKey = (apiKey: ApiKey, expected: number) => apiKeyTable.put(apiKey, expected);
    const putPerson = (person: Person, expected: number) => personTable.put(person, expected);

    test('what was never put is absent', async () => {
      expect(await identity.findTenant(TENANT_A)).toBeUndefined();
      expect(await identity.listTenants()).toEqual([]);
      expect(await identity.findApiKeyByHash('x')).toBeUndefined();
      expect(await identity.listApiKeys(TENANT_A)).toEqual([]);
      expect(await identity.findPerson(TENANT_A, 'p')).toBeUndefined();
      expect(await identity.listPersons(TENANT_A)).toEqual([]);
    });

    test('a tenant reads back as it was put, by id and in the list', async () => {
      await change(putTenant(makeTenant(TENANT_B, 1), 0), putTenant(makeTenant(TENANT_A, 1), 0));
      expect(await identity.findTenant(TENANT_A)).toStrictEqual(makeTenant(TENANT_A, 1));
      expect((await identity.listTenants()).map(({ id }) => id)).toEqual([TENANT_A, TENANT_B]);
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
      expect(await identity.findTenant(TENANT_A)).toEqual(makeTenant(TENANT_A, 2));
    });

    test('a key is found by its hash, and listed under its tenant alone', async () => {
      const key = makeApiKey(TENANT_A, 'key-1', 1);
      await change(putKey(key, 0), putKey(makeApiKey(TENANT_B, 'key-2', 1), 0));
      expect(await identity.findApiKeyByHash(key.hash)).toStrictEqual(key);
      expect(await identity.listApiKeys(TENANT_A)).toStrictEqual([key]);
    });

    test('a revoked key keeps its hash and shows when', async () => {
      const key = makeApiKey(TENANT_A, 'key-1', 1);
      await change(putKey(key, 0));
      await change(putKey({ ...key, revokedAt: at(77), version: 2 }, 1));
      expect((await identity.findApiKeyByHash(key.hash))?.revokedAt).toBe(77);
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
      await identity.touchApiKey({ id: 'key-1' }, at(500));
      await identity.touchApiKey({ id: 'key-1' }, at(400));
      await identity.touchApiKey({ id: 'unknown' }, at(900));
      expect(await identity.findApiKeyByHash(key.hash)).toEqual({
        ...key,
        lastUsedAt: 500,
      });
      expect((await change(putKey({ ...key, name: 'new', version: 2 }, 1))).kind).toBe('appended');
      expect((await identity.listApiKeys(TENANT_A))[0]).toMatchObject({
        name: 'new',
        lastUsedAt: 500,
      });
    });

    test('a person is found in its own tenant alone', async () => {
      const person = makePerson(TENANT_A, 'p1', 1);
      await change(putPerson(person, 0));
      expect(await identity.findPerson(TENANT_A, 'p1')).toStrictEqual(person);
      expect(await identity.findPerson(TENANT_B, 'p1')).toBeUndefined();
      expect(await identity.listPersons(TENANT_A)).toStrictEqual([person]);
      expect(await identity.listPersons(TENANT_B)).toEqual([]);
      expect((await change(putPerson(makePerson(TENANT_B, 'p1', 1), 0))).kind).toBe('appended');
      expect((await change(putPerson(makePerson(TENANT_A, 'p1', 2), 1))).kind).toBe('appended');
      expect((await identity.findPerson(TENANT_B, 'p1'))?.version).toBe(1);
    });

    test('an approval is used up once per tenant', async () => {
      const expiresAt = at(harness.clock.now() + 300_000);
      const consume = (tenantId: TenantId) =>
        consumedApprovalTable.insert({ digest: 'ab'.repeat(32), expiresAt, tenantId });
      expect((await change(consume(TENANT_A))).kind).toBe('appended');
      expect((await change(consume(TENANT_A))).kind).toBe('stale');
      expect((await change(consume(TENANT_B))).kind).toBe('appended');
      const purge = (now: number) => storage.tables.purge(consumedApprovalTable, at(now));
      expect(await purge(expiresAt)).toBe(0);
      expect((await change(consume(TENANT_A))).kind).toBe('stale');
      expect(await purge(expiresAt + 24 * 3_600_000)).toBe(2);
    });

    test('a second process sees a change at once', async () => {
      const other = await harness.open();
      const theirs = identityStore(other.tables);
      expect(await theirs.findTenant(TENANT_A)).toBeUndefined();
      await change(putTenant(makeTenant(TENANT_A, 1), 0));
      expect(await theirs.findTenant(TENANT_A)).toEqual(makeTenant(TENANT_A, 1));
      await other.close();
    });
  });
}
