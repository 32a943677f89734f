/** Streams of known length, as downloads are: Content-Length, backpressure, broken sources. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpHandler } from '../../../src/api/http/index.ts';
import { type Running, start, TECHNOLOGIES } from './adapters.ts';
import { RawClient } from './rawClient.ts';

const request = (method: string) => `${method} /g HTTP/1.1\r\nHost: h\r\n\r\n`;

async function* pieces(count: number, bytes: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield new Uint8Array(bytes).fill(65 + (index % 26));
}

describe.each(TECHNOLOGIES)('%s: streams of known length', (technology) => {
  const running: Running[] = [];

  async function serve(handler: HttpHandler): Promise<number> {
    const started = await start(technology, handler, {});
    running.push(started);
    return started.port;
  }
  afterEach(async () => {
    await Promise.all(running.splice(0).map(({ server }) => server.close(0)));
  });

  const reply = (body: AsyncIterable<Uint8Array>, bodyBytes: number) => ({
    body,
    bodyBytes,
    headers: [['etag', '"x"']] as const,
    status: 200,
  });

  test('the length is sent, nothing is chunked, and the connection goes on', async () => {
    const port = await serve(async () => reply(pieces(3, 5), 15));
    const client = await RawClient.open(port);
    for (let round = 0; round < 2; round++) {
      client.write(request('GET'));
      const answer = await client.answer();
      expect(answer.headers.get('content-length')).toBe('15');
      expect(answer.headers.get('transfer-encoding')).toBeUndefined();
      expect(answer.body).toBe('AAAAABBBBBCCCCC');
    }
    client.end();
  });

  test('HEAD tells the length and reads nothing', async () => {
    let isRead = false;
    async function* body() {
      isRead = true;
      yield new Uint8Array(15);
    }
    const port = await serve(async () => reply(body(), 15));
    const client = await RawClient.open(port);
    client.write(request('HEAD'));
    await client.until(() => client.received.includes('\r\n\r\n'));
    expect(client.received).toMatch(/^HTTP\/1.1 200 /);
    expect(client.received).toMatch(/\r\ncontent-length: 15\r\n/i);
    expect(client.received).toMatch(/\r\n\r\n$/);
    expect(isRead).toBe(false);
    client.end();
  });

  test('a slow reader gets all of it, and the source waits for it', async () => {
    const [count, bytes] = [400, 65_536];
    let given = 0;
    async function* counted() {
      for await (const piece of pieces(count, bytes)) {
        given++;
        yield piece;
      }
    }
    const port = await serve(async () => reply(counted(), count * bytes));
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.pause();
    socket.write(request('GET'));
    let before = -1;
    while (before !== given || given === 0) {
      before = given;
      await delay(100);
    }
    expect(given).toBeLessThan(count);
    const parts: Buffer[] = [];
    let received = 0;
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      received += part.length;
      if (received >= count * bytes + 50) socket.end();
    });
    socket.resume();
    await once(socket, 'close');
    const whole = Buffer.concat(parts);
    const content = whole.subarray(whole.indexOf('\r\n\r\n') + 4);
    expect(content.length).toBe(count * bytes);
    for (let index = 0; index < count; index++) {
      expect(content[index * bytes]).toBe(65 + (index % 26));
    }
  });

  test.each([
    ['fails in the middle', 2],
    ['ends too early', 1],
  ])('a stream that %s is cut', async (_, kind) => {
    async function* body() {
      yield new Uint8Array(5);
      if (kind === 2) throw new Error('the disk');
    }
    const port = await serve(async () => reply(body(), 15));
    const whole = fetch(`http://127.0.0.1:${port}/g`).then((answer) => answer.text());
    await expect(whole).rejects.toThrow();
  });
});
