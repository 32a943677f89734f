/**
 * Listening and closing: exclusive ports, TLS, and a drain in which running requests finish,
 * streams end and nothing is accepted (R60).
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  createHttpServer,
  type HttpReply,
  preferredTechnology,
} from '../../../src/api/http/index.ts';
import { type Running, refusal, start, TECHNOLOGIES, text } from './adapters.ts';
import { countAnswers, RawClient } from './rawClient.ts';

const GET = 'GET /g HTTP/1.1\r\nHost: h\r\n\r\n';
const OPTIONS = {
  handler: async () => text('ok'),
  refusal,
  headersBytesMax: 16_384,
  headersTimeoutMs: 10_000,
  bodyIdleTimeoutMs: 10_000,
  keepAliveTimeoutMs: 5_000,
};

/** `true` when something accepts there. */
function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function events(body: AsyncIterable<string>): HttpReply {
  return { status: 200, headers: [['content-type', 'text/event-stream']], body };
}

test('the preferred technology is one that works here', () => {
  expect(TECHNOLOGIES).toContain(preferredTechnology());
});

describe.each(TECHNOLOGIES)('%s: lifecycle', (technology) => {
  const running: Running[] = [];

  async function serve(
    ...args: Parameters<typeof start> extends [unknown, ...infer R] ? R : never
  ) {
    const started = await start(technology, ...args);
    running.push(started);
    return started;
  }

  afterEach(async () => {
    await Promise.all(running.splice(0).map(({ server }) => server.close(0)));
  });

  test.each(TECHNOLOGIES)('a port in use by %s rejects', async (other) => {
    const first = await start(other, async () => text('first'));
    running.push(first);
    const second = createHttpServer(technology, OPTIONS);
    await expect(second.listen({ host: '127.0.0.1', port: first.port })).rejects.toThrow();
    await second.close(0);
  });

  test('only the named host is listened on', async () => {
    const { port } = await serve(async () => text('ok'));
    expect(await accepts('127.0.0.1', port)).toBe(true);
    if (process.platform === 'linux') expect(await accepts('127.0.0.2', port)).toBe(false);
  });

  test('a host that is not ours rejects', async () => {
    const server = createHttpServer(technology, OPTIONS);
    await expect(server.listen({ host: '192.0.2.1', port: 0 })).rejects.toThrow();
  });

  test('closing what never listened, or twice, is done at once', async () => {
    await createHttpServer(technology, OPTIONS).close(1_000);
    const { server } = await serve(async () => text('ok'));
    await Promise.all([server.close(0), server.close(0)]);
  });

  test('process signals are left alone', async () => {
    const before = ['SIGINT', 'SIGTERM', 'exit'].map((name) => process.listenerCount(name));
    await serve(async () => text('ok'));
    const after = ['SIGINT', 'SIGTERM', 'exit'].map((name) => process.listenerCount(name));
    expect(after).toEqual(before);
  });

  test('close accepts nothing more, lets the running request finish and says so', async () => {
    let release = () => {};
    let isRunning = () => {};
    const begun = new Promise<void>((resolve) => {
      isRunning = resolve;
    });
    const { port, server } = await serve(async ({ path }) => {
      if (path === '/idle') return text('idle');
      isRunning();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return text('finished');
    });
    const idle = await RawClient.open(port);
    idle.write(GET.replace('/g', '/idle'));
    await idle.answer();
    const client = await RawClient.open(port);
    client.write(GET);
    await begun;
    const closed = server.close(10_000);
    expect(await accepts('127.0.0.1', port)).toBe(false);
    release();
    const answer = await client.answer();
    expect(answer.body).toBe('finished');
    expect(answer.headers.get('connection')).toBe('close');
    await closed;
    expect(await client.until(() => false)).toBe('closed');
    expect(await idle.until(() => false)).toBe('closed');
  });

  test('a long reply that a slow client has not taken yet is not cut by close', async () => {
    const body = 'x'.repeat(8_000_000);
    let hasBegun = false;
    const { port, server } = await serve(async () => {
      hasBegun = true;
      return text(body);
    });
    const client = await RawClient.open(port);
    client.socket.pause();
    client.write(GET);
    while (!hasBegun) await delay(5);
    const closed = server.close(10_000);
    client.socket.resume();
    expect((await client.answer()).body).toHaveLength(body.length);
    await closed;
  });

  test('a stream whose source ends when the server stops is ended, before the grace', async () => {
    let stop = () => {};
    const { port, server } = await serve(async () =>
      events(
        (async function* () {
          yield 'data: 1\n\n';
          await new Promise<void>((resolve) => {
            stop = resolve;
          });
          yield 'retry: 1000\n\n';
        })(),
      ),
    );
    const client = await RawClient.open(port);
    client.write(GET);
    await client.until(() => client.received.includes('data: 1'));
    const closed = server.close(30_000);
    stop();
    expect((await client.answer()).body).toBe('data: 1\n\nretry: 1000\n\n');
    await closed;
  });

  test('at the end of the grace a stream is ended and its iterator returned', async () => {
    let isReturned = false;
    const { port, server } = await serve(async () =>
      events({
        [Symbol.asyncIterator]: () => {
          let isFirst = true;
          return {
            next: async () => {
              if (!isFirst) await new Promise(() => {});
              isFirst = false;
              return { done: false, value: 'data: 1\n\n' };
            },
            return: async () => {
              isReturned = true;
              return { done: true as const, value: undefined };
            },
          };
        },
      }),
    );
    const client = await RawClient.open(port);
    client.write(GET);
    await client.until(() => client.received.includes('data: 1'));
    await server.close(50);
    await client.closed;
    expect(isReturned).toBe(true);
    expect(countAnswers(client.received)).toBe(1);
  });

  test('at the end of the grace an unanswered request is cut and its signal fires', async () => {
    let signal: AbortSignal | undefined;
    const { port, server } = await serve(async (request) => {
      signal = request.signal;
      return new Promise<HttpReply>(() => {});
    });
    const client = await RawClient.open(port);
    client.write(GET);
    await vi.waitUntil(() => signal !== undefined, { timeout: 60_000 });
    await server.close(50);
    await client.closed;
    expect(signal?.aborted).toBe(true);
    expect(client.received).toBe('');
  });

  test('HTTPS with certificate and key from files; plain HTTP there is no answer', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tls-'));
    const tls = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
    const subject = ['-subj', '/CN=localhost', '-days', '1', '-nodes'];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const files = ['-keyout', tls.keyFile, '-out', tls.certFile];
    try {
      execFileSync('openssl', ['req', '-x509', ...key, ...subject, ...files], { stdio: 'ignore' });
    } catch (error) {
      console.warn(`SKIPPED: HTTPS on ${technology}: openssl cannot make a certificate. ${error}`);
      return;
    }
    try {
      const { port } = await serve(async (request) => text(await echo(request)), { tls });
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.write(
        'POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc',
      );
      while (!received.endsWith('127.0.0.1 abc')) await delay(5);
      socket.destroy();
      const plain = await RawClient.open(port);
      plain.write(GET);
      await plain.closed;
      expect(plain.received).not.toContain('200 OK');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

async function echo(request: import('../../../src/api/http/index.ts').HttpRequest) {
  return `${request.remoteAddress} ${Buffer.from(await request.body(10)).toString()}`;
}
