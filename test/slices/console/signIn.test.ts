/** Sign-in to the console over both adapters, and what is refused of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { chainOf, type TableChange, type TenantId } from '#core/kernel';
import { systemRandom, uuidV7 } from '#platform/random';
import {
  callingLogin,
  checkLogins,
  consoleLinkTable,
  consoleLoginTable,
  findLink,
  IDLE_MS,
  isLocalCall,
  LINK_MS,
  localRefusal,
  type Provider,
  SESSION_MS,
  STREAM_LOOK_MS,
} from '#slices/console';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { call, consoleDesk, OWN_PAGE, type Seen } from './consoleDesk.ts';

const LOCAL = '/console/auth/local';
const SESSION = '/console/auth/session';
const LISTS = '/console/api/v1/sanctions/lists';

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('sign-in, %s', (technology) => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let desk: ReturnType<typeof consoleDesk>;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    tenantId = await gateway.tenant('sandbox');
    desk = consoleDesk(gateway, tenantId);
  }, 120_000);
  afterAll(() => gateway?.close());

  const get = (path: string, headers: Readonly<Record<string, string>>) =>
    call(gateway.origin, path, { headers: { ...OWN_PAGE, ...headers } });

  test('a link signs in once; its session calls operations, lists itself and ends', async () => {
    const token = await desk.token();
    const opened = await desk.post(LOCAL, { token });
    expect(opened.status, opened.text).toBe(204);
    const [set = ''] = opened.headers['set-cookie'] as readonly string[];
    expect(set).toMatch(
      /^console-session=[^;]+; Path=\/console; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    const cookie = set.split(';')[0] ?? '';
    const who = await get(SESSION, { Cookie: cookie });
    const caller = JSON.parse(who.text) as { session: { session_id: string } };
    expect(caller).toMatchObject({
      person: { roles: ['agent_l2', 'mlro', 'compliance_officer', 'auditor', 'developer'] },
      tenant: { kind: 'sandbox', tenant_id: tenantId },
    });
    const lists = await get(LISTS, { Cookie: cookie });
    expect([lists.status, JSON.parse(lists.text)]).toMatchObject([
      200,
      { data: [{ source_id: 'DEMO' }] },
    ]);
    expect(lists.headers['x-ratelimit-limit']).toBeDefined();
    const sessions = await get('/console/auth/sessions', { Cookie: cookie });
    expect(JSON.parse(sessions.text)).toMatchObject({ data: [{ is_this: true }] });
    const { session_id } = caller.session;
    const ended = await desk.post('/console/auth/end', { session_id }, { Cookie: cookie });
    expect([ended.status, ended.headers['set-cookie']?.[0]]).toEqual([
      204,
      'console-session=; Path=/console; Max-Age=0; HttpOnly; SameSite=Strict',
    ]);
    expect((await get(SESSION, { Cookie: cookie })).status).toBe(401);
    const entries = await gateway.installation.storage.audit.lastEntries({
      chainId: chainOf(tenantId),
      targets: [`console_session:${session_id}`],
    });
    expect(entries[0]?.body).toContain('console.session.ended');
    // Nothing of a secret stands in the evidence or in an answer.
    expect(JSON.stringify(entries) + who.text).not.toContain(token.split('.')[2]);
    expect(await checkLogins(desk.ports, tenantId)).toMatchObject({ refusals: [] });
  });

  test('a change by the console is the change of the person, and kept under its key', async () => {
    const cookie = await desk.cookie();
    const key = crypto.randomUUID();
    const ask = () =>
      desk.post(
        '/console/api/v1/sanctions/screen',
        { name: 'Tarek Velmorani' },
        { Cookie: cookie, 'Idempotency-Key': key },
      );
    const [first, again] = [await ask(), await ask()];
    expect(first.status, first.text).toBe(200);
    const { screening_id } = JSON.parse(first.text) as { screening_id: string };
    expect(JSON.parse(again.text)).toMatchObject({ screening_id });
    const path = `/console/api/v1/sanctions/screenings/${screening_id}/audit`;
    const evidence = await get(path, { Cookie: cookie });
    expect(JSON.parse(evidence.text)).toMatchObject({
      event: { requested_by: 'local|compliance' },
    });
  });

  test('what is answered for long looks at the session again within a minute', async () => {
    const [, cookie = ''] = (await desk.cookie()).split('=');
    const { principal } = await callingLogin(desk.ports, cookie);
    const leftMs = Number(principal.expiresAt) - desk.ports.clock.now();
    expect(leftMs).toBeLessThanOrEqual(STREAM_LOOK_MS);
  });

  test('a session of a link ends where an identity provider came since', async () => {
    const [, cookie = ''] = (await desk.cookie()).split('=');
    const { ports } = desk;
    expect(await callingLogin(ports, cookie)).toMatchObject({ login: { tenantId } });
    await expect(
      callingLogin({ ...ports, provider: {} as Provider }, cookie),
    ).rejects.toMatchObject({ code: 'credential-invalid' });
  });

  test('a page that is left open keeps no session alive', async () => {
    const almost = -(IDLE_MS - 5_000);
    const stream = async (cookie: string, path: string, more = {}) => {
      const [, sessionId = ''] = cookie.split('=')[1]?.split('.') ?? [];
      const found = () =>
        gateway.installation.storage.tables.find(consoleLoginTable, { sessionId, tenantId });
      const before = (await found())?.seenAt;
      const { status } = await get(path, { Cookie: cookie, ...more });
      return { isSeen: (await found())?.seenAt !== before, status };
    };
    const asked = await stream(await desk.cookie(0, almost), LISTS);
    expect(asked).toEqual({ isSeen: true, status: 200 });
    const accept = { Accept: 'text/event-stream' };
    const followed = await stream(await desk.cookie(0, almost), LISTS, accept);
    expect(followed).toEqual({ isSeen: false, status: 200 });
  });

  test('of two browsers with one link one is signed in', async () => {
    const token = await desk.token();
    const seen = await Promise.all(Array.from({ length: 5 }, () => desk.post(LOCAL, { token })));
    expect(seen.map(({ status }) => status).sort()).toEqual([204, 401, 401, 401, 401]);
  });

  test('roles are those of the person, and no more', async () => {
    const trigger = async (person: number): Promise<Seen> =>
      desk.post(
        '/console/api/v1/sanctions/etl/sources/DEMO/trigger',
        {},
        { Cookie: await desk.cookie(person), 'Idempotency-Key': crypto.randomUUID() },
      );
    const [compliance, dsi] = [await trigger(0), await trigger(1)];
    expect([compliance.status, JSON.parse(compliance.text).code]).toEqual([
      403,
      'role-insufficient',
    ]);
    expect(dsi.status).not.toBe(403);
  });

  const signedIn =
    (headers: Readonly<Record<string, string>>, path = LISTS) =>
    async (): Promise<Seen> =>
      call(gateway.origin, path, { headers: { Cookie: await desk.cookie(), ...headers } });
  const token =
    (change: (text: string) => string | Promise<string>, at = 0, byMs = 0) =>
    async (): Promise<Seen> =>
      desk.post(LOCAL, { token: await change(await desk.token(at, byMs)) });
  const withHeaders = (headers: Readonly<Record<string, string>>) => async (): Promise<Seen> =>
    call(gateway.origin, LOCAL, {
      body: JSON.stringify({ token: await desk.token() }),
      headers: { 'Content-Type': 'application/json', ...headers },
      method: 'POST',
    });
  const replaced =
    (at: number, by: string) =>
    (text: string): string =>
      text
        .split('.')
        .map((part, place) => (place === at ? by : part))
        .join('.');

  const HOSTILE: readonly (readonly [what: string, attempt: () => Promise<Seen>])[] = [
    ['a link without X-Console', withHeaders({ 'Sec-Fetch-Site': 'same-origin' })],
    ['a link without Sec-Fetch-Site', withHeaders({ 'X-Console': '1' })],
    ['a link from another site', withHeaders({ ...OWN_PAGE, 'Sec-Fetch-Site': 'cross-site' })],
    ['a link from a sibling site', withHeaders({ ...OWN_PAGE, 'Sec-Fetch-Site': 'same-site' })],
    ['a link typed into the address', withHeaders({ ...OWN_PAGE, 'Sec-Fetch-Site': 'none' })],
    ['a link to a foreign Host', withHeaders({ ...OWN_PAGE, Host: 'evil.example' })],
    ['a Host that begins like ours', withHeaders({ ...OWN_PAGE, Host: '127.0.0.1.evil.example' })],
    ['a Host below ours', withHeaders({ ...OWN_PAGE, Host: 'localhost.evil.example' })],
    ['an empty secret', token(() => '')],
    ['a secret that is none', token(() => 'start')],
    ['the secret cut short', token((text) => text.slice(0, -1))],
    ['another secret', token(replaced(2, 'A'.repeat(43)))],
    ['the link of another tenant', token(replaced(0, uuidV7(1, systemRandom)))],
    ['another link', token(replaced(1, uuidV7(1, systemRandom)))],
    ['a link of ten minutes', token((text) => text, 0, -LINK_MS)],
    [
      'a link that was used',
      token(async (text) => {
        expect((await desk.post(LOCAL, { token: text })).status).toBe(204);
        return text;
      }),
    ],
    ['a cookie at /v1', signedIn(OWN_PAGE, '/v1/sanctions/lists')],
    ['a cookie without X-Console', signedIn({ 'Sec-Fetch-Site': 'same-origin' })],
    ['a cookie from another site', signedIn({ ...OWN_PAGE, 'Sec-Fetch-Site': 'cross-site' })],
    ['a cookie to a foreign Host', signedIn({ ...OWN_PAGE, Host: 'rebound.example' })],
    ['no cookie', () => get(LISTS, {})],
    [
      'two cookies',
      async () => get(LISTS, { Cookie: `${await desk.cookie()}; ${await desk.cookie()}` }),
    ],
    ['a cookie cut short', async () => get(LISTS, { Cookie: (await desk.cookie()).slice(0, -1) })],
    [
      'a session of twelve hours',
      async () => get(LISTS, { Cookie: await desk.cookie(0, -SESSION_MS) }),
    ],
    [
      'a session idle for fifteen minutes',
      async () => get(LISTS, { Cookie: await desk.cookie(0, -IDLE_MS) }),
    ],
    [
      'the secret of a cookie as a token of the API',
      async () =>
        get('/v1/sanctions/lists', {
          Authorization: `Bearer ${(await desk.cookie()).split('=')[1] ?? ''}`,
        }),
    ],
    [
      'a key of the API in the place of a cookie',
      async () => {
        const caller = await gateway.caller(tenantId, 'agent_l2');
        const [name = '', key = ''] = caller.credentialLine.split(': ');
        return get(LISTS, { [name]: key });
      },
    ],
  ];

  test.each(HOSTILE)('%s is refused', async (_, attempt) => {
    const { headers, status, text } = await attempt();
    expect([status, headers['set-cookie']], text).toEqual([401, undefined]);
    expect(text).toMatch(/credential-(invalid|missing|expired)/);
  });

  test('bodies that are no such request, and methods that are none', async () => {
    const bad = await call(gateway.origin, LOCAL, {
      body: '{"token":1}',
      headers: { 'Content-Type': 'application/json', ...OWN_PAGE },
      method: 'POST',
    });
    expect(bad.status).toBe(400);
    expect((await get(LOCAL, {})).status).toBe(405);
    const long = await desk.post(LOCAL, { token: 'x'.repeat(5_000) });
    expect(long.status).toBe(413);
  });

  /** A change of a record with no entry about it. */
  async function pastTheService(change: TableChange): Promise<void> {
    const { audit } = gateway.process;
    const told = entry(gateway.process, {
      action: 'console.link.used',
      actor: 'cli:test',
      target: 'something else',
    });
    await audit.commit(chainOf(tenantId), { bus: [], changes: [change], events: [told] });
  }

  test('who writes the database signs nobody in by it', async () => {
    const { tables } = gateway.installation.storage;
    const [, linkId = ''] = (await desk.token()).split('.');
    const link = await tables.find(consoleLinkTable, { linkId, tenantId });
    if (link === undefined) throw new Error('no link');
    const altered = { ...link, state: 'open' as const, version: link.version + 1 };
    await pastTheService(consoleLinkTable.put(altered, link.version));
    await expect(findLink(desk.ports, link)).rejects.toMatchObject({ code: 'state-altered' });
    const cookie = await desk.cookie();
    const [, sessionId = ''] = cookie.split('=')[1]?.split('.') ?? [];
    const login = await tables.find(consoleLoginTable, { sessionId, tenantId });
    if (login === undefined) throw new Error('no session');
    const longer = {
      ...login,
      expiresAt: (login.expiresAt + SESSION_MS) as typeof login.expiresAt,
      version: login.version + 1,
    };
    await pastTheService(consoleLoginTable.put(longer, login.version));
    const refused = await get(LISTS, { Cookie: cookie });
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'state-altered' });
    expect((await checkLogins(desk.ports, tenantId)).refusals).toHaveLength(2);
  });
});

test('only this machine signs in by a link', () => {
  const host = '127.0.0.1:8080';
  expect(isLocalCall({ host, remoteAddress: '127.0.0.1' })).toBe(true);
  expect(isLocalCall({ host: '[::1]:8080', remoteAddress: '::1' })).toBe(true);
  expect(isLocalCall({ host, remoteAddress: '192.0.2.7' })).toBe(false);
  expect(isLocalCall({ host: undefined, remoteAddress: '127.0.0.1' })).toBe(false);
});

test('a link is for an installation of one machine, without an identity provider', () => {
  const config = {
    console: 'on' as const,
    host: '127.0.0.1',
    http: { adapter: 'node' as const, isAdapterDefault: true, trustProxy: false },
  };
  expect(localRefusal(config)).toBeUndefined();
  expect(localRefusal({ ...config, console: 'off' })).toContain('CONSOLE');
  expect(localRefusal({ ...config, host: '0.0.0.0' })).toContain('HOST');
  expect(localRefusal({ ...config, http: { ...config.http, trustProxy: true } })).toContain(
    'PROXY',
  );
  const oidc = { audience: 'a', issuer: 'https://idp.example' };
  expect(localRefusal({ ...config, oidc })).toContain('OIDC');
});

test.skipIf(!hasRedis)(
  'CONSOLE=off serves nothing of it',
  async () => {
    const gateway = await openRealGateway('node:http', undefined, { CONSOLE: 'off' });
    for (const path of ['/console', '/console/', LISTS, SESSION]) {
      expect((await call(gateway.origin, path, { headers: OWN_PAGE })).status, path).toBe(404);
    }
    await gateway.close();
  },
  60_000,
);
