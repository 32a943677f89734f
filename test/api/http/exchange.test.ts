/** What goes in and comes out of one request on either server, and the first refusals of a body. */
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpHandler, HttpServerOptions } from '../../../src/api/http/index.ts';
import { type Running, start, TECHNOLOGIES, text } from './adapters.ts';
import { RawClient } from './rawClient.ts';

const CHUNKED = 'POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n';

describe.each(TECHNOLOGIES)('%s: one request, one answer', (technology) => {
  const running: Running[] = [];

  async function serve(handler: HttpHandler, options: Partial<HttpServerOptions> = {}) {
    const started = await start(technology, handler, options);
    running.push(started);
    return started.port;
  }

  afterEach(async () => {
    await Promise.all(running.splice(0).map(({ server }) => server.close(0)));
  });

  async function ask(port: number, bytes: string) {
    const client = await RawClient.open(port);
    client.write(bytes);
    const answer = await client.answer();
    client.end();
    return answer;
  }

  test('method, path, query, headers and body arrive as they were sent', async () => {
    const port = await serve(async (request) =>
      text(
        JSON.stringify([
          request.method,
          request.path,
          request.query,
          request.header('x-a'),
          request.header('x-none'),
          request.header('constructor'),
          request.remoteAddress,
          Buffer.from(await request.body(100)).toString(),
        ]),
      ),
    );
    const answer = await ask(
      port,
      'POST /v1/a%20b?q=%E0%A4%A&r=2 HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-a: 2\r\n' +
        'Content-Length: 5\r\n\r\nhello',
    );
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual([
      'POST',
      '/v1/a%20b',
      'q=%E0%A4%A&r=2',
      '1, 2',
      null,
      null,
      '127.0.0.1',
      'hello',
    ]);
  });

  test.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'])(
    '%s goes to the handler',
    async (method) => {
      const port = await serve(async (request) => text(request.method));
      const client = await RawClient.open(port);
      client.write(`${method} /x HTTP/1.1\r\nHost: h\r\n\r\n`);
      await client.until(() => client.received.includes('\r\n\r\n'));
      expect(client.received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(client.received.toLowerCase()).toContain(`content-length: ${method.length}\r\n`);
      expect(client.received.endsWith('\r\n\r\n')).toBe(method === 'HEAD');
      client.end();
    },
  );

  test('a header beyond ASCII is read as UTF-8', async () => {
    const port = await serve(async (request) => text(request.header('x') ?? ''));
    const value = Buffer.from('a 中é b').toString('latin1');
    const answer = await ask(port, `GET / HTTP/1.1\r\nHost: h\r\nX: ${value}\r\n\r\n`);
    expect(Buffer.from(answer.body, 'latin1').toString()).toBe('a 中é b');
  });

  test('sixty headers arrive, and the length behind them counts', async () => {
    const port = await serve(async (request) =>
      text(`${request.header('x59')} ${(await request.body(10)).length}`),
    );
    const lines = Array.from({ length: 60 }, (_, i) => `X${i}: ${i}\r\n`).join('');
    const answer = await ask(
      port,
      `POST / HTTP/1.1\r\nHost: h\r\n${lines}Content-Length: 3\r\n\r\nabc`,
    );
    expect(answer.body).toBe('59 3');
  });

  test('a chunked body arrives whole', async () => {
    const port = await serve(async (request) => text(String((await request.body(100)).length)));
    const answer = await ask(port, `${CHUNKED}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`);
    expect(answer.body).toBe('5');
  });

  test('a connection serves one request after another', async () => {
    const port = await serve(async (request) => text(request.path));
    const client = await RawClient.open(port);
    for (const path of ['/1', '/2', '/3']) {
      client.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
      expect((await client.answer()).body).toBe(path);
    }
    client.end();
  });

  test('a body declared too large is refused before it comes', async () => {
    const port = await serve(async (request) => text(String((await request.body(10)).length)));
    const answer = await ask(port, 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n');
    expect([answer.status, answer.body]).toEqual([413, '{"code":"body-too-large"}']);
  });

  test('a chunked body that grows too large is refused before its end', async () => {
    const port = await serve(async (request) => text(String((await request.body(10)).length)));
    const answer = await ask(port, `${CHUNKED}8\r\nabcdefgh\r\n8\r\nabcdefgh\r\n`);
    expect(answer.status).toBe(413);
  });
});
