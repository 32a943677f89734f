/** The form of the key, when two requests are one, and what the gate lets through. */
import { describe, expect, test } from 'vitest';
import type { IdempotencyRecord } from '#core/audit';
import {
  claimOf,
  createIdempotencyGate,
  IDEMPOTENCY_MS,
  parseIdempotencyKey,
} from '../../../src/api/middleware/idempotency.ts';
import type { KeyedRequest } from '../../../src/api/ports.ts';
import { codeOf, movableClock } from '../../core/identity/memory.ts';
import { PRINCIPAL } from '../fakes.ts';

const KEY = '0b8f1ea4-7d0d-4f0b-9a52-6a7c1b9d1e11';
const REQUEST: KeyedRequest = {
  body: { lists: ['OFAC'], name: 'Ali' },
  contentType: 'application/json',
  key: KEY,
  method: 'POST',
  path: '/v1/things/7/screen',
  principal: PRINCIPAL,
  query: 'kind=full',
  route: '/v1/things/{id}/screen',
};
const CLAIM = claimOf(REQUEST);

/** The store's part: records by scope, as the commit of the effect leaves them. */
function setUp() {
  const { clock, pass } = movableClock();
  const records = new Map<string, IdempotencyRecord>();
  const state = { down: false };
  const gate = createIdempotencyGate({
    answers: { isOwn: () => true },
    clock,
    store: {
      async findIdempotency(scope, notBefore) {
        if (state.down) throw new Error('store is down');
        const record = records.get(scope);
        return record !== undefined && record.createdAt >= notBefore ? record : undefined;
      },
    },
  });
  const written = (claim = CLAIM): IdempotencyRecord => {
    const answer = {
      body: '{}',
      contentType: 'application/json',
      kind: 'body',
      status: 201,
    } as const;
    const record = { ...claim, answer, createdAt: clock.now() };
    records.set(claim.scope, record);
    return record;
  };
  return { gate, pass, records, state, written };
}

describe('the Idempotency-Key header', () => {
  test('is a UUID, bare or quoted, in any case', () => {
    for (const header of [KEY, `"${KEY}"`, KEY.toUpperCase(), ` ${KEY} `]) {
      expect(parseIdempotencyKey(header)).toBe(KEY);
    }
  });

  test('missing is one error, no UUID another', async () => {
    const { gate } = setUp();
    expect(() => gate.parseKey(undefined)).toThrow('idempotency-key-missing');
    for (const header of [
      '',
      '7',
      `'${KEY}'`,
      `"${KEY}`,
      `{${KEY}}`,
      `${KEY};a=1`,
      `${KEY}, ${KEY}`,
      `${KEY}\r\nX-Evil: 1`,
      KEY.replaceAll('-', ''),
      KEY.replace('0', '٠'),
      '$gt',
      'k'.repeat(10_240),
    ]) {
      expect(() => parseIdempotencyKey(header), header.slice(0, 50)).toThrow(/expected a UUID/);
    }
  });
});

describe('one request and another', () => {
  const scopeOf = (given: Partial<KeyedRequest>) => claimOf({ ...REQUEST, ...given }).scope;
  const fingerprintOf = (given: Partial<KeyedRequest>) =>
    claimOf({ ...REQUEST, ...given }).fingerprint;

  test('share a scope under one tenant, principal, method, route and key alone', () => {
    expect(scopeOf({ body: {}, path: '/v1/things/8/screen', query: '' })).toBe(CLAIM.scope);
    const others: Partial<KeyedRequest>[] = [
      { principal: { ...PRINCIPAL, tenantId: 'other' as never } },
      { principal: { ...PRINCIPAL, id: 'key-2' } },
      { principal: { ...PRINCIPAL, kind: 'user' } },
      { method: 'PUT' },
      { route: '/v1/things' },
      { key: KEY.replace('0', '1') },
    ];
    expect(new Set(others.map(scopeOf)).add(CLAIM.scope).size).toBe(7);
  });

  test('parts never run into each other', () => {
    const one = scopeOf({ method: 'POST', route: '/v1/a' });
    expect(scopeOf({ method: 'POST/v1', route: '/a' })).not.toBe(one);
    expect(scopeOf({ principal: { ...PRINCIPAL, id: 'a","b' } })).not.toBe(
      scopeOf({ principal: { ...PRINCIPAL, id: 'a' } }),
    );
  });

  test('are the same with the body spaced or ordered otherwise', () => {
    expect(fingerprintOf({ body: { name: 'Ali', lists: ['OFAC'] } })).toBe(CLAIM.fingerprint);
    expect(fingerprintOf({ contentType: 'Application/JSON' })).toBe(CLAIM.fingerprint);
  });

  test('differ in a byte, a parameter, an id or a type', () => {
    const others: Partial<KeyedRequest>[] = [
      { body: { lists: ['OFAC'], name: 'Alı' } },
      { body: { lists: ['OFAC'], name: 'Ali', type: null } },
      { body: undefined },
      { query: 'kind=delta' },
      { query: '' },
      { path: '/v1/things/8/screen' },
      { contentType: 'application/json;charset=utf-8' },
      { method: 'PUT' },
    ];
    expect(new Set(others.map(fingerprintOf)).add(CLAIM.fingerprint).size).toBe(9);
  });
});

describe('the gate', () => {
  const OTHER = { ...CLAIM, fingerprint: 'other' };

  test('of 50 requests at once one runs, the others are told to come again', () => {
    const { gate } = setUp();
    gate.reserve(CLAIM);
    for (let call = 0; call < 49; call++) {
      expect(() => gate.reserve(CLAIM)).toThrow(
        expect.objectContaining({ code: 'idempotency-key-in-progress', retryAfterS: 1 }),
      );
    }
    gate.end(CLAIM);
    expect(() => gate.reserve(CLAIM)).not.toThrow();
  });

  test('the same key with another payload is refused, running or answered', async () => {
    const { gate, written } = setUp();
    gate.reserve(CLAIM);
    expect(() => gate.reserve(OTHER)).toThrow('idempotency-key-reused');
    const record = written();
    gate.end(CLAIM);
    expect(await codeOf(gate.find(OTHER))).toBe('idempotency-key-reused');
    for (let call = 0; call < 50; call++) expect(await gate.find(CLAIM)).toBe(record);
  });

  test('a key whose body is still coming holds up whatever else comes under it', async () => {
    const { gate, written } = setUp();
    const { scope } = CLAIM;
    gate.reserve({ scope });
    for (const claim of [CLAIM, OTHER, { scope }]) {
      expect(() => gate.reserve(claim)).toThrow('idempotency-key-in-progress');
    }
    expect(await gate.isAnswered(scope)).toBe(false);
    written();
    expect(await gate.isAnswered(scope)).toBe(true);
    gate.end({ scope });
    gate.reserve(CLAIM);
    expect(() => gate.reserve({ scope })).toThrow('idempotency-key-in-progress');
  });

  test('of a body that was digested as it came the digest stands for it', () => {
    const { fingerprint, scope } = claimOf({ ...REQUEST, body: undefined, bodyDigest: 'd' });
    expect(scope).toBe(CLAIM.scope);
    const others = [{ bodyDigest: 'e' }, { bodyDigest: 'd', contentType: 'multipart/form-data' }];
    for (const other of others) {
      const claim = claimOf({ ...REQUEST, body: undefined, ...other });
      expect(claim.fingerprint).not.toBe(fingerprint);
    }
  });

  test('a request that failed before its effect leaves the key free', async () => {
    const { gate } = setUp();
    gate.reserve(CLAIM);
    gate.end(CLAIM);
    expect(() => gate.reserve(OTHER)).not.toThrow();
    expect(await gate.find(OTHER)).toBeUndefined();
  });

  test('other scopes are not held up', () => {
    const { gate } = setUp();
    gate.reserve(CLAIM);
    expect(() => gate.reserve({ ...CLAIM, scope: 'of another tenant' })).not.toThrow();
  });

  test('a record is found for 24 hours, then the key is fresh', async () => {
    const { gate, pass, written } = setUp();
    const record = written();
    pass(IDEMPOTENCY_MS - 1_000);
    expect(await gate.find(CLAIM)).toBe(record);
    pass(1_000);
    expect(await gate.find(CLAIM)).toBe(record);
    pass(1_000);
    expect(await gate.find(CLAIM)).toBeUndefined();
  });

  test('with the store down it is 503, and the key is free once the request ended', async () => {
    const { gate, state } = setUp();
    state.down = true;
    for (let call = 0; call < 100; call++) {
      gate.reserve(CLAIM);
      await expect(gate.find(CLAIM)).rejects.toMatchObject({
        code: 'store-unavailable',
        retryAfterS: 1,
      });
      gate.end(CLAIM);
    }
    state.down = false;
    expect(await gate.find(CLAIM)).toBeUndefined();
  });
});
