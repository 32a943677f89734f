/** Topics of commits on a real Redis: heard by every worker, gathered, lost without harm. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createOutboxWaker, listenToOutbox } from '../../src/redis/index.ts';
import { hasRedis, type RealRedis, realRedis } from './realRedis.ts';

const WAIT = { interval: 5, timeout: 10_000 };
const CHANNEL = 'outbox:committed';

describe.skipIf(!hasRedis)('topics of commits', () => {
  let server: RealRedis;
  const closing: (() => void)[] = [];
  beforeAll(async () => {
    server = await realRedis();
  });
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });
  afterAll(async () => server?.close());

  const listener = () => {
    const heard: string[][] = [];
    const { close } = listenToOutbox({
      address: { socketPath: server.socketPath },
      onFailure: () => undefined,
      wake: (topics) => void heard.push([...topics]),
    });
    closing.push(close);
    return heard;
  };
  const listening = async (count: number) => {
    const redis = await server.connect('background');
    await vi.waitFor(async () => {
      expect(await redis.pubsub('NUMSUB', CHANNEL)).toEqual([CHANNEL, count]);
    }, WAIT);
    return redis;
  };

  test('every worker hears them; a burst is one message after the first', async () => {
    const [one, two] = [listener(), listener()];
    const redis = await listening(2);
    const published = vi.spyOn(redis, 'publish');
    const waker = createOutboxWaker({ onFailure: () => undefined, redis });
    waker.committed([]);
    waker.committed([{ topic: 'a' }, { topic: 'a' }]);
    for (let count = 0; count < 100; count++) waker.committed([{ topic: 'b' }, { topic: 'c' }]);
    const all = [['a'], ['b', 'c']];
    await vi.waitFor(() => expect([one, two]).toEqual([all, all]), WAIT);
    expect(published).toHaveBeenCalledTimes(2);
    waker.committed([{ topic: 'd' }]);
    await vi.waitFor(() => expect(one.at(-1)).toEqual(['d']), WAIT);
  });

  test('what others write on the channel wakes nobody, and does no harm', async () => {
    const heard = listener();
    const redis = await listening(1);
    for (const message of ['', '{', '[1,{}]', '"a"', '{"length":3}']) {
      await redis.publish(CHANNEL, message);
    }
    await redis.publish(CHANNEL, '["a"]');
    await vi.waitFor(() => expect(heard).toEqual([['a']]), WAIT);
  });

  test('a worker whose connection was cut hears again', async () => {
    const heard = listener();
    const redis = await listening(1);
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await vi.waitFor(async () => {
      await redis.publish(CHANNEL, '["a"]');
      expect(heard).not.toEqual([]);
    }, WAIT);
  });

  test('without Redis a commit is told to nobody, and fails no less', async () => {
    const failures: unknown[] = [];
    const publish = vi.fn(async () => {
      throw new Error('away');
    });
    const away = createOutboxWaker({
      onFailure: (error) => void failures.push(error),
      redis: { publish, status: 'reconnecting' } as never,
    });
    away.committed([{ topic: 'a' }]);
    expect(publish).not.toHaveBeenCalled();
    const failing = createOutboxWaker({
      onFailure: (error) => void failures.push(error),
      redis: { publish, status: 'ready' } as never,
    });
    failing.committed([{ topic: 'a' }]);
    await vi.waitFor(() => expect(failures).toEqual([new Error('away')]), WAIT);
  });
});
