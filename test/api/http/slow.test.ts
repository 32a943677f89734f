/**
 * What lasts longer than the clocks of uWebSockets.js, which cannot be set (10 s of silence,
 * 16 KiB/s), side by side: the whole file takes as long as its longest test.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type {
  HttpHandler,
  HttpServerOptions,
  HttpTechnology,
} from '../../../src/api/http/index.ts';
import { type Running, start, TECHNOLOGIES, text } from './adapters.ts';
import { RawClient } from './rawClient.ts';

const UWS_SILENCE_MS = 10_000;
/** 10 s by uWebSockets.js 20.0.8, 32 s by 20.57.0. */
const LET_GO_WITHIN_MS = 45_000;

const running: Running[] = [];

afterAll(async () => {
  await Promise.all(running.map(({ server }) => server.close(0)));
});

/** By name; all are started at once, on both adapters, and each test waits for its own. */
function scenarios(technology: HttpTechnology): Record<string, () => Promise<void>> {
  async function serve(handler: HttpHandler, options: Partial<HttpServerOptions> = {}) {
    const started = await start(technology, handler, options);
    running.push(started);
    return started.port;
  }

  return {
    'a slow body that makes progress arrives whole': async () => {
      const port = await serve(async (request) =>
        text(String((await request.body(100_000)).length)),
      );
      const client = await RawClient.open(port);
      client.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 26000\r\n\r\n');
      // 2 KB/s: above our least rate, below that of uWebSockets.js.
      for (let i = 0; i < 13; i++) {
        client.write('x'.repeat(2_000));
        await delay(1_000);
      }
      expect((await client.answer()).body).toBe('26000');
      client.end();
    },

    'a body whose reader takes its time is not dropped': async () => {
      const total = 4_000_000;
      const port = await serve(async (request) => {
        let taken = 0;
        for await (const chunk of request.bodyStream()) {
          if (taken === 0) await delay(UWS_SILENCE_MS + 3_000);
          taken += chunk.length;
        }
        return text(String(taken));
      });
      const client = await RawClient.open(port);
      client.write(
        `POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${total}\r\n\r\n${'x'.repeat(total)}`,
      );
      expect((await client.answer(30_000)).body).toBe(String(total));
      client.end();
    },

    'an answer that takes its time is not dropped': async () => {
      const port = await serve(async () => {
        await delay(UWS_SILENCE_MS + 3_000);
        return text('late');
      });
      const client = await RawClient.open(port);
      client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
      expect((await client.answer(30_000)).body).toBe('late');
      client.end();
    },

    'a stream that is silent for long is not dropped': async () => {
      const port = await serve(async () => ({
        status: 200,
        headers: [],
        body: (async function* () {
          yield 'a';
          await delay(UWS_SILENCE_MS + 3_000);
          yield 'b';
        })(),
      }));
      const client = await RawClient.open(port);
      client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
      expect((await client.answer(30_000)).body).toBe('ab');
      client.end();
    },

    'heads that never end are let go': async () => {
      const port = await serve(async () => text('ok'), { headersTimeoutMs: 500 });
      const clients = await Promise.all(Array.from({ length: 50 }, () => RawClient.open(port)));
      for (const client of clients) client.write('GET / HTTP/1.1\r\nHost: h\r\nX-Slow: ');
      const drip = setInterval(() => {
        for (const client of clients) client.write('x');
      }, 250);
      const ends = await Promise.all(
        clients.map((client) => client.until(() => false, LET_GO_WITHIN_MS)),
      );
      clearInterval(drip);
      expect(new Set(ends)).toEqual(new Set(['closed']));
      if (technology === 'node:http') expect(clients[0]?.received).toMatch(/^HTTP\/1\.1 408 /);
    },

    'connections that say nothing are let go': async () => {
      const port = await serve(async () => text('ok'), { headersTimeoutMs: 500 });
      const client = await RawClient.open(port);
      expect(await client.until(() => false, LET_GO_WITHIN_MS)).toBe('closed');
    },

    'a kept connection without a next request is let go': async () => {
      const port = await serve(async () => text('ok'), { keepAliveTimeoutMs: 500 });
      const client = await RawClient.open(port);
      client.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
      await client.answer();
      expect(await client.until(() => false, LET_GO_WITHIN_MS)).toBe('closed');
    },

    'slow clients do not slow the others': async () => {
      // Long after this test: the slow ones are still there when the others have their answers.
      const patient = { bodyIdleTimeoutMs: 600_000 };
      const port = await serve(
        async (request) => text(String((await request.body(10_000)).length)),
        patient,
      );
      const slow = await Promise.all(Array.from({ length: 100 }, () => RawClient.open(port)));
      for (const client of slow)
        client.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx');
      const client = await RawClient.open(port);
      for (let i = 0; i < 20; i++) {
        client.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc');
        expect((await client.answer()).body).toBe('3');
      }
      expect(slow.filter(({ received }) => received !== '')).toEqual([]);
      for (const each of [...slow, client]) each.end();
    },
  };
}

describe.each(TECHNOLOGIES)('%s: slow clients', (technology) => {
  const running = Object.entries(scenarios(technology)).map(([name, run]) => {
    const outcome = run();
    // It may fail before its test comes to wait for it.
    outcome.catch(() => undefined);
    return { name, outcome };
  });

  test.each(running)('$name', async ({ outcome }) => {
    await outcome;
  });
});
