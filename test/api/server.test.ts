/** The gateway's pipeline, without sockets: what each step refuses, and in what order. */
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import {
  fakeGate,
  fakeRequest,
  gatewayOf,
  headerOf,
  JSON_HEADERS,
  jsonOf,
  openLimiter,
  operationOf,
  PRINCIPAL,
  post,
  postOf,
  TENANT,
} from './fakes.ts';

const ID = '018f0000-0000-7000-8000-0000000000aa';

describe('answers', () => {
  test('an answer has its request id and the rate headers, and is not to be stored', async () => {
    const reply = await gatewayOf([operationOf()]).handler(fakeRequest({ path: '/v1/things' }));
    expect(reply.status).toBe(200);
    expect(jsonOf(reply)).toEqual({ done: true });
    expect(headerOf(reply, 'x-request-id')).toMatch(/^019b7c[0-9a-f-]{30}$/);
    expect(headerOf(reply, 'x-ratelimit-remaining')).toBe('99');
    expect(headerOf(reply, 'cache-control')).toBe('no-store');
    expect(headerOf(reply, 'content-type')).toBe('application/json');
  });

  test('a request id sent by the caller is not taken over', async () => {
    const headers = { 'x-request-id': ID };
    const reply = await gatewayOf([operationOf()]).handler(
      fakeRequest({ headers, path: '/v1/things' }),
    );
    expect(headerOf(reply, 'x-request-id')).not.toBe(ID);
  });

  test('the handler gets principal, tenant, parameters, query and body', async () => {
    let seen: unknown;
    const operation = postOf({
      async handle({ body, params, principal, query, tenantId }) {
        seen = { body, params, principal, query, tenantId };
        return { body: '{}', status: 201 };
      },
      path: '/v1/things/{id}/parts/{source}',
      query: Type.Object({ limit: Type.Integer({ maximum: 9 }) }),
    });
    const reply = await gatewayOf([operation]).handler(
      fakeRequest({
        body: '{"name":"a"}',
        headers: JSON_HEADERS,
        method: 'POST',
        path: `/v1/things/${ID.toUpperCase()}/parts/OFAC_SDN`,
        query: 'limit=3',
      }),
    );
    expect(reply.status).toBe(201);
    expect(seen).toEqual({
      body: { name: 'a' },
      params: { id: ID, source: 'OFAC_SDN' },
      principal: PRINCIPAL,
      query: { limit: 3 },
      tenantId: TENANT,
    });
  });
});

describe('problems', () => {
  test('a problem document has every member and a type that is a page of ours', async () => {
    const reply = await gatewayOf([]).handler(fakeRequest({ path: '/v1/nothing' }));
    const id = headerOf(reply, 'x-request-id');
    expect(headerOf(reply, 'content-type')).toBe('application/problem+json');
    expect(jsonOf(reply)).toEqual({
      code: 'route-unknown',
      detail: 'There is no such path.',
      errors: [],
      instance: `urn:uuid:${id}`,
      request_id: id,
      status: 404,
      title: 'Unknown route',
      type: 'https://api.test/problems/route-unknown',
    });
    expect(headerOf(reply, 'x-ratelimit-limit')).toBe('100');
  });

  test('an unexpected error tells the caller nothing, nor its message the log', async () => {
    const handle = async () => {
      throw new TypeError('Jane Roe, passport 123');
    };
    const gateway = gatewayOf([operationOf({ handle })]);
    const reply = await gateway.handler(fakeRequest({ path: '/v1/things' }));
    expect(reply.status).toBe(500);
    expect(jsonOf(reply).code).toBe('internal');
    expect(String(reply.body)).not.toMatch(/Jane|TypeError|server\.test/);
    const line = gateway.lines.find((one) => one.includes('request failed')) ?? '';
    expect(line).toContain(headerOf(reply, 'x-request-id'));
    expect(line).toContain('server.test.ts');
    expect(line).not.toContain('Jane');
  });

  test('a record that is not what was signed is a conflict, and told to the operator', async () => {
    const detail = 'tenant t1: it is not what its entry made it';
    const handle = () => Promise.reject(new DomainError('state-altered', { detail }));
    // The operation does not name it: any may meet it.
    const gateway = gatewayOf([operationOf({ handle })]);
    const reply = await gateway.handler(fakeRequest({ path: '/v1/things' }));
    expect([reply.status, jsonOf(reply).code, jsonOf(reply).detail]).toEqual([
      409,
      'state-altered',
      detail,
    ]);
    const line = gateway.lines.find((one) => one.includes('request failed')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ code: 'state-altered', level: 'error' });
    expect(line).toContain(detail);
  });

  test('a flood of 503 is one line, and no error', async () => {
    const handle = () => Promise.reject(new DomainError('store-unavailable'));
    const gateway = gatewayOf([operationOf({ handle })]);
    for (let n = 0; n < 5; n++) {
      const reply = await gateway.handler(fakeRequest({ path: '/v1/things' }));
      expect([reply.status, headerOf(reply, 'retry-after')]).toEqual([503, '1']);
    }
    const levels = gateway.lines.map((line) => (JSON.parse(line) as { level: string }).level);
    expect(levels.filter((level) => level === 'warn')).toHaveLength(1);
    expect(levels).not.toContain('error');
  });

  test('an error after the client left is logged by nobody', async () => {
    const handle = async () => {
      throw new DomainError('internal');
    };
    const gateway = gatewayOf([operationOf({ handle })]);
    await gateway.handler(fakeRequest({ path: '/v1/things', signal: AbortSignal.abort() }));
    expect(gateway.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  test.each([
    ['DELETE', 405, 'GET, HEAD, OPTIONS'],
    ['OPTIONS', 204, 'GET, HEAD, OPTIONS'],
    ['BREW', 405, 'GET, HEAD, OPTIONS'],
  ])('%s on a path of GET answers %i and names the methods', async (method, status, allow) => {
    const reply = await gatewayOf([operationOf()]).handler(
      fakeRequest({ method, path: '/v1/things' }),
    );
    expect(reply.status).toBe(status);
    expect(headerOf(reply, 'allow')).toBe(allow);
  });

  test('HEAD is answered as GET is; the adapter leaves the body out', async () => {
    const gateway = gatewayOf([operationOf()]);
    const reply = await gateway.handler(fakeRequest({ method: 'HEAD', path: '/v1/things' }));
    expect(reply.status).toBe(200);
  });

  test.each([
    ['/v1/things/', 404, 'route-unknown'],
    ['/v1/%E0%A4%A', 400, 'path-invalid'],
    ['/v1/%00', 400, 'path-invalid'],
    ['/v1/things/not-a-uuid', 400, 'path-invalid'],
    [`/v1/things/${ID}%00`, 400, 'path-invalid'],
    ['*', 404, 'route-unknown'],
  ])('path %s: %i %s', async (path, status, code) => {
    const gateway = gatewayOf([operationOf({ id: 'getThing', path: '/v1/things/{id}' })]);
    const reply = await gateway.handler(fakeRequest({ path }));
    expect([reply.status, jsonOf(reply).code]).toEqual([status, code]);
    expect(jsonOf(reply).errors).toHaveLength(code === 'path-invalid' ? 1 : 0);
  });
});

describe('order of the steps', () => {
  test('an unknown route is 404 before anybody is asked who calls', async () => {
    const authenticate = () => Promise.reject(new DomainError('credential-missing'));
    const gateway = gatewayOf([operationOf()], { authenticator: { authenticate } });
    expect((await gateway.handler(fakeRequest({ path: '/v1/x' }))).status).toBe(404);
    const reply = await gateway.handler(fakeRequest({ path: '/v1/things', query: '&&a=%FF' }));
    expect([reply.status, jsonOf(reply).code]).toEqual([401, 'credential-missing']);
    expect(headerOf(reply, 'www-authenticate')).toBe('Bearer');
  });

  test('a role that may not is 403 with the rate headers, whatever the body', async () => {
    const gateway = gatewayOf([postOf({ roles: ['mlro'] })]);
    const reply = await post(gateway, '{');
    expect([reply.status, jsonOf(reply).code]).toEqual([403, 'role-insufficient']);
    expect(headerOf(reply, 'x-ratelimit-remaining')).toBe('99');
  });

  test('a used-up limit is 429 with the time to wait', async () => {
    const take = async () => ({
      allowed: false,
      headers: [['x-ratelimit-remaining', '0'] as const],
      retryAfterS: 1.2,
    });
    const gateway = gatewayOf([operationOf()], { rateLimiter: { ...openLimiter, take } });
    const reply = await gateway.handler(fakeRequest({ path: '/v1/things' }));
    expect([reply.status, jsonOf(reply).code]).toEqual([429, 'rate-limited']);
    expect(headerOf(reply, 'retry-after')).toBe('2');
    expect(headerOf(reply, 'x-ratelimit-remaining')).toBe('0');
  });

  test('a bad body never reserves the key', async () => {
    const { calls, gate } = fakeGate();
    const gateway = gatewayOf([postOf()], { idempotency: gate });
    expect((await post(gateway, '{"name":1}')).status).toBe(400);
    expect(calls).toEqual([]);
  });
});

describe('refused credentials', () => {
  const authenticate = () => Promise.reject(new DomainError('credential-invalid'));
  const decided = (allowed: boolean) => ({
    ...openLimiter,
    takeAnonymous: async (remoteAddress: string) => ({
      allowed,
      headers: [['x-ratelimit-remaining', remoteAddress] as const],
      retryAfterS: allowed ? 0 : 7,
    }),
  });

  test('cost the address that they came from a token', async () => {
    const given = { authenticator: { authenticate }, rateLimiter: decided(true) };
    const request = fakeRequest({ path: '/v1/things' });
    const reply = await gatewayOf([operationOf()], given).handler(request);
    expect([reply.status, headerOf(reply, 'x-ratelimit-remaining')]).toEqual([
      401,
      request.remoteAddress,
    ]);
  });

  test('are told to stop once the tokens are gone', async () => {
    const given = { authenticator: { authenticate }, rateLimiter: decided(false) };
    const reply = await gatewayOf([operationOf()], given).handler(
      fakeRequest({ path: '/v1/things' }),
    );
    expect([reply.status, headerOf(reply, 'retry-after')]).toEqual([429, '7']);
  });
});

describe('what needs no credential', () => {
  const page = (path: string, more: object = {}) => ({
    path,
    reply: () => ({ body: 'page', headers: [], status: 200 }),
    ...more,
  });
  const gatewayWith = (networks: string[], trustProxy = false) =>
    gatewayOf([operationOf()], {
      pages: [page('/page'), page('/probe', { isProbe: true })],
      rateLimiter: {
        ...openLimiter,
        takePublic: (network) => {
          networks.push(network);
          return { allowed: false, headers: [['x-ratelimit-remaining', '0']], retryAfterS: 3 };
        },
      },
      trustProxy,
    });

  test.each([
    ['GET', '/page'],
    ['HEAD', '/page'],
    ['GET', '/nothing'],
    ['DELETE', '/v1/things'],
    ['OPTIONS', '/v1/things'],
  ])('%s %s is refused before it is made', async (method, path) => {
    const networks: string[] = [];
    const reply = await gatewayWith(networks).handler(fakeRequest({ method, path }));
    expect([reply.status, headerOf(reply, 'retry-after')]).toEqual([429, '3']);
    expect(headerOf(reply, 'x-ratelimit-remaining')).toBe('0');
    expect(networks).toEqual(['127.0.0.1']);
  });

  test('probes and operations are not counted with it', async () => {
    const networks: string[] = [];
    const gateway = gatewayWith(networks);
    for (const path of ['/probe', '/healthz', '/readyz', '/metrics', '/v1/things']) {
      expect((await gateway.handler(fakeRequest({ path }))).status).toBe(200);
    }
    expect(networks).toEqual([]);
  });

  test('a caller behind the trusted proxy is counted by its own address', async () => {
    const networks: string[] = [];
    const headers = { 'x-forwarded-for': '203.0.113.9, 2001:db8:1:2:3:4:5:6' };
    for (const trustProxy of [false, true]) {
      await gatewayWith(networks, trustProxy).handler(fakeRequest({ headers, path: '/page' }));
    }
    expect(networks).toEqual(['127.0.0.1', '2001:db8:1:2::/64']);
  });
});

describe('bodies', () => {
  const bad: [string, string, Record<string, string>, number, string][] = [
    ['malformed', '{bad', JSON_HEADERS, 400, 'json-malformed'],
    ['duplicate key', '{"name":"a","name":"b"}', JSON_HEADERS, 400, 'json-malformed'],
    ['__proto__', '{"__proto__":{"x":1}}', JSON_HEADERS, 400, 'json-malformed'],
    ['deep', '['.repeat(40), JSON_HEADERS, 400, 'json-malformed'],
    ['byte-order mark', '\ufeff{}', JSON_HEADERS, 400, 'json-malformed'],
    ['empty', '', JSON_HEADERS, 400, 'body-missing'],
    ['blank', '  ', JSON_HEADERS, 400, 'body-missing'],
    ['too large', `{"name":"${'a'.repeat(200)}"}`, JSON_HEADERS, 413, 'body-too-large'],
    [
      'text',
      '{}',
      { ...JSON_HEADERS, 'content-type': 'text/plain' },
      415,
      'media-type-unsupported',
    ],
    ['untyped', '{}', { 'idempotency-key': 'k' }, 415, 'media-type-unsupported'],
    ['latin-1', '{}', typed('application/json; charset=latin1'), 415, 'media-type-unsupported'],
    ['gzip', '{}', { ...JSON_HEADERS, 'content-encoding': 'gzip' }, 415, 'media-type-unsupported'],
    [
      'no key',
      '{"name":"a"}',
      { 'content-type': 'application/json' },
      400,
      'idempotency-key-missing',
    ],
    ['wrong shape', '[]', JSON_HEADERS, 400, 'body-invalid'],
  ];

  function typed(contentType: string): Record<string, string> {
    return { ...JSON_HEADERS, 'content-type': contentType };
  }

  test.each(bad)('%s', async (_, body, headers, status, code) => {
    const gateway = gatewayOf([postOf()]);
    const reply = await gateway.handler(
      fakeRequest({ body, headers, method: 'POST', path: '/v1/things' }),
    );
    expect([reply.status, jsonOf(reply).code]).toEqual([status, code]);
  });

  test('a charset of UTF-8 is taken in any spelling', async () => {
    const gateway = gatewayOf([postOf()]);
    const headers = typed('Application/JSON; charset="UTF-8"') as typeof JSON_HEADERS;
    expect((await post(gateway, '{"name":"a"}', headers)).status).toBe(200);
  });

  test('every violation is listed with its pointer', async () => {
    const reply = await post(gatewayOf([postOf()]), '{"name":"abcdef","a/b":1}');
    expect(jsonOf(reply).errors).toEqual([
      { code: 'unknown-member', detail: 'not a member of this object', pointer: '/a~1b' },
      { code: 'too-long', detail: 'expected at most 5 characters', pointer: '/name' },
    ]);
  });

  test('a body where none is described is refused', async () => {
    const reply = await gatewayOf([operationOf()]).handler(
      fakeRequest({ body: 'x', path: '/v1/things' }),
    );
    expect(reply.status).toBe(413);
  });
});

describe('descriptions that stop the start', () => {
  test.each([
    ['no role', operationOf({ roles: [] })],
    ['a POST without a key', postOf({ idempotency: 'none' })],
    ['a path outside /v1/', operationOf({ path: '/things' })],
    ['a body over 1 MiB', postOf({ bodyBytesMax: 2_000_000 })],
    ['a screening that cannot be rebuilt', postOf({ idempotency: 'screening' })],
  ])('%s', (_, operation) => {
    expect(() => gatewayOf([operation])).toThrow(/doThing/);
  });

  test('two operations of one method and path, or of one id', () => {
    const one = operationOf();
    expect(() => gatewayOf([one, { ...one, id: 'other' }])).toThrow(/twice/);
    expect(() => gatewayOf([one, { ...one, path: '/v1/other' }])).toThrow(/one id/);
  });
});

describe('checked replies', () => {
  const described = operationOf({
    responses: { 200: { description: '', schema: Type.Object({ done: Type.String() }) } },
  });

  test('a reply that is not as described is an error where replies are checked', async () => {
    const gateway = gatewayOf([described], { checkReplies: true });
    expect((await gateway.handler(fakeRequest({ path: '/v1/things' }))).status).toBe(500);
    const plain = await gatewayOf([described]).handler(fakeRequest({ path: '/v1/things' }));
    expect(plain.status).toBe(200);
  });
});

test('an adapter refusal is a problem document with a request id of its own', () => {
  const reply = gatewayOf([]).refusal('headers-too-large');
  expect([reply.status, jsonOf(reply).code]).toEqual([431, 'headers-too-large']);
  expect(jsonOf(reply).request_id).toBe(headerOf(reply, 'x-request-id'));
});
