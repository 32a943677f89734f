/**
 * Replies on the wire: their framing, streams with backpressure, and what happens when the client
 * leaves or the handler fails.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpHandler, HttpReply, HttpServerOptions } from '../../../src/api/http/index.ts';
import { type Running, start, TECHNOLOGIES, text } from './adapters.ts';
import { RawClient } from './rawClient.ts';

const GET = 'GET /g HTTP/1.1\r\nHost: h\r\n\r\n';

async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(5);
}

function stream(body: AsyncIterable<Uint8Array | string>): HttpReply {
  return { status: 200, headers: [['content-type', 'text/event-stream']], body };
}

describe.each(TECHNOLOGIES)('%s: replies', (technology) => {
  const running: Running[] = [];

  async function serve(handler: HttpHandler, options: Partial<HttpServerOptions> = {}) {
    const started = await start(technology, handler, options);
    running.push(started);
    return started.port;
  }

  afterEach(async () => {
    await Promise.all(running.splice(0).map(({ server }) => server.close(0)));
  });

  async function ask(port: number, bytes = GET) {
    const client = await RawClient.open(port);
    client.write(bytes);
    const answer = await client.answer();
    client.end();
    return answer;
  }

  test('text and bytes come with their length in bytes', async () => {
    const port = await serve(async (request) =>
      request.path === '/bytes'
        ? { status: 201, headers: [['x-a', 'b']], body: new Uint8Array([104, 105]) }
        : text('größe'),
    );
    const answer = await ask(port);
    expect(answer.headers.get('content-length')).toBe('7');
    expect(Buffer.from(answer.body, 'latin1').toString()).toBe('größe');
    const bytes = await ask(port, GET.replace('/g', '/bytes'));
    expect([bytes.status, bytes.headers.get('x-a'), bytes.body]).toEqual([201, 'b', 'hi']);
  });

  test('lines of one name stay apart, and every answer has a date', async () => {
    const port = await serve(async () => ({
      status: 200,
      headers: [
        ['link', '<a>'],
        ['link', '<b>'],
      ],
      body: '',
    }));
    const client = await RawClient.open(port);
    client.write(GET);
    await client.until(() => client.received.includes('\r\n\r\n'));
    expect(client.received).toContain('\r\nlink: <a>\r\nlink: <b>\r\n');
    expect(client.received).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r\n/);
    client.end();
  });

  test('a handler cannot set framing by itself', async () => {
    const port = await serve(async () => ({
      status: 200,
      headers: [
        ['Content-Length', '99'],
        ['transfer-encoding', 'chunked'],
        ['Connection', 'upgrade'],
      ],
      body: 'abc',
    }));
    const answer = await ask(port);
    expect(answer.headers.get('content-length')).toBe('3');
    expect(answer.headers.has('transfer-encoding')).toBe(false);
    expect(answer.headers.get('connection') ?? 'keep-alive').toBe('keep-alive');
  });

  test('204 and 304 have no body, whatever was given', async () => {
    const port = await serve(async (request) => text('abc', Number(request.path.slice(1))));
    const client = await RawClient.open(port);
    for (const status of [204, 304]) {
      client.write(GET.replace('/g', `/${status}`));
      const answer = await client.answer();
      expect([answer.status, answer.body]).toEqual([status, '']);
    }
    expect(client.received).toBe('');
    client.end();
  });

  test('a line break in a header is not sent: 500 instead', async () => {
    const port = await serve(async (request) => ({
      status: 200,
      headers: request.path === '/name' ? [['a\r\nb', '1']] : [['a', '1\r\nset-cookie: b']],
      body: '',
    }));
    for (const path of ['/name', '/value']) {
      const answer = await ask(port, GET.replace('/g', path));
      expect([answer.status, answer.body]).toEqual([500, '{"code":"internal"}']);
      expect(answer.headers.has('set-cookie')).toBe(false);
    }
  });

  test('a handler that rejects all the same is answered with 500', async () => {
    const port = await serve(async () => {
      throw new RangeError('a bug');
    });
    expect((await ask(port)).body).toBe('{"code":"internal"}');
  });

  test('a stream is chunked, its chunks in order, empty ones left out', async () => {
    const port = await serve(async () =>
      stream(
        (async function* () {
          yield 'a';
          yield '';
          await delay(1);
          yield new Uint8Array([98]);
          yield 'c';
        })(),
      ),
    );
    const client = await RawClient.open(port);
    for (let round = 0; round < 2; round++) {
      client.write(GET);
      const answer = await client.answer();
      expect(answer.headers.get('transfer-encoding')?.toLowerCase()).toBe('chunked');
      expect(answer.body).toBe('abc');
    }
    client.end();
  });

  test('head and first chunk of a stream are there, however long the next one takes', async () => {
    const port = await serve(async ({ signal }) =>
      stream(
        (async function* () {
          yield 'first';
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        })(),
      ),
    );
    const client = await RawClient.open(port);
    client.write(GET);
    expect(await client.until(() => client.received.includes('first'))).toBe('held');
    expect(client.received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(client.received).toContain('\r\n\r\n');
    client.end();
  });

  test('HEAD of a stream has no body and returns the iterator', async () => {
    let isReturned = false;
    const port = await serve(async () =>
      stream({
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: false, value: 'x' }),
          return: async () => {
            isReturned = true;
            return { done: true, value: undefined };
          },
        }),
      }),
    );
    const client = await RawClient.open(port);
    client.write(GET.replace('GET', 'HEAD'));
    await client.until(() => client.received.includes('\r\n\r\n'));
    expect(client.received.endsWith('\r\n\r\n')).toBe(true);
    expect(isReturned).toBe(true);
    client.end();
  });

  test('a stream waits for a slow reader, and abort during backpressure returns it', async () => {
    let produced = 0;
    let isReturned = false;
    const port = await serve(async () =>
      stream(
        (async function* () {
          try {
            for (;;) {
              produced++;
              yield new Uint8Array(64 * 1024);
            }
          } finally {
            isReturned = true;
          }
        })(),
      ),
    );
    const client = await RawClient.open(port);
    client.socket.pause();
    client.write(GET);
    let seen = -1;
    await eventually(() => {
      const isStable = produced > 0 && produced === seen;
      seen = produced;
      return isStable;
    });
    // Kernel buffers and ours, far from everything there is.
    expect(produced).toBeLessThan(400);
    client.socket.resetAndDestroy();
    await eventually(() => isReturned);
    expect((await ask(port, GET.replace('GET', 'HEAD'))).status).toBe(200);
  });

  test('a large stream arrives whole through backpressure', async () => {
    const chunk = 'x'.repeat(50_000);
    const port = await serve(async () =>
      stream(
        (async function* () {
          for (let i = 0; i < 200; i++) yield chunk;
        })(),
      ),
    );
    const client = await RawClient.open(port);
    client.write(GET);
    expect((await client.answer()).body).toHaveLength(200 * 50_000);
    client.end();
  });

  test('a large reply arrives whole', async () => {
    const body = 'y'.repeat(10_000_000);
    const port = await serve(async () => text(body));
    expect((await ask(port)).body).toHaveLength(body.length);
  });

  test('a stream that fails in the middle is cut, not ended', async () => {
    const port = await serve(async () =>
      stream(
        (async function* () {
          yield 'a';
          throw new Error('source');
        })(),
      ),
    );
    const client = await RawClient.open(port);
    client.write(GET);
    expect(await client.until(() => false)).toBe('closed');
    expect(client.received).not.toContain('\r\n0\r\n\r\n');
  });

  test('the signal fires when the client leaves, and a late answer harms nobody', async () => {
    let isAborted = false;
    let hasBegun = false;
    let answered = false;
    const port = await serve(async ({ signal, path }) => {
      if (path === '/ok') return text('ok');
      hasBegun = true;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      isAborted = signal.aborted;
      answered = true;
      return text('too late');
    });
    const client = await RawClient.open(port);
    client.write(GET);
    await eventually(() => hasBegun);
    client.end();
    await eventually(() => answered);
    expect(isAborted).toBe(true);
    expect((await ask(port, GET.replace('/g', '/ok'))).body).toBe('ok');
  });

  test('the signal does not fire after a whole answer', async () => {
    let signal: AbortSignal | undefined;
    const port = await serve(async (request) => {
      signal = request.signal;
      return text('ok');
    });
    await ask(port);
    await ask(port);
    expect(signal?.aborted).toBe(false);
  });
});
