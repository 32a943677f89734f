/**
 * A body is whole or an error; slow, torn and hostile ones end in bounded time, and whatever a
 * client does with its socket the server goes on.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpHandler, HttpServerOptions } from '../../../src/api/http/index.ts';
import { type Running, start, TECHNOLOGIES, text } from './adapters.ts';
import { RawClient } from './rawClient.ts';

const MIB = 1024 * 1024;

/** Until `holds`; the test's own time limit ends a wait in vain. */
async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(5);
}

function post(length: number, body = ''): string {
  return `POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

describe.each(TECHNOLOGIES)('%s: request bodies', (technology) => {
  const running: Running[] = [];

  async function serve(handler: HttpHandler, options: Partial<HttpServerOptions> = {}) {
    const started = await start(technology, handler, options);
    running.push(started);
    return started.port;
  }

  afterEach(async () => {
    await Promise.all(running.splice(0).map(({ server }) => server.close(0)));
  });

  /** Serves bodies and keeps what became of each. */
  async function serveOutcomes(options: Partial<HttpServerOptions> = {}) {
    const begun: string[] = [];
    const outcomes: string[] = [];
    const note = async (take: () => Promise<string>) => {
      try {
        outcomes.push(await take());
      } catch (error) {
        outcomes.push((error as { code: string }).code);
        throw error;
      }
      return text(outcomes.at(-1) ?? '');
    };
    const port = await serve(
      (request) =>
        note(async () => {
          begun.push(request.path);
          if (request.path === '/stream') {
            let bytes = 0;
            for await (const chunk of request.bodyStream()) bytes += chunk.length;
            return `streamed ${bytes}`;
          }
          return `whole ${(await request.body(MIB)).length}`;
        }),
      options,
    );
    return { port, outcomes, begun };
  }

  test('a truncated body is aborted, never short', async () => {
    const { port, outcomes } = await serveOutcomes();
    for (const path of ['/p', '/stream']) {
      const client = await RawClient.open(port);
      client.write(post(10, 'abc').replace('/p', path));
      client.socket.end();
      await client.closed;
    }
    await eventually(() => outcomes.length === 2);
    expect(outcomes).toEqual(['body-aborted', 'body-aborted']);
  });

  test('a chunked body without its last chunk is aborted, never short', async () => {
    const { port, outcomes, begun } = await serveOutcomes();
    for (const path of ['/p', '/stream']) {
      const client = await RawClient.open(port);
      client.write(
        `POST ${path} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`,
      );
      await eventually(() => begun.includes(path));
      client.end();
    }
    await eventually(() => outcomes.length === 2);
    expect(outcomes).toEqual(['body-aborted', 'body-aborted']);
  });

  test('an empty body of either kind is empty', async () => {
    const { port } = await serveOutcomes();
    for (const [bytes, expected] of [
      [post(0), 'whole 0'],
      ['POST /stream HTTP/1.1\r\nHost: h\r\n\r\n', 'streamed 0'],
      ['POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'whole 0'],
    ] as const) {
      const client = await RawClient.open(port);
      client.write(bytes);
      expect((await client.answer()).body).toBe(expected);
      client.end();
    }
  });

  test('a body of a mebibyte arrives whole, at once and as a stream', async () => {
    const { port } = await serveOutcomes();
    const client = await RawClient.open(port);
    client.write(post(MIB, 'x'.repeat(MIB)));
    expect((await client.answer()).body).toBe(`whole ${MIB}`);
    client.write(post(MIB, 'x'.repeat(MIB)).replace('/p', '/stream'));
    expect((await client.answer()).body).toBe(`streamed ${MIB}`);
    client.end();
  });

  test('a client that waits for 100 Continue gets it', async () => {
    const { port } = await serveOutcomes();
    const client = await RawClient.open(port);
    client.write(
      'POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n',
    );
    expect((await client.answer()).status).toBe(100);
    client.write('abc');
    expect((await client.answer()).body).toBe('whole 3');
    client.end();
  });

  test('a body that stops coming is timed out with 408', async () => {
    const { port, outcomes } = await serveOutcomes({ bodyIdleTimeoutMs: 100 });
    const client = await RawClient.open(port);
    client.write(post(10, 'abc'));
    expect((await client.answer()).status).toBe(408);
    expect(outcomes).toEqual(['body-timeout']);
    client.end();
  });

  test('a body that drips below the least rate is timed out with 408', async () => {
    const { port } = await serveOutcomes({ bodyIdleTimeoutMs: 200 });
    const client = await RawClient.open(port);
    client.write(post(100_000, 'x'));
    const drip = setInterval(() => client.write('x'), 20);
    expect((await client.answer()).status).toBe(408);
    clearInterval(drip);
    client.end();
  });

  test('a slow reader of a stream holds its source back and gets every byte', async () => {
    // More than the socket buffers of both sides may grow to.
    const total = 96 * MIB;
    let taken = 0;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const port = await serve(async (request) => {
      for await (const chunk of request.bodyStream()) {
        if (taken === 0) await held;
        taken += chunk.length;
      }
      return text(String(taken));
    });
    const client = await RawClient.open(port);
    client.write(post(total));
    const mebibyte = 'x'.repeat(MIB);
    for (let written = 0; written < total; written += MIB) client.write(mebibyte);
    // With nobody reading, what the client has left to send stops shrinking well before its end.
    let left = -1;
    await eventually(() => {
      const isStable = client.socket.writableLength === left;
      left = client.socket.writableLength;
      return isStable && left > 0;
    });
    expect(left).toBeGreaterThan(0);
    release();
    expect((await client.answer(60_000)).body).toBe(String(total));
    client.end();
  });

  test('a body that nobody reads does not block the next request', async () => {
    const port = await serve(async (request) => text(request.path));
    const client = await RawClient.open(port);
    client.write(post(500_000));
    expect((await client.answer()).body).toBe('/p');
    client.write('x'.repeat(500_000));
    client.write('GET /next HTTP/1.1\r\nHost: h\r\n\r\n');
    expect((await client.answer()).body).toBe('/next');
    client.end();
  });

  test('a body that came and was not read does not block the next request', async () => {
    let hasCome: (() => void) | undefined;
    const port = await serve(async (request) => {
      if (request.path === '/p') {
        await new Promise<void>((resolve) => {
          hasCome = resolve;
        });
      }
      return text(request.path);
    });
    const client = await RawClient.open(port);
    client.write(post(4 * MIB, 'x'.repeat(4 * MIB)));
    let left = -1;
    await eventually(() => {
      const isStable = client.socket.writableLength === left;
      left = client.socket.writableLength;
      return isStable && hasCome !== undefined;
    });
    hasCome?.();
    expect((await client.answer()).body).toBe('/p');
    client.write('GET /next HTTP/1.1\r\nHost: h\r\n\r\n');
    expect((await client.answer()).body).toBe('/next');
    client.end();
  });

  test('after 413 the rest flows past and the connection goes on', async () => {
    const port = await serve(async (request) => text(String((await request.body(10)).length)));
    const client = await RawClient.open(port);
    client.write(post(300_000, 'x'.repeat(300_000)));
    expect((await client.answer()).status).toBe(413);
    client.write(post(3, 'abc'));
    expect((await client.answer()).body).toBe('3');
    client.end();
  });

  test.each([300_000, 2_000_000])(
    'after 413 and %i bytes that were all on their way the next request is served at once',
    async (length) => {
      const port = await serve(async (request) => {
        // As a key's or a token's check would: by then all of the body may have been read.
        if (request.path === '/p') await delay(30);
        return text(String((await request.body(65_536)).length));
      });
      const client = await RawClient.open(port);
      client.socket.pause();
      await new Promise((resolve) => {
        client.socket.write(post(length, 'x'.repeat(length)), resolve);
      });
      client.socket.resume();
      expect((await client.answer()).status).toBe(413);
      client.write(post(3, 'abc').replace('/p', '/q'));
      expect((await client.answer()).body).toBe('3');
      client.end();
    },
  );

  test('a body that came whole before it was taken does not block the next request', async () => {
    const port = await serve(async (request) => {
      if (request.path === '/p') await delay(30);
      return text(String((await request.body(4 * MIB)).length));
    });
    const client = await RawClient.open(port);
    for (const length of [300_000, 2_000_000, 300_000]) {
      client.write(post(length, 'x'.repeat(length)));
      expect((await client.answer()).body).toBe(String(length));
    }
    client.end();
  });

  test('90 bytes of multipart without a closing boundary are 90 bytes', async () => {
    const { port } = await serveOutcomes();
    const part = '--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n';
    const body = part.padEnd(90, 'x');
    expect(body).toHaveLength(90);
    const client = await RawClient.open(port);
    client.write(
      post(90, body).replace(
        '\r\n\r\n',
        '\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n',
      ),
    );
    expect((await client.answer()).body).toBe('whole 90');
    client.end();
  });

  test('two hundred aborts at any offset leave the server alive and no socket behind', async () => {
    const { port, outcomes } = await serveOutcomes();
    const descriptors = () => readdirSync('/proc/self/fd').length;
    const before = process.platform === 'linux' ? descriptors() : 0;
    const fixed = post(2_000, 'x'.repeat(2_000));
    const head = 'POST /stream HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunked = `${head}400\r\n${'y'.repeat(1024)}\r\n0\r\n\r\n`;
    for (let round = 0; round < 20; round++) {
      const clients = await Promise.all(Array.from({ length: 10 }, () => RawClient.open(port)));
      for (const [index, client] of clients.entries()) {
        const bytes = index % 2 === 0 ? fixed : chunked;
        // Every offset class: inside the line, the headers, the body, before the last byte.
        client.write(bytes.slice(0, ((round * 10 + index) * 37) % (bytes.length - 1)));
        if (index % 3 === 0) client.socket.resetAndDestroy();
        else client.end();
      }
      await Promise.all(clients.map(({ closed }) => closed));
    }
    const client = await RawClient.open(port);
    client.write(post(3, 'abc'));
    expect((await client.answer()).body).toBe('whole 3');
    client.end();
    await client.closed;
    expect(outcomes.filter((outcome) => outcome !== 'body-aborted')).toEqual(['whole 3']);
    if (process.platform === 'linux') await eventually(() => descriptors() <= before + 2);
  });
});
