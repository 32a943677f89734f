/** Sign-in by the identity provider, over both adapters: the code flow and step-up. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { systemRandom, uuidV7 } from '#platform/random';
import { consoleLoginTable } from '#slices/console';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { call, OWN_PAGE, type Seen } from './consoleDesk.ts';
import { CLIENT, startProvider, type Told } from './identityProvider.ts';

const LOGIN = '/console/auth/login';
const SANDBOX = 'https://sandbox.example';
const ALERTS = '/console/api/v1/aml/alerts';
const DECIDE = `${ALERTS}/decisions`;
const ID = '0198f3c2-7a51-7c3e-9d10-4f6b2a8e5c31';
const cookiesIn = ({ headers }: Seen): readonly string[] =>
  ((headers['set-cookie'] ?? []) as readonly string[]).map((one) => one.split(';')[0] ?? '');

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('the code flow, %s', (technology) => {
  let gateway: RealGateway;
  let provider: Awaited<ReturnType<typeof startProvider>>;
  let tenantId: TenantId;

  beforeAll(async () => {
    provider = await startProvider();
    const secretFile = join(mkdtempSync(join(tmpdir(), 'client-')), 'secret');
    writeFileSync(secretFile, `${CLIENT.secret}\n`);
    gateway = await openRealGateway(technology, undefined, {
      ...provider.environment,
      OIDC_CLIENT_SECRET_FILE: secretFile,
      SANDBOX_BASE_URL: SANDBOX,
    });
    tenantId = await gateway.tenant('live');
    await gateway.tenant('live', { hosts: 'other.example' });
  }, 120_000);
  afterAll(async () => {
    await gateway?.close();
    await provider?.close();
  });

  const begin = async (query = '', headers: Readonly<Record<string, string>> = {}) => {
    const seen = await call(gateway.origin, LOGIN + query, { headers });
    expect(seen.status, seen.text).toBe(303);
    return { flow: cookiesIn(seen)[0] ?? '', location: String(seen.headers.location) };
  };
  const back = (url: URL, flow: string): Promise<Seen> =>
    call(gateway.origin, url.pathname + url.search, { headers: { Cookie: flow } });
  const told = (more: Told = {}): Told => ({
    ...more,
    access: { tenant_id: tenantId, ...more.access },
  });

  async function signedIn(more: Told = {}, former = ''): Promise<string> {
    const { flow, location } = await begin(former && '?fresh=1', former ? { Cookie: former } : {});
    const seen = await back(provider.signIn(location, told(more)), flow);
    expect([seen.status, seen.headers.location], seen.text).toEqual([303, '/console/']);
    return cookiesIn(seen).find((one) => one.startsWith('console-session=')) ?? '';
  }
  const get = (path: string, cookie: string): Promise<Seen> =>
    call(gateway.origin, path, { headers: { Cookie: cookie, ...OWN_PAGE } });
  const loginOf = (cookie: string) => {
    const [, sessionId = ''] = cookie.split('=')[1]?.split('.') ?? [];
    return gateway.installation.storage.tables.find(consoleLoginTable, { sessionId, tenantId });
  };

  test('a person of a live tenant signs in, and no token leaves the gateway', async () => {
    const { location } = await begin('?fresh=1');
    expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({
      code_challenge_method: 'S256',
      max_age: '0',
      redirect_uri: `${gateway.origin}/console/auth/callback`,
      response_type: 'code',
    });
    const cookie = await signedIn();
    const who = await get('/console/auth/session', cookie);
    expect(JSON.parse(who.text)).toMatchObject({
      person: { name: 'amira', person_id: null, roles: ['agent_l2'] },
      tenant: { kind: 'live' },
    });
    expect((await get(ALERTS, cookie)).status).toBe(200);
    const kept = await loginOf(cookie);
    expect(kept?.tokens).toMatch(/^v1\./);
    // The head of a token and its body: three letters alone stand by chance in what is sealed.
    expect(who.text + JSON.stringify(kept)).not.toMatch(/eyJ[\w-]{9,}\.eyJ/);
  });

  test('a sign-in that began at the sandbox comes back to the sandbox', async () => {
    const { flow, location } = await begin('', { Host: 'Sandbox.Example' });
    const url = provider.signIn(location, told());
    expect(url.origin + url.pathname).toBe(`${SANDBOX}/console/auth/callback`);
    expect((await back(url, flow)).status).toBe(303);
    const elsewhere = await begin('', { Host: 'evil.example' });
    expect(new URL(elsewhere.location).searchParams.get('redirect_uri')).toBe(
      `${gateway.origin}/console/auth/callback`,
    );
  });

  test('a new sign-in in a browser ends the session that it had, and no other', async () => {
    const [former, other] = [await signedIn(), await signedIn()];
    const cookie = await signedIn({}, former);
    const statuses = [former, other, cookie].map(async (one) => (await get(ALERTS, one)).status);
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
    const { state, tokens } = (await loginOf(former)) ?? {};
    expect([state, tokens]).toEqual(['ended', undefined]);
    // Who knows no more than the id of a session ends none.
    const forged = `${other.slice(0, other.lastIndexOf('.') + 1)}${'A'.repeat(43)}`;
    expect((await get(ALERTS, await signedIn({}, forged))).status).toBe(200);
    expect((await get(ALERTS, other)).status).toBe(200);
  });

  test('tokens that have ended are changed for new ones, once for requests at once', async () => {
    // With the leeway of a minute they end in two seconds.
    provider.state.expiresInS = -58;
    const cookie = await signedIn();
    provider.state.expiresInS = 300;
    const { asked } = provider.state;
    const statuses = new Set<number>();
    await expect
      .poll(
        async () => {
          const seen = await Promise.all(Array.from({ length: 5 }, () => get(ALERTS, cookie)));
          for (const { status } of seen) statuses.add(status);
          return (await loginOf(cookie))?.version;
        },
        { interval: 100, timeout: 20_000 },
      )
      .toBe(2);
    expect([...statuses]).toEqual([200]);
    expect(provider.state.asked - asked).toBe(1);
  }, 30_000);

  test('decisions ask for a sign-in of the last quarter of an hour', async () => {
    const long = Math.floor(Date.now() / 1_000) - 901;
    const cookie = await signedIn({ id: { auth_time: long } });
    const decide = async (of: string): Promise<Seen> =>
      call(gateway.origin, DECIDE, {
        body: JSON.stringify({ alerts: [], decision: 'false_positive' }),
        headers: {
          'Content-Type': 'application/json',
          Cookie: of,
          'Idempotency-Key': crypto.randomUUID(),
          ...OWN_PAGE,
        },
        method: 'POST',
      });
    const refused = await decide(cookie);
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([403, 'mfa-required']);
    expect((await get(ALERTS, cookie)).status).toBe(200);
    // The same from a fresh sign-in meets the body's own faults.
    expect((await decide(await signedIn())).status).toBe(400);
  });

  test('a provider that does not say when has not said that it was now', async () => {
    const cookie = await signedIn({ id: { auth_time: undefined } });
    const refused = await call(gateway.origin, DECIDE, {
      body: '{}',
      headers: { Cookie: cookie, ...OWN_PAGE },
      method: 'POST',
    });
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([403, 'mfa-required']);
  });

  const DUE: readonly (readonly [method: string, path: string])[] = [
    ['PATCH', `/v1/aml/batches/${ID}/hits/${ID}`],
    ['POST', '/v1/approvals'],
    ['POST', `/v1/aml/alerts/${ID}/reopen`],
    ['POST', `/v1/aml/str/${ID}/submit`],
    ['POST', `/v1/kyc/cases/${ID}/decisions`],
    ['POST', `/v1/privacy/dsar/${ID}/approve`],
    ['POST', `/v1/privacy/dsar/${ID}/passphrase`],
    ['POST', '/v1/privacy/vault/p-1/open'],
    ['POST', `/v1/risk/policies/${ID}/approve`],
    ['POST', `/v1/tcr/declarations/${ID}/submit-ides`],
    ['PATCH', '/v1/sanctions/etl/sources/OFAC_SDN'],
  ];
  const NOT_DUE: readonly (readonly [method: string, path: string])[] = [
    ['POST', '/v1/sanctions/screen'],
    ['POST', `/v1/aml/alerts/${ID}/assign`],
    ['POST', `/v1/aml/alerts/${ID}/notes`],
    ['PATCH', `/v1/aml/str/${ID}`],
  ];

  test('so does every change that is not named as light', async () => {
    const cookie = await signedIn({ id: { auth_time: 1 } });
    const codeOf = async ([method, path]: readonly [string, string]): Promise<string> => {
      const headers = { Cookie: cookie, ...OWN_PAGE };
      const of = { body: '{}', headers, method };
      const { code } = JSON.parse((await call(gateway.origin, `/console/api${path}`, of)).text);
      return `${method} ${path} ${code === 'mfa-required'}`;
    };
    for (const one of DUE) expect(await codeOf(one)).toBe(`${one.join(' ')} true`);
    for (const one of NOT_DUE) expect(await codeOf(one)).toBe(`${one.join(' ')} false`);
  });

  test("the address of another tenant is no way to one's own", async () => {
    const cookie = await signedIn();
    const headers = { Cookie: cookie, Host: 'other.example', ...OWN_PAGE };
    const refused = await call(gateway.origin, ALERTS, { headers });
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([403, 'host-tenant-mismatch']);
  });

  const HOSTILE: readonly (readonly [what: string, attempt: () => Promise<Seen>])[] = [
    [
      'no sign-in under way',
      async () => back(provider.signIn((await begin()).location, told()), ''),
    ],
    [
      'the sign-in of another browser',
      async () => back(provider.signIn((await begin()).location, told()), (await begin()).flow),
    ],
    [
      'another state',
      async () => {
        const { flow, location } = await begin();
        const url = provider.signIn(location, told());
        url.searchParams.set('state', 'A'.repeat(43));
        return back(url, flow);
      },
    ],
    [
      'a code that was used',
      async () => {
        const { flow, location } = await begin();
        const url = provider.signIn(location, told());
        expect((await back(url, flow)).status).toBe(303);
        return back(url, flow);
      },
    ],
    [
      'the code of another sign-in (PKCE)',
      async () => {
        const [one, other] = [await begin(), await begin()];
        const url = provider.signIn(one.location, told());
        url.searchParams.set('state', new URL(other.location).searchParams.get('state') ?? '');
        return back(url, other.flow);
      },
    ],
    [
      'an answer of another issuer (mix-up)',
      async () => {
        const { flow, location } = await begin();
        const url = provider.signIn(location, told());
        url.searchParams.set('iss', 'https://evil.example');
        return back(url, flow);
      },
    ],
    [
      'no code',
      async () => back(new URL(`${gateway.origin}/console/auth/callback`), (await begin()).flow),
    ],
    [
      'a flow that nobody sealed',
      async () => back(provider.signIn((await begin()).location, told()), 'console-flow=v1.x.y'),
    ],
    ...(
      [
        ['another nonce', { id: { nonce: 'other' } }],
        ['an ID token for another client', { id: { aud: 'other' } }],
        ['an ID token of another person', { id: { sub: 'somebody' } }],
        ['an ID token that has ended', { id: { exp: 1 } }],
        ['a token for another audience', { access: { aud: 'other' } }],
        ['a token of a tenant that is none', { access: { tenant_id: uuidV7(1, systemRandom) } }],
        ['a token of another issuer', { access: { iss: 'https://evil.example' } }],
      ] as const
    ).map(([what, more]: readonly [string, Told]) => {
      const attempt = async (): Promise<Seen> => {
        const { flow, location } = await begin();
        return back(provider.signIn(location, told(more)), flow);
      };
      return [what, attempt] as const;
    }),
    [
      'a key that is not the issuer’s',
      async () => {
        const { flow, location } = await begin();
        return back(provider.signIn(location, told({ key: provider.stranger })), flow);
      },
    ],
  ];

  test.each(HOSTILE)('%s is refused', async (_, attempt) => {
    const seen = await attempt();
    expect([seen.status, cookiesIn(seen)], seen.text).toEqual([401, []]);
  });

  test('a role of the second level without a second factor is refused', async () => {
    const { flow, location } = await begin();
    const seen = await back(provider.signIn(location, told({ access: { amr: ['pwd'] } })), flow);
    expect([seen.status, cookiesIn(seen)]).toEqual([403, []]);
  });

  test('no link signs anybody in where a provider does', async () => {
    const seen = await call(gateway.origin, '/console/auth/local', {
      body: '{"token":"x"}',
      headers: { 'Content-Type': 'application/json', ...OWN_PAGE },
      method: 'POST',
    });
    expect(seen.status).toBe(401);
  });
});
