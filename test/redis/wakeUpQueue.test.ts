/** Words to the workers on a real Redis: heard at once, by one; lost without harm. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { redisOptions } from '../../src/redis/connection.ts';
import { createWaker, listenForWakeUps, WAKE_UPS_MAX } from '../../src/redis/wakeUpQueue.ts';
import { hasRedis, type RealRedis, realRedis } from './realRedis.ts';

const WAIT = { interval: 5, timeout: 30_000 };

describe.skipIf(!hasRedis)('words to the workers', () => {
  let server: RealRedis;
  const closing: (() => Promise<void>)[] = [];
  const rejections: unknown[] = [];
  const onRejection = (error: unknown) => rejections.push(error);

  beforeAll(async () => {
    server = await realRedis();
    process.on('unhandledRejection', onRejection);
  });
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()));
    expect(rejections).toEqual([]);
  });
  afterAll(async () => {
    process.off('unhandledRejection', onRejection);
    await server?.close();
  });

  const optionsFor = (socketPath: string, failures: unknown[] = []) => ({
    connection: redisOptions({ socketPath }, 'queue', 'test'),
    onFailure: (error: unknown) => void failures.push(error),
  });
  const waker = (socketPath = server.socketPath, failures: unknown[] = []) => {
    const made = createWaker(optionsFor(socketPath, failures));
    closing.push(made.close);
    return { wake: (id: string) => made.wake('batches', id) };
  };
  const listener = (heard: string[], wake = (id: string) => void heard.push(id)) => {
    const made = listenForWakeUps({
      ...optionsFor(server.socketPath),
      wake: (slice, id) => {
        expect(slice).toBe('batches');
        wake(id);
      },
    });
    closing.push(made.close);
    return made;
  };

  test('a word wakes one of the workers that listen, and leaves nothing', async () => {
    const [one, two]: [string[], string[]] = [[], []];
    listener(one);
    listener(two);
    const { wake } = waker();
    const ids = Array.from({ length: 20 }, () => randomUUID());
    for (const id of ids) wake(id);
    await vi.waitFor(() => expect([...one, ...two].sort()).toEqual(ids.toSorted()), WAIT);
    const redis = await server.connect('background');
    await vi.waitFor(async () => {
      const left = (await redis.keys('bull:wake-ups:*')).filter((key) =>
        key.includes(ids[0] ?? ''),
      );
      expect(left).toEqual([]);
    }, WAIT);
  });

  test('words are kept, one of each piece of work, until somebody listens', async () => {
    const { wake } = waker();
    const id = randomUUID();
    const redis = await server.connect('background');
    wake(id);
    wake(id);
    await vi.waitFor(async () => expect(await redis.llen('bull:wake-ups:wait')).toBe(1), WAIT);
    const heard: string[] = [];
    listener(heard);
    await vi.waitFor(() => expect(heard).toEqual([id]), WAIT);
    // The same work may be talked of again.
    await vi.waitFor(
      async () => expect(await redis.exists(`bull:wake-ups:batches-${id}`)).toBe(0),
      WAIT,
    );
    wake(id);
    await vi.waitFor(() => expect(heard).toEqual([id, id]), WAIT);
  });

  test('a Redis that lost everything is as good as before', async () => {
    const heard: string[] = [];
    listener(heard);
    const { wake } = waker();
    wake('first');
    await vi.waitFor(() => expect(heard).toEqual(['first']), WAIT);
    const redis = await server.connect('background');
    await redis.flushall();
    wake('second');
    await vi.waitFor(() => expect(heard).toEqual(['first', 'second']), WAIT);
  });

  test('what listens and fails is told, and goes on', async () => {
    const heard: string[] = [];
    listener(heard, (id) => {
      if (id === 'bad') throw new Error('not that one');
      heard.push(id);
    });
    const { wake } = waker();
    wake('bad');
    wake('good');
    await vi.waitFor(() => expect(heard).toEqual(['good']), WAIT);
  });

  test('a Redis that goes away is no failure of who speaks or of who listens', async () => {
    const own = await realRedis();
    const failures: unknown[] = [];
    const { wake } = waker(own.socketPath, failures);
    const heard: string[] = [];
    const listening = listenForWakeUps({
      ...optionsFor(own.socketPath, failures),
      wake: (_, id) => void heard.push(id),
    });
    closing.push(listening.close);
    wake('before');
    await vi.waitFor(() => expect(heard).toEqual(['before']), WAIT);
    await own.close();
    for (let at = 0; at < 2 * WAKE_UPS_MAX; at++) wake(`after-${at}`);
    await vi.waitFor(() => expect(failures.length).toBeGreaterThan(WAKE_UPS_MAX / 2), WAIT);
    expect(heard).toEqual(['before']);
  });

  test('without Redis words are dropped, bounded, and nobody waits', async () => {
    const failures: unknown[] = [];
    const { wake } = waker('/nonexistent/redis.sock', failures);
    const before = performance.now();
    for (let at = 0; at < 50 * WAKE_UPS_MAX; at++) wake(`work-${at}`);
    expect(performance.now() - before).toBeLessThan(5_000);
    await vi.waitFor(() => expect(failures.length).toBeGreaterThan(0), WAIT);
  });

  test('a worker without Redis closes', async () => {
    const options = optionsFor('/nonexistent/redis.sock');
    await listenForWakeUps({ ...options, wake: () => {} }).close();
  });
});
