/** The pages around the API: no credential, cached by ETag, and nothing from another host. */
import { runInNewContext } from 'node:vm';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { codesOf } from '#core/kernel';
import { createMetrics } from '#platform/metrics';
import { parseIdempotencyKey } from '../../src/api/middleware/idempotency.ts';
import { describeApi } from '../../src/api/openapi.ts';
import { publicPages } from '../../src/api/pages.ts';
import { PROBLEMS } from '../../src/app/sliceRows.ts';
import { fakeRequest, gatewayOf, headerOf, jsonOf, operationOf } from './fakes.ts';

const OPERATIONS = [
  operationOf({ query: Type.Object({ limit: Type.Optional(Type.Integer({ maximum: 200 })) }) }),
];
const PAGES = publicPages({
  description: describeApi({
    deprecated: new Set(),
    operations: OPERATIONS,
    origins: {},
    problems: PROBLEMS,
    version: '0.1.0',
  }),
  problems: PROBLEMS,
  publicKeys: async () => ({ keys: [] }),
});

/** Fails if it is called: these pages need no caller. */
const authenticator = {
  authenticate: () => Promise.reject(new Error('a page asked for a credential')),
};
const gateway = gatewayOf(OPERATIONS, { authenticator, pages: PAGES });

async function get(path: string, headers: Record<string, string> = {}) {
  return gateway.handler(fakeRequest({ headers, path }));
}

const PATHS = [
  ['/openapi.json', 'application/vnd.oai.openapi+json;version=3.1'],
  ['/openapi.yaml', 'application/vnd.oai.openapi;version=3.1'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/docs/start.js', 'text/javascript; charset=utf-8'],
  ['/docs/favicon-32x32.png', 'image/png'],
  ['/problems', 'text/html; charset=utf-8'],
  ['/problems/not-found', 'text/html; charset=utf-8'],
  ['/.well-known/jwks.json', 'application/json'],
] as const;

test.each(PATHS)('%s is served, and not again to whoever has it', async (path, contentType) => {
  const reply = await get(path);
  expect([reply.status, headerOf(reply, 'content-type')]).toEqual([200, contentType]);
  expect(headerOf(reply, 'content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'/,
  );
  expect(headerOf(reply, 'cache-control')).toBe('no-cache');
  const etag = headerOf(reply, 'etag') ?? '';
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await get(path, { 'if-none-match': known });
    expect([again.status, again.body]).toEqual([304, '']);
  }
  expect((await get(path, { 'if-none-match': '"x"' })).status).toBe(200);
});

test('the two forms of the description say the same', async () => {
  const json = jsonOf(await get('/openapi.json'));
  expect(parse(String((await get('/openapi.yaml')).body))).toEqual(json);
});

test.each(['/docs', '/docs/swagger-ui.css', '/docs/start.js', '/problems', '/problems/internal'])(
  '%s asks no other host for anything',
  async (path) => {
    const text = Buffer.from((await get(path)).body as string).toString();
    const without = text.replaceAll('http://www.w3.org/', '').replaceAll('%3Chttp', '');
    expect(without).not.toMatch(/(https?:)?\/\/[a-z0-9-]+\.[a-z]/);
    expect(without).not.toMatch(/@import|<script>|onload=|style="/);
  },
);

test('a form that is sent has a fresh key at every send, and nothing else is changed', async () => {
  const script = String((await get('/docs/start.js')).body);
  let intercept: (request: object) => { headers: Record<string, string> } = () => ({ headers: {} });
  const SwaggerUIBundle = Object.assign(
    (options: { requestInterceptor: typeof intercept }) => {
      intercept = options.requestInterceptor;
    },
    { presets: { apis: [] } },
  );
  const window = { addEventListener: (_: string, start: () => void) => start() };
  runInNewContext(script, { SwaggerUIBundle, crypto, window });
  const typed = { headers: { 'Idempotency-Key': 'typed', 'X-API-Key': 'k' }, url: '/v1/x' };
  const keys = [1, 2].map(() => {
    const sent = intercept(structuredClone(typed));
    expect(sent).toMatchObject({ headers: { 'X-API-Key': 'k' }, url: '/v1/x' });
    return sent.headers['Idempotency-Key'] ?? '';
  });
  for (const key of keys) expect(parseIdempotencyKey(key)).toBe(key);
  expect(new Set([...keys, 'typed']).size).toBe(3);
  const read = { headers: { accept: 'application/json' }, url: '/openapi.json' };
  expect(intercept(structuredClone(read))).toEqual(read);
  expect(intercept({ url: '/openapi.json' })).toEqual({ url: '/openapi.json' });
});

test('every code has its page', async () => {
  for (const code of codesOf(PROBLEMS)) {
    const reply = await get(`/problems/${code}`);
    expect(reply.status, code).toBe(200);
    expect(String(reply.body)).toContain(`<code>${code}</code>`);
  }
});

test.each(['/problems/nothing', '/docs/..', '/docs/package.json', '/docs/%2e%2e', '/metrics/x'])(
  '%s is unknown',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

describe('health', () => {
  test('/healthz answers while nothing is ready', async () => {
    const lost = gatewayOf([], { readiness: () => 'no list is loaded' });
    expect((await lost.handler(fakeRequest({ path: '/healthz' }))).status).toBe(200);
    const reply = await lost.handler(fakeRequest({ path: '/readyz' }));
    expect([reply.status, jsonOf(reply).code, jsonOf(reply).detail]).toEqual([
      503,
      'not-ready',
      'no list is loaded',
    ]);
    expect(headerOf(reply, 'retry-after')).toBe('1');
    expect(headerOf(reply, 'x-ratelimit-limit')).toBeUndefined();
  });

  test('a flood of /readyz and /metrics is one look at the store, and one count', async () => {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    let looks = 0;
    const readiness = () => {
      looks++;
      return promise;
    };
    const one = gatewayOf([], { readiness });
    const flood = Array.from({ length: 50 }, () => one.handler(fakeRequest({ path: '/readyz' })));
    resolve(undefined);
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(looks).toBe(1);
    await one.handler(fakeRequest({ path: '/readyz' }));
    expect(looks).toBe(2);
  });

  test('/readyz says what works only in part, and stays ready', async () => {
    const notices: string[] = [];
    const one = gatewayOf([], { notices: () => notices });
    const body = async () => {
      const { body, status } = await one.handler(fakeRequest({ path: '/readyz' }));
      return [status, JSON.parse(String(body))];
    };
    expect(await body()).toEqual([200, { status: 'ready' }]);
    notices.push('the head of one chain could not be had');
    expect(await body()).toEqual([200, { notices, status: 'ready' }]);
  });

  test('/readyz says 503 from the moment a stop is asked for', async () => {
    const one = gatewayOf([]);
    expect((await one.handler(fakeRequest({ path: '/readyz' }))).status).toBe(200);
    one.drain();
    const reply = await one.handler(fakeRequest({ path: '/readyz' }));
    expect([reply.status, jsonOf(reply).detail]).toEqual([503, 'stopping']);
    expect((await one.handler(fakeRequest({ path: '/healthz' }))).status).toBe(200);
  });

  test('/metrics counts by operation and status, and names no tenant', async () => {
    const metrics = createMetrics({ processFigures: false });
    const one = gatewayOf([operationOf()], { metrics });
    await one.handler(fakeRequest({ path: '/v1/things' }));
    await one.handler(fakeRequest({ path: '/v1/nothing' }));
    const reply = await one.handler(fakeRequest({ path: '/metrics' }));
    const text = String(reply.body);
    expect(headerOf(reply, 'content-type')).toMatch('text/plain');
    expect(text).toContain('http_requests_total{operation="doThing",status="200"} 1');
    expect(text).toContain('http_requests_total{operation="none",status="404"} 1');
    expect(text).toContain('http_problems_total{code="route-unknown"} 1');
    expect(text).toContain('http_request_duration_seconds_count{operation="doThing"} 1');
    expect(text).not.toMatch(/018f0000|tenant/);
  });
});
