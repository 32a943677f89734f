/** Attacks on tokens (ASVS 9) and the rotation of keys, against an issuer on loopback. */
import { createHmac, sign as nodeSign } from 'node:crypto';
import { type CryptoKey, exportSPKI, importJWK } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOidcVerifier } from '#core/identity';
import { TOKEN_CHARACTERS_MAX } from '../../../src/core/identity/oidc.ts';
import { sign, startIssuer, type TestKey, testKey } from './issuer.ts';
import { codeOf, LIVE_TENANT, movableClock, START } from './memory.ts';

const AUDIENCE = 'https://api.test';
const NOW_S = Math.floor(START / 1_000);

let es256: TestKey;
let rs256: TestKey;
let ps256: TestKey;
let eddsa: TestKey;
let foreign: TestKey;
let issuer: Awaited<ReturnType<typeof startIssuer>>;
let time: ReturnType<typeof movableClock>;

beforeAll(async () => {
  [es256, rs256, ps256, eddsa, foreign] = await Promise.all([
    testKey('es'),
    testKey('rs', 'RS256'),
    testKey('ps', 'PS256'),
    testKey('ed', 'EdDSA'),
    testKey('es'),
  ]);
  issuer = await startIssuer([]);
});
afterAll(() => issuer.close());
beforeEach(() => {
  time = movableClock();
  Object.assign(issuer.state, { fetches: 0, keys: [es256, rs256, ps256, eddsa], status: 200 });
});

const claims = (given: Record<string, unknown> = {}) => ({
  amr: ['pwd', 'otp'],
  aud: AUDIENCE,
  exp: NOW_S + 300,
  iat: NOW_S,
  iss: issuer.url,
  roles: ['agent_l2'],
  sub: 'user-1',
  tenant_id: LIVE_TENANT.id,
  ...given,
});

function verifier(given: { jwksUrl?: string | undefined; fetch?: typeof fetch } = {}) {
  return createOidcVerifier({
    audience: AUDIENCE,
    clock: time.clock,
    fetch,
    issuer: issuer.url,
    jwksUrl: issuer.jwksUrl,
    ...given,
  });
}

const base64url = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Signed by the issuer's own key over exactly these bytes. */
function signedRaw(header: unknown, payload: unknown): string {
  const input = `${base64url(header)}.${base64url(payload)}`;
  const key = { dsaEncoding: 'ieee-p1363' as const, key: es256.privateKey as never };
  return `${input}.${nodeSign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

describe('a good token', () => {
  test('is a person of a tenant with roles', async () => {
    expect(await verifier().verify(await sign(es256, claims({ exp: NOW_S + 90 })))).toEqual({
      expiresAt: (NOW_S + 90 + 60) * 1_000,
      id: `${issuer.url}|user-1`,
      mfa: true,
      roles: ['agent_l2'],
      tenantId: LIVE_TENANT.id,
    });
  });

  test('may be signed by RS256, PS256, ES256 or EdDSA', async () => {
    const one = verifier();
    for (const key of [rs256, ps256, es256, eddsa]) {
      expect(await codeOf(one.verify(await sign(key, claims()))), key.alg).toBe('none');
    }
    expect(issuer.state.fetches).toBe(1);
  });

  test('roles come under both of their names; other groups are no roles', async () => {
    const roles = ['dsi', 'supervisor', 'everyone', 'agent_l2', 'constructor', 7, '__proto__'];
    const identity = await verifier().verify(await sign(es256, claims({ roles })));
    expect(identity.roles).toEqual(['agent_l2', 'dsi_admin']);
  });

  test.each([
    [['mfa'], true],
    [['pwd', 'otp'], true],
    [['fpt', 'hwk'], true],
    [['pwd'], false],
    [['pwd', 'pin'], false],
    [['otp', 'sms'], false],
    [['pwd', 'wia', 'geo'], false],
    [undefined, false],
    ['mfa', false],
  ])('amr %j is a second factor: %s', async (amr, mfa) => {
    expect((await verifier().verify(await sign(es256, claims({ amr })))).mfa).toBe(mfa);
  });

  test('the keys are found by discovery where no address is given', async () => {
    const one = verifier({ jwksUrl: undefined });
    expect(await codeOf(one.verify(await sign(es256, claims())))).toBe('none');
    expect(issuer.state.fetches).toBe(2);
  });

  test('is accepted 59 s after its end and refused 61 s after', async () => {
    const late = (seconds: number) =>
      sign(es256, claims({ exp: NOW_S - seconds, iat: NOW_S - 600 }));
    expect(await codeOf(verifier().verify(await late(59)))).toBe('none');
    expect(await codeOf(verifier().verify(await late(61)))).toBe('credential-expired');
  });
});

describe('an attack is credential-invalid', () => {
  const attacks: readonly (readonly [string, () => Promise<string> | string])[] = [
    ['alg none', () => `${base64url({ alg: 'none', typ: 'at+jwt' })}.${base64url(claims())}.`],
    [
      'alg none with a signature',
      () => `${base64url({ alg: 'none', typ: 'at+jwt' })}.${base64url(claims())}.AA`,
    ],
    [
      'alg nOnE',
      () => `${base64url({ alg: 'nOnE', kid: 'es', typ: 'at+jwt' })}.${base64url(claims())}.AA`,
    ],
    ['HS256 with the RSA public key as secret', () => hmacToken('HS256', 'sha256')],
    ['HS512 with the RSA public key as secret', () => hmacToken('HS512', 'sha512')],
    ['an embedded key', () => sign(foreign, claims(), { jwk: foreign.jwk })],
    ['an embedded key beside a good signature', () => sign(es256, claims(), { jwk: es256.jwk })],
    ['a jku', () => sign(es256, claims(), { jku: `${issuer.url}/keys` })],
    ['an x5u', () => sign(es256, claims(), { x5u: 'https://evil.test/cert' })],
    ['an x5c', () => sign(es256, claims(), { x5c: ['AAAA'] })],
    ['an unknown kid', () => sign(es256, claims(), { kid: 'nobody' })],
    ['a kid with a path', () => sign(es256, claims(), { kid: '../../dev/null' })],
    ['a known kid under a foreign key', () => sign(foreign, claims())],
    ['a kid of a key of another algorithm', () => sign(es256, claims(), { kid: 'rs' })],
    [
      'an unknown crit',
      () => signedRaw({ alg: 'ES256', crit: ['x'], kid: 'es', typ: 'at+jwt', x: 1 }, claims()),
    ],
    ['an ID token', () => sign(es256, claims(), { typ: 'JWT' })],
    ['no typ', () => signedRaw({ alg: 'ES256', kid: 'es' }, claims())],
    ['another audience', () => sign(es256, claims({ aud: 'https://other.test' }))],
    ['no audience', () => sign(es256, claims({ aud: undefined }))],
    ['another issuer', () => sign(es256, claims({ iss: 'https://evil.test' }))],
    ['an issuer that starts alike', () => sign(es256, claims({ iss: `${issuer.url}.evil.test` }))],
    ['issued 120 s from now', () => sign(es256, claims({ iat: NOW_S + 120 }))],
    ['not valid for another 120 s', () => sign(es256, claims({ nbf: NOW_S + 120 }))],
    ['no end', () => sign(es256, claims({ exp: undefined }))],
    ['no beginning', () => sign(es256, claims({ iat: undefined }))],
    ['an end that is no number', () => sign(es256, claims({ exp: `${NOW_S + 300}` }))],
    ['no tenant', () => sign(es256, claims({ tenant_id: undefined }))],
    ['a tenant that is no id', () => sign(es256, claims({ tenant_id: { $gt: '' } }))],
    ['no subject', () => sign(es256, claims({ sub: undefined }))],
    ['a subject without end', () => sign(es256, claims({ sub: 's'.repeat(256) }))],
    ['a token of 100 KB', () => sign(es256, claims({ pad: 'p'.repeat(100_000) }))],
    ['a tenant that stands twice', () => signedRaw(HEADER, twice('tenant_id'))],
    [
      'an algorithm that stands twice',
      () => signedRaw('{"alg":"none","alg":"ES256","kid":"es","typ":"at+jwt"}', claims()),
    ],
    [
      'a token inside a token',
      async () => signedRaw({ ...HEADER, cty: 'JWT' }, await sign(es256, claims())),
    ],
    ['a payload that is an array', () => signedRaw(HEADER, [claims()])],
    ['a changed payload', async () => swapPayload(await sign(es256, claims()))],
    ['a signature cut short', async () => (await sign(es256, claims())).slice(0, -4)],
    ['an empty signature', async () => (await sign(es256, claims())).replace(/[^.]+$/, '')],
    ['five parts', () => 'a.b.c.d.e'],
    ['no token', () => ''],
    ['a NUL', async () => `${await sign(es256, claims())}\0`],
  ];
  const HEADER = { alg: 'ES256', kid: 'es', typ: 'at+jwt' };

  test.each(attacks)('%s', async (_name, token) => {
    expect(await codeOf(verifier().verify(await token()))).toBe('credential-invalid');
  });

  test('the refusal of a token never quotes it', async () => {
    const token = await sign(foreign, claims());
    await expect(verifier().verify(token)).rejects.toThrow(/^credential-invalid$/);
  });

  test('a token of the longest length is still read', async () => {
    const token = await sign(es256, claims({ pad: 'p'.repeat(5_500) }));
    expect(token.length).toBeLessThanOrEqual(TOKEN_CHARACTERS_MAX);
    expect(await codeOf(verifier().verify(token))).toBe('none');
  });

  async function hmacToken(alg: string, digest: string): Promise<string> {
    const publicKey = (await importJWK(rs256.jwk, 'RS256', { extractable: true })) as CryptoKey;
    const secret = await exportSPKI(publicKey);
    const input = `${base64url({ alg, kid: 'rs', typ: 'at+jwt' })}.${base64url(claims())}`;
    return `${input}.${createHmac(digest, secret).update(input).digest('base64url')}`;
  }

  function twice(name: string): string {
    const text = JSON.stringify(claims());
    return `{"${name}":"018f0000-0000-7000-8000-00000000000f",${text.slice(1)}`;
  }

  function swapPayload(token: string): string {
    const [header, , signature] = token.split('.');
    return `${header}.${base64url(claims({ roles: ['admin'] }))}.${signature}`;
  }
});

describe("the issuer's keys", () => {
  test('a new key is accepted at the latest 30 s after its publication', async () => {
    const one = verifier();
    await one.verify(await sign(es256, claims()));
    const next = await testKey('next');
    issuer.state.keys = [es256, next];
    const token = await sign(next, claims());
    time.pass(29_999);
    expect(await codeOf(one.verify(token))).toBe('credential-invalid');
    time.pass(1);
    expect(await codeOf(one.verify(token))).toBe('none');
  });

  test('a key that was withdrawn ends with the ten minutes', async () => {
    const one = verifier();
    const token = await sign(es256, claims({ exp: NOW_S + 3_600 }));
    await one.verify(token);
    issuer.state.keys = [rs256];
    time.pass(600_000);
    expect(await codeOf(one.verify(token))).toBe('credential-invalid');
  });

  test('10,000 invented key ids in a minute cost the issuer two fetches', async () => {
    const one = verifier();
    const token = await sign(es256, claims());
    await one.verify(token);
    issuer.state.fetches = 0;
    const [, payload, signature] = token.split('.');
    for (let call = 0; call < 10_000; call++) {
      time.pass(6);
      const header = base64url({ alg: 'ES256', kid: `k${call}`, typ: 'at+jwt' });
      expect(await codeOf(one.verify(`${header}.${payload}.${signature}`))).toBe(
        'credential-invalid',
      );
    }
    expect(issuer.state.fetches).toBeLessThanOrEqual(2);
  });

  test('callers at once share one fetch', async () => {
    const one = verifier();
    const token = await sign(es256, claims());
    await Promise.all(Array.from({ length: 50 }, () => one.verify(token)));
    expect(issuer.state.fetches).toBe(1);
  });

  test('an outage costs nothing for ten minutes, then it is 503, then it heals', async () => {
    const one = verifier();
    const token = await sign(es256, claims({ exp: NOW_S + 7_200 }));
    await one.verify(token);
    // The worst moment: the keys are just about to be renewed.
    time.pass(599_999);
    issuer.state.status = 500;
    for (let minute = 0; minute < 10; minute++) {
      expect(await codeOf(one.verify(token)), `minute ${minute}`).toBe('none');
      time.pass(60_000);
    }
    time.pass(1);
    expect(await codeOf(one.verify(token))).toBe('identity-provider-unavailable');
    issuer.state.status = 200;
    time.pass(5_000);
    expect(await codeOf(one.verify(token))).toBe('none');
  });

  test('a failing issuer is asked once in 5 s', async () => {
    issuer.state.status = 500;
    const one = verifier();
    const token = await sign(es256, claims());
    for (let call = 0; call < 100; call++) {
      expect(await codeOf(one.verify(token))).toBe('identity-provider-unavailable');
      time.pass(100);
    }
    expect(issuer.state.fetches).toBe(2);
  });

  test.each([
    ['no JSON', 'keys'],
    ['no keys', '{"keys":1}'],
    ['too much', `{"keys":[],"pad":"${'p'.repeat(300_000)}"}`],
  ])('an answer with %s is 503', async (_name, text) => {
    const one = verifier({ fetch: async () => new Response(text) });
    const code = await codeOf(one.verify(await sign(es256, claims())));
    expect(code).toBe('identity-provider-unavailable');
  });

  test('a discovery document of another issuer is not followed', async () => {
    const other = JSON.stringify({ issuer: 'https://evil.test', jwks_uri: issuer.jwksUrl });
    const one = verifier({ fetch: async () => new Response(other), jwksUrl: undefined });
    const code = await codeOf(one.verify(await sign(es256, claims())));
    expect(code).toBe('identity-provider-unavailable');
  });
});
