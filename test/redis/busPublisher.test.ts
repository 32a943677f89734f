/** The outbox relay on a real redis-server: order, repeats, refusals, lease, trimming. */
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { OutboxEvent, OutboxStore } from '#core/reactions';
import type { EpochMs } from '#platform/clock';
import { BUS_LIMITS, busStream, createOutboxRelay } from '../../src/redis/busPublisher.ts';
import { hasRedis, type RealRedis, realRedis } from './realRedis.ts';

type RelayOutbox = Pick<OutboxStore, 'markDone' | 'readFor'>;

/** The port's contract in memory: unpublished events, oldest first, until they are marked. */
function outboxOf(events: readonly OutboxEvent[]) {
  let published = 0;
  const tokens: string[] = [];
  const outbox: RelayOutbox = {
    async markDone(_, token) {
      tokens.push(token);
      published = Number(token);
    },
    async readFor(subscriber, limit) {
      expect(subscriber).toBe('bus');
      const batch = events.slice(published, published + limit);
      if (batch.length === 0) return undefined;
      return { events: batch, token: String(published + batch.length) };
    },
  };
  return { outbox, tokens };
}

const event = (id: number, partition = 'tenant-a'): OutboxEvent => ({
  createdAt: 1_767_323_045_000 as EpochMs,
  id: String(id).padStart(6, '0'),
  partition,
  payload: { number: id },
  topic: 'sanctions.screening.completed',
});
const events = (count: number) => Array.from({ length: count }, (_, index) => event(index));

describe.skipIf(!hasRedis)('the outbox relay', () => {
  let server: RealRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await realRedis();
    redis = await server.connect('background');
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    await redis.config('SET', 'maxmemory', '0');
    await redis.flushall();
  });

  const relayOver = (outbox: RelayOutbox, given: { holder?: string; batch?: number } = {}) => {
    const failures: unknown[] = [];
    const relay = createOutboxRelay({
      holder: given.holder ?? 'relay-1',
      limits: { ...BUS_LIMITS, batchEvents: given.batch ?? 200, pollMs: 5 },
      onFailure: (error) => failures.push(error),
      outbox,
      redis,
    });
    return { failures, relay };
  };
  const idsIn = async (partition: string) =>
    (await redis.xrange(busStream(partition), '-', '+')).map(([, fields]) => fields[1]);

  test('brings every event to the stream of its partition, in order, with its id', async () => {
    const all = [event(1), event(2, 'tenant-b'), event(3), event(4, 'tenant-b')];
    const { relay } = relayOver(outboxOf(all).outbox);
    expect(await relay.runOnce()).toEqual({ more: false, published: 4 });
    expect(await idsIn('tenant-a')).toEqual(['000001', '000003']);
    expect(await idsIn('tenant-b')).toEqual(['000002', '000004']);
    const [entry] = await redis.xrange(busStream('tenant-a'), '-', '+', 'COUNT', 1);
    expect(entry?.[1]).toEqual([
      ...['id', '000001', 'topic', 'sanctions.screening.completed', 'partition', 'tenant-a'],
      ...['created_at', '2026-01-02T03:04:05.000Z', 'payload', '{"number":1}'],
    ]);
  });

  test('a crash between Redis and the mark repeats events and loses none', async () => {
    const { outbox } = outboxOf(events(6));
    const crashing = {
      ...outbox,
      markDone: async () => Promise.reject(new Error('killed')),
    };
    await expect(relayOver(crashing, { batch: 3 }).relay.runOnce()).rejects.toThrow('killed');
    const { relay } = relayOver(outbox, { batch: 3 });
    await relay.runOnce();
    await relay.runOnce();
    const ids = await idsIn('tenant-a');
    expect([...new Set(ids)]).toEqual(events(6).map(({ id }) => id));
    expect(ids).toHaveLength(9);
  });

  test('nothing is marked while Redis refuses, and nothing overtakes', async () => {
    const { outbox, tokens } = outboxOf(events(3));
    await redis.config('SET', 'maxmemory', '1');
    await expect(relayOver(outbox).relay.runOnce()).rejects.toThrow();
    expect(tokens).toEqual([]);
    await redis.config('SET', 'maxmemory', '0');
    await relayOver(outbox).relay.runOnce();
    expect(await idsIn('tenant-a')).toEqual(events(3).map(({ id }) => id));
  });

  test('an event that Redis refuses stops those behind it', async () => {
    const { outbox, tokens } = outboxOf([event(1), event(2, 'odd'), event(3)]);
    await redis.set(busStream('odd'), 'no stream');
    await expect(relayOver(outbox).relay.runOnce()).rejects.toThrow('took 1 of 3');
    expect(await idsIn('tenant-a')).toEqual(['000001']);
    expect(tokens).toEqual([]);
  });

  test('one relay works at a time; the next takes over when the lease is free', async () => {
    const { outbox } = outboxOf(events(4));
    const first = relayOver(outbox, { batch: 1, holder: 'relay-1' }).relay;
    const second = relayOver(outbox, { batch: 1, holder: 'relay-2' }).relay;
    expect(await first.runOnce()).toEqual({ more: true, published: 1 });
    expect(await second.runOnce()).toEqual({ more: false, published: 0 });
    await first.run(AbortSignal.abort());
    expect(await second.runOnce()).toEqual({ more: true, published: 1 });
  });

  test('entries of more than 30 days leave the stream', async () => {
    const stream = busStream('tenant-a');
    // Whole nodes are trimmed, so a node must be full of old ones.
    const pipeline = redis.pipeline();
    for (let index = 1; index <= 300; index++) pipeline.xadd(stream, `1000-${index}`, 'id', 'old');
    await pipeline.exec();
    await relayOver(outboxOf(events(1)).outbox).relay.runOnce();
    expect(await redis.xlen(stream)).toBeLessThan(150);
    expect((await idsIn('tenant-a')).at(-1)).toBe('000000');
  });

  test('run publishes what comes until it is stopped, over failures', async () => {
    const { outbox } = outboxOf(events(450));
    let failuresLeft = 1;
    const flaky: RelayOutbox = {
      ...outbox,
      readFor: async (subscriber, limit) => {
        if (failuresLeft-- > 0) throw new Error('store away');
        return outbox.readFor(subscriber, limit);
      },
    };
    const { failures, relay } = relayOver(flaky);
    const abort = new AbortController();
    const running = relay.run(abort.signal);
    await vi.waitFor(async () => expect(await idsIn('tenant-a')).toHaveLength(450), 10_000);
    abort.abort();
    await running;
    expect(failures).toHaveLength(1);
    expect(await redis.exists('bus-relay:lease')).toBe(0);
  });
});
