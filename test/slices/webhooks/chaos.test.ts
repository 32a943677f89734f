/** Receivers that misbehave: no attempt takes longer or keeps more than it may (R14). */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { openHouse, type WebhookHouse } from './webhookHouse.ts';

const TIMEOUT_MS = 1_500;

let house: WebhookHouse;
let close: () => Promise<void>;
beforeEach(async () => {
  house = await openHouse(makeSqliteHarness, { timeoutMs: TIMEOUT_MS });
  close = async () => {};
});
afterEach(async () => {
  await close();
  await house.close();
});

/** What a receiver that speaks these bytes makes of one delivery. */
async function sentTo(speak: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => speak(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  await house.register(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await house.tell({ batch_id: 'b-1' });
  await house.send();
  const [delivery] = await house.deliveries();
  return {
    body: delivery?.lastResponseBody,
    code: delivery?.lastResponseCode,
    reason: delivery?.failureReason,
    status: delivery?.status,
  };
}

const until = (socket: Socket, write: () => void, ms: number): void => {
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : write()), ms);
};

test('headers that drip end with the time of the attempt', async () => {
  const drip = 'HTTP/1.1 200 OK\r\nx-a: ';
  let place = 0;
  const speak = (socket: Socket) =>
    until(socket, () => void socket.write(drip[place++ % drip.length] ?? 'a'), 50);
  expect(await sentTo(speak)).toMatchObject({ reason: 'timeout', status: 'RETRYING' });
});

test('a body that drips, or never ends, changes nothing of its status', async () => {
  const speak = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n');
  };
  expect(await sentTo(speak)).toMatchObject({ code: 200, status: 'DELIVERED' });
});

test('of a body without end a kilobyte is kept', async () => {
  const before = process.memoryUsage().rss;
  const piece = Buffer.alloc(64 * 1_024, 'é');
  const speak = (socket: Socket) => {
    socket.write(`HTTP/1.1 500 No\r\ncontent-length: ${1024 ** 3}\r\n\r\n`);
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    more();
  };
  const outcome = await sentTo(speak);
  expect(outcome).toMatchObject({ code: 500, reason: 'http-5xx', status: 'RETRYING' });
  expect(outcome.body).toBe('é'.repeat(512));
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1_024 ** 2);
});

test('a character that the cut splits is left out', async () => {
  const body = `a${'é'.repeat(600)}`;
  const speak = (socket: Socket) => {
    const bytes = Buffer.from(body);
    socket.end(`HTTP/1.1 400 No\r\ncontent-length: ${bytes.length}\r\n\r\n${body}`);
  };
  expect((await sentTo(speak)).body).toBe(`a${'é'.repeat(511)}`);
});

test('what is packed is not unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(16 * 1_024 ** 2));
  const speak = (socket: Socket) => {
    socket.write('HTTP/1.1 400 No\r\ncontent-encoding: gzip\r\n');
    socket.write(`content-length: ${bomb.length}\r\n\r\n`);
    socket.end(bomb);
  };
  const { body, status } = await sentTo(speak);
  expect(status).toBe('FAILED');
  expect(Buffer.byteLength(body ?? '')).toBeLessThanOrEqual(1_024);
});

test.each([
  ['bytes that are no UTF-8', Buffer.alloc(2_048, 0xff)],
  ['zeros', Buffer.alloc(2_048)],
  ['halves of characters', Buffer.from('c3'.repeat(2_048), 'hex')],
  ['characters between them', Buffer.from(`61ff${'f09f9880ff00'.repeat(300)}`, 'hex')],
])('%s are kept as at most 1,024 bytes of valid UTF-8', async (_, bytes) => {
  const speak = (socket: Socket) => {
    socket.write(`HTTP/1.1 400 No\r\ncontent-length: ${bytes.length}\r\n\r\n`);
    socket.end(bytes);
  };
  const { body = '' } = await sentTo(speak);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1_024);
  expect(Buffer.byteLength(body)).toBeGreaterThan(1_000);
  expect(Buffer.from(body).toString('utf8')).toBe(body);
  expect(body).not.toContain('\0');
});

test('a receiver that closes its half after the answer has answered', async () => {
  const speak = (socket: Socket) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
  };
  expect(await sentTo(speak)).toMatchObject({ body: 'ok', code: 200, status: 'DELIVERED' });
});

type Misbehaviour = [what: string, speak: (socket: Socket) => void, reason: string | undefined];
const MISBEHAVIOUR: Misbehaviour[] = [
  ['a reset', (socket: Socket) => void socket.resetAndDestroy(), 'connect'],
  ['an end without an answer', (socket: Socket) => void socket.end(), 'connect'],
  ['half a status line', (socket: Socket) => void socket.end('HTTP/1.1 2'), undefined],
  ['no HTTP', (socket: Socket) => void socket.end('hello\r\n\r\n'), 'response-malformed'],
  ['silence', () => undefined, 'timeout'],
  ['half of its connection closed at once', (socket: Socket) => void socket.end(), 'connect'],
  [
    'an answer of 100 that nobody asked for',
    (socket: Socket) => void socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
    'response-malformed',
  ],
  [
    'another protocol',
    (socket: Socket) =>
      void socket.write('HTTP/1.1 101 Yes\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    'response-malformed',
  ],
  [
    'headers without end',
    (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(100_000)}`),
    'response-malformed',
  ],
];
test.each(MISBEHAVIOUR)('%s is tried again', async (_, speak, reason) => {
  const outcome = await sentTo(speak);
  expect(outcome.status).toBe('RETRYING');
  if (reason !== undefined) expect(outcome.reason).toBe(reason);
});

test('a status that is followed by a cut body stands', async () => {
  const speak = (socket: Socket) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort');
  };
  expect(await sentTo(speak)).toMatchObject({ body: 'short', code: 200, status: 'DELIVERED' });
});
