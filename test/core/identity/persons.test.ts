/** Persons, their accounts and the public keys that must not be registered. */
import { describe, expect, test } from 'vitest';
import { createPersonAdmin, heldPerson, personOf, tenantTable } from '#core/identity';
import type { TenantId } from '#core/kernel';
import { signerFromSeed } from '#platform/crypto';
import { codeOf, LIVE_TENANT, memoryIdentity, movableClock, random } from './memory.ts';

const ACTOR = 'cli:root' as const;
const KEY = Buffer.from(signerFromSeed(new Uint8Array(32).fill(1)).publicKey.raw).toString(
  'base64',
);
const ACCOUNT = { issuer: 'https://issuer.test', subject: 'dora' };

function setUp() {
  const memory = memoryIdentity();
  memory.seed(tenantTable, LIVE_TENANT);
  const { clock } = movableClock();
  const admin = createPersonAdmin({ clock, commit: memory.commit, random, store: memory.store });
  const add = (given: Partial<Parameters<typeof admin.add>[0]> = {}) =>
    admin.add({
      accounts: [ACCOUNT],
      actor: ACTOR,
      name: 'Dora',
      roles: ['dsi'],
      tenantId: LIVE_TENANT.id,
      ...given,
    });
  const addKey = (personId: string, publicKey: string) =>
    admin.addKey({ actor: ACTOR, personId, publicKey, tenantId: LIVE_TENANT.id });
  return { ...memory, add, addKey, admin };
}

describe('persons who sign', () => {
  test('have accounts, roles of the closed list and keys', async () => {
    const { add, addKey, admin } = setUp();
    const { id } = await add();
    await addKey(id, KEY);
    const [person] = await admin.list(LIVE_TENANT.id);
    expect(person).toMatchObject({ accounts: [ACCOUNT], roles: ['dsi_admin'], version: 2 });
    expect(person?.keys[0]?.publicKey).toBe(KEY);
  });

  test.each(['../../x', 'platform', 'no-such-tenant'])(
    'belong to a tenant that exists, and %s is none',
    async (id) => {
      const { add, events } = setUp();
      expect(await codeOf(add({ tenantId: id as TenantId }))).toBe('not-found');
      expect(events).toEqual([]);
    },
  );

  test('the name stands only in what can be erased', async () => {
    const { add, events } = setUp();
    await add();
    const [event] = events;
    expect(JSON.stringify(event?.members)).not.toContain('Dora');
    expect(event?.open.name).toBe('Dora');
  });

  test('are found by the account that calls, in their tenant alone', async () => {
    const { add } = setUp();
    const person = await add();
    const principal = {
      environment: 'live',
      id: 'https://issuer.test|dora',
      kind: 'user',
      mfa: true,
      roles: [],
      tenantId: LIVE_TENANT.id,
    } as const;
    expect(personOf({ ...principal, roles: person.roles }, [person])).toEqual(person);
    expect(personOf(principal, [person])).toEqual({ ...person, roles: [] });
    expect(personOf({ ...principal, kind: 'api-key' }, [person])).toBeUndefined();
    expect(personOf({ ...principal, tenantId: 'x' as never }, [person])).toBeUndefined();
  });

  test('do not share an account', async () => {
    const { add } = setUp();
    await add();
    expect(await codeOf(add({ name: 'Otto' }))).toBe('setting-invalid');
    expect(await codeOf(add({ accounts: [{ issuer: '', subject: 'x' }] }))).toBe('setting-invalid');
  });

  test('do not share a key, and a revoked one does not come back', async () => {
    const { add, addKey, admin } = setUp();
    const dora = await add();
    const otto = await add({ accounts: [], name: 'Otto' });
    const { keys } = await addKey(dora.id, KEY);
    expect(await codeOf(addKey(otto.id, KEY))).toBe('public-key-invalid');
    const keyId = keys[0]?.keyId ?? '';
    const ask = { actor: ACTOR, keyId, personId: dora.id, tenantId: LIVE_TENANT.id };
    expect((await admin.revokeKey(ask)).keys[0]?.revokedAt).toBeDefined();
    await admin.revokeKey(ask);
    expect(await codeOf(addKey(dora.id, KEY))).toBe('public-key-invalid');
  });

  const SMALL_ORDER = [
    '0100000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000080',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ];
  test.each(SMALL_ORDER)('the small-order key %s is refused', async (hex) => {
    const { add, addKey } = setUp();
    const { id } = await add();
    const key = Buffer.from(hex, 'hex').toString('base64');
    expect(await codeOf(addKey(id, key))).toBe('public-key-invalid');
  });

  test.each(['', 'AAAA', KEY.replace('=', ''), `${KEY}\n`, 'no base64'])(
    'the key %j is refused',
    async (key) => {
      const { add, addKey } = setUp();
      const { id } = await add();
      expect(await codeOf(addKey(id, key))).toBe('public-key-invalid');
    },
  );

  test('of another tenant are not found', async () => {
    const { add, admin } = setUp();
    const { id } = await add();
    const ask = { actor: ACTOR, personId: id, publicKey: KEY, tenantId: 'other' as never };
    expect(await codeOf(admin.addKey(ask))).toBe('not-found');
  });
});

describe('where persons are written to', () => {
  const EMAIL = 'dora@bank.example';

  test('an address is held by the entry and stands in no entry', async () => {
    const { add, admin, events } = setUp();
    const { id } = await add({ email: ` ${EMAIL} `, locale: 'ar' });
    const [added] = await admin.list(LIVE_TENANT.id);
    expect(added).toMatchObject({ email: { address: EMAIL }, locale: 'ar' });
    const change = { actor: ACTOR, personId: id, tenantId: LIVE_TENANT.id };
    await admin.changeContact({ ...change, email: 'd@bank.example' });
    await admin.changeContact({ ...change, locale: 'fr' });
    const [changed] = await admin.list(LIVE_TENANT.id);
    expect(changed).toMatchObject({ email: { address: 'd@bank.example' }, locale: 'fr' });
    await admin.changeContact({ ...change, email: null, locale: null });
    const [erased] = await admin.list(LIVE_TENANT.id);
    expect(erased).not.toHaveProperty('email');
    expect(erased).not.toHaveProperty('locale');
    expect(JSON.stringify(events)).not.toContain('bank.example');
    const digests = events.map(({ members }) => JSON.stringify(members.records));
    expect(new Set(digests).size).toBe(4);
  });

  test('the same address has another digest with each salt, so that it cannot be guessed', () => {
    const person = { accounts: [], id: 'p', keys: [], name: 'D', roles: [], version: 1 } as const;
    const digestOf = (salt: string) =>
      heldPerson({ ...person, email: { address: EMAIL, salt }, tenantId: LIVE_TENANT.id }).digest;
    expect(digestOf('a')).not.toBe(digestOf('b'));
  });

  test.each([
    'dora',
    'dora@',
    '@bank.example',
    'a@b@c',
    'Dora <dora@bank.example>',
    'dora@bank.example\r\nBcc: eve@evil.example',
    'dora@bank.example>\r\nRCPT TO:<eve@evil.example',
    '"do ra"@bank.example',
    'dora@[127.0.0.1]',
    'dora@-bank.example',
    'dora..b@bank.example',
    'dora@bank..example',
    'd\u00f6ra@bank.example',
    'dora@bank.example,eve@evil.example',
    `${'a'.repeat(65)}@bank.example`,
    `dora@${'bank.'.repeat(60)}example`,
  ])('%j is refused, and not repeated', async (email) => {
    const { add } = setUp();
    const refused = add({ email });
    await expect(refused).rejects.toMatchObject({ code: 'setting-invalid' });
    await expect(refused).rejects.toSatisfy((error: Error) => !error.message.includes(email));
  });

  test('a language that nothing is written in is refused', async () => {
    const { add } = setUp();
    expect(await codeOf(add({ locale: 'de' }))).toBe('setting-invalid');
  });
});
