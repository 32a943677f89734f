/** The gateway on real sockets, on both adapters: what only shows once bytes go over the wire. */
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpServer, type HttpServer } from '../../src/api/http/index.ts';
import { describeApi } from '../../src/api/openapi.ts';
import { publicPages } from '../../src/api/pages.ts';
import { PROBLEMS } from '../../src/app/sliceRows.ts';
import { gatewayOf, operationOf } from './fakes.ts';
import { TECHNOLOGIES } from './http/adapters.ts';
import { RawClient } from './http/rawClient.ts';

const OPERATIONS = [
  operationOf({
    body: Type.Object({ name: Type.String() }, { additionalProperties: false }),
    bodyBytesMax: 1_000,
    handle: async ({ body }) => ({ body: JSON.stringify(body), status: 201 }),
    id: 'createThing',
    idempotency: 'required',
    method: 'POST',
  }),
  operationOf(),
];

const pages = publicPages({
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

describe.each(TECHNOLOGIES)('%s', (technology) => {
  let server: HttpServer;
  let base = '';
  let port = 0;
  const gateway = gatewayOf(OPERATIONS, { pages });

  beforeAll(async () => {
    const { handler, refusal } = gateway;
    server = createHttpServer(technology, {
      bodyIdleTimeoutMs: 10_000,
      handler,
      headersBytesMax: 16_384,
      headersTimeoutMs: 10_000,
      keepAliveTimeoutMs: 5_000,
      refusal,
    });
    ({ port } = await server.listen({ host: '127.0.0.1', port: 0 }));
    base = `http://127.0.0.1:${port}`;
  });

  afterAll(() => server.close(1_000));

  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${base}/v1/things`, {
      body,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k', ...headers },
      method: 'POST',
    });

  test('a body in any script comes back as it went', async () => {
    const sent = JSON.stringify({ name: 'سالم Žofia 李 \u202e 👩‍👧' });
    const reply = await post(sent);
    expect([reply.status, await reply.text()]).toEqual([201, sent]);
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(reply.headers.get('x-ratelimit-limit')).toBe('100');
  });

  test.each([
    ['GET', '/v1/nothing', 404, 'route-unknown'],
    ['DELETE', '/v1/things', 405, 'method-not-allowed'],
    ['GET', '/v1/things?a=1&a=2', 400, 'query-invalid'],
    ['GET', '/v1/things?a=%FF', 400, 'query-invalid'],
    ['GET', '/v1/%FF', 400, 'path-invalid'],
    ['GET', '/problems/nothing', 404, 'route-unknown'],
  ])('%s %s is a problem document: %i %s', async (method, path, status, code) => {
    const reply = await fetch(base + path, { method });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      status,
      'application/problem+json',
    ]);
    expect(await reply.json()).toMatchObject({ code, status });
    if (status === 405) expect(reply.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
  });

  test('malformed, empty and too large bodies are problem documents too', async () => {
    const code = async (reply: Response) => [
      reply.status,
      ((await reply.json()) as { code: string }).code,
    ];
    expect(await code(await post('{bad'))).toEqual([400, 'json-malformed']);
    expect(await code(await post(Buffer.from([0x7b, 0xff])))).toEqual([400, 'json-malformed']);
    expect(await code(await post(''))).toEqual([400, 'body-missing']);
    expect(await code(await post('x'.repeat(2_000)))).toEqual([413, 'body-too-large']);
    const text = { 'content-type': 'text/plain' };
    expect(await code(await post('{}', text))).toEqual([415, 'media-type-unsupported']);
  });

  test('HEAD has the headers of GET and no body', async () => {
    const [head, get] = await Promise.all([
      fetch(`${base}/openapi.json`, { method: 'HEAD' }),
      fetch(`${base}/openapi.json`),
    ]);
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
    expect(await get.json()).toMatchObject({ openapi: '3.1.0' });
  });

  test('a page that is known is not sent again, and the connection goes on', async () => {
    const etag = (await fetch(`${base}/docs`)).headers.get('etag') ?? '';
    const client = await RawClient.open(port);
    const ask = `GET /docs HTTP/1.1\r\nHost: a\r\nIf-None-Match: ${etag}\r\n\r\n`;
    client.socket.write(ask + ask);
    await expect.poll(() => client.received.match(/HTTP\/1\.1 304/g)?.length).toBe(2);
    expect(client.received).not.toContain('<!doctype');
    client.socket.destroy();
  });

  test('the largest asset arrives whole', async () => {
    const reply = await fetch(`${base}/docs/swagger-ui-bundle.js`);
    expect((await reply.arrayBuffer()).byteLength).toBeGreaterThan(1_000_000);
  });

  test('an answer with a line of log names no address, body or header', async () => {
    gateway.lines.length = 0;
    await post('{"name":"Jane Roe"}', { 'x-api-key': 'cp_live_secret' });
    const logged = gateway.lines.join('');
    expect(logged).toContain('createThing');
    expect(logged).not.toMatch(/Jane|cp_live|127\.0\.0\.1/);
  });
});
