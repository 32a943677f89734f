/** A stream whose reader takes nothing is cut off by its source, on both adapters. */
import { afterEach, describe, expect, test } from 'vitest';
import { type Running, start, TECHNOLOGIES } from './adapters.ts';
import { RawClient } from './rawClient.ts';

const PIECE = 'x'.repeat(64 * 1024);

describe.each(TECHNOLOGIES)('%s: cut', (technology) => {
  let running: Running | undefined;
  afterEach(() => running?.server.close(0));

  test('closes the connection at once, and the source ends', async () => {
    const cut = new AbortController();
    const ended = Promise.withResolvers<void>();
    let pieces = 0;
    async function* source() {
      try {
        for (;;) {
          pieces += 1;
          yield PIECE;
        }
      } finally {
        ended.resolve();
      }
    }
    running = await start(technology, async (request) => {
      expect(request.signal.aborted).toBe(false);
      return { body: source(), cut: cut.signal, headers: [], status: 200 };
    });
    const client = await RawClient.open(running.port);
    client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    await client.until(() => client.received.length > 0);
    client.socket.pause();
    // The source stands still once the socket takes no more.
    await expect
      .poll(
        async () => {
          const before = pieces;
          await new Promise((resolve) => setTimeout(resolve, 50));
          return pieces - before;
        },
        { timeout: 10_000 },
      )
      .toBe(0);
    cut.abort();
    await ended.promise;
    client.socket.resume();
    await client.closed;
    expect(client.received).not.toMatch(/0\r\n\r\n$/);
  });
});
