/** On a real redis-server: what one Lua script promises is not to be had from a fake. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Bucket, RateDecision } from '#core/identity';
import { systemClock } from '#platform/clock';
import { createRateLimiter, type SharedRateLimiter } from '../../src/redis/rateLimiter.ts';
import { hasRedis, type RealRedis, realRedis } from './realRedis.ts';

let fresh = 0;
function bucket(given: Partial<Bucket> = {}): Bucket {
  const name = given.name ?? 'general';
  return { capacity: 100, key: `test:${++fresh}`, name, refillPerSecond: 20, ...given };
}

function limiterOver(redis: Redis, changes: string[] = []): SharedRateLimiter {
  return createRateLimiter({
    clock: systemClock,
    onCounterChanged: (counter) => changes.push(counter),
    redis,
  });
}

const remainingOf = (decision: RateDecision) => decision.states.map(({ remaining }) => remaining);
const passed = (decisions: readonly RateDecision[]) =>
  decisions.filter(({ allowed }) => allowed).length;

describe.skipIf(!hasRedis)('the shared rate limiter', () => {
  let server: RealRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await realRedis();
    redis = await server.connect('request');
  });
  afterAll(() => server.close());

  test('a burst of 100 passes, the next call is refused and told when', async () => {
    const limiter = limiterOver(redis);
    const one = bucket();
    const burst = await Promise.all(Array.from({ length: 100 }, () => limiter.take([one])));
    expect(passed(burst)).toBe(100);
    expect(burst.map((decision) => remainingOf(decision)[0])).toEqual(
      Array.from({ length: 100 }, (_, index) => 99 - index),
    );
    const refused = await limiter.take([one]);
    expect(refused.allowed).toBe(false);
    expect(refused.counter).toBe('shared');
    expect(refused.states[0]?.waitMs).toBeGreaterThan(0);
    expect(refused.states[0]?.waitMs).toBeLessThanOrEqual(50);
  });

  test('all buckets are charged, or none', async () => {
    const limiter = limiterOver(redis);
    const wide = bucket({ capacity: 10, refillPerSecond: 0.001 });
    const tight = bucket({ capacity: 2, refillPerSecond: 0.001 });
    const decisions = [];
    for (let call = 0; call < 5; call++) decisions.push(await limiter.take([wide, tight]));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false, false, false]);
    expect(remainingOf(await limiter.take([wide]))).toEqual([7]);
  });

  test('calls of one turn are decided one after the other, in one round trip', async () => {
    const limiter = limiterOver(redis);
    const shared = bucket({ capacity: 3, refillPerSecond: 0.001 });
    const own = [1, 2, 3, 4, 5].map(() => bucket({ capacity: 1, refillPerSecond: 0.001 }));
    const before = await callsOf(redis);
    const decisions = await Promise.all(own.map((mine) => limiter.take([shared, mine])));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false]);
    expect((await callsOf(redis)) - before).toBe(1);
    // The refused two were not charged for their own bucket.
    const later = await Promise.all(own.map((mine) => limiter.take([mine])));
    expect(later.map(({ allowed }) => allowed)).toEqual([false, false, false, true, true]);
  });

  test('after the announced wait the next call passes', async () => {
    const limiter = limiterOver(redis);
    const one = bucket({ capacity: 1, refillPerSecond: 30 });
    for (let round = 0; round < 10; round++) {
      let decision = await limiter.take([one]);
      while (decision.allowed) decision = await limiter.take([one]);
      const until = performance.now() + (decision.states[0]?.waitMs ?? 0);
      await vi.waitUntil(() => performance.now() > until, { interval: 1 });
      expect((await limiter.take([one])).allowed).toBe(true);
    }
  });

  test('over three processes exactly the burst and the refill pass', {
    timeout: 20_000,
  }, async () => {
    const one = bucket();
    const results = await flood(server, [one], 2_500);
    const allowed = results.reduce((sum, result) => sum + result.allowed, 0);
    const first = Math.min(...results.map(({ startedAt }) => startedAt));
    const last = Math.max(...results.map(({ endedAt }) => endedAt));
    const expected = 100 + (20 * (last - first)) / 1_000;
    expect(results.map(({ local }) => local)).toEqual([0, 0, 0]);
    expect(Math.abs(allowed - expected)).toBeLessThanOrEqual(1.5);
  });

  test('screening is held to 30/s of the tenant while the others have room', async () => {
    const limiter = limiterOver(redis);
    const general = bucket({ capacity: 1_000, refillPerSecond: 1_000 });
    const tenant = bucket({ capacity: 30, name: 'screening-tenant', refillPerSecond: 30 });
    const user = bucket({ capacity: 1_000, name: 'screening-user', refillPerSecond: 0.001 });
    const all = [general, tenant, user];
    // One turn, so one script call at one instant: nothing refills in between.
    const decisions = await Promise.all(Array.from({ length: 100 }, () => limiter.take(all)));
    expect(passed(decisions)).toBe(30);
    expect(remainingOf(await limiter.take([user]))).toEqual([969]);
  });

  test('a costly call takes its further tokens or none, and hears when they come', async () => {
    const limiter = limiterOver(redis);
    const wide = bucket();
    const tight = bucket({ capacity: 30, refillPerSecond: 0.01 });
    await limiter.take([wide, tight]);
    const [passed, refused] = await Promise.all([
      limiter.take([wide, tight], 20),
      limiter.take([wide, tight], 20),
    ]);
    expect([passed.allowed, remainingOf(passed)]).toEqual([true, [79, 9]]);
    expect([refused.allowed, remainingOf(refused)]).toEqual([false, [79, 9]]);
    // Of 21 tokens, the first included, twelve are missing, each of 100 s.
    expect(refused.states.map(({ waitMs }) => Math.round(waitMs / 100_000))).toEqual([0, 12]);
    expect(remainingOf(await limiter.take([tight]))).toEqual([8]);
  });

  test('a bucket too small for the further tokens asks for what a full one has left', async () => {
    const limiter = limiterOver(redis);
    for (const [capacity, left] of [
      [5, 0],
      [1, 0],
      [25, 4],
    ] as const) {
      const one = bucket({ capacity, refillPerSecond: 0.001 });
      await limiter.take([one]);
      const decision = await limiter.take([one], 20);
      expect([decision.allowed, remainingOf(decision)]).toEqual([true, [left]]);
    }
  });

  test('a bucket that is full again leaves nothing in Redis', async () => {
    const limiter = limiterOver(redis);
    const one = bucket({ capacity: 5, refillPerSecond: 100 });
    await limiter.take([one]);
    await vi.waitFor(async () => expect(await redis.exists(one.key)).toBe(0));
  });

  test('a server that lost the script is given it again', async () => {
    await redis.script('FLUSH');
    const decision = await limiterOver(redis).take([bucket()]);
    expect([decision.counter, remainingOf(decision)]).toEqual(['shared', [99]]);
  });
});

describe.skipIf(!hasRedis)('while Redis is gone', () => {
  test('a local bucket of the same rate stands in, until Redis is back', async () => {
    const server = await realRedis();
    try {
      const changes: string[] = [];
      const limiter = limiterOver(await server.connect('request'), changes);
      const one = bucket({ capacity: 5, refillPerSecond: 0.001 });
      await limiter.take([one]);
      process.kill(server.pid, 'SIGKILL');
      await vi.waitFor(async () => expect((await limiter.take([bucket()])).counter).toBe('local'));
      const decisions = [];
      for (let call = 0; call < 8; call++) decisions.push(await limiter.take([one]));
      expect(passed(decisions)).toBe(5);
      expect(new Set(decisions.map(({ counter }) => counter))).toEqual(new Set(['local']));
      await vi.waitFor(
        async () => expect((await limiter.take([bucket()])).counter).toBe('shared'),
        10_000,
      );
      expect(changes).toEqual(['local', 'shared']);
    } finally {
      await server.close();
    }
  });

  test('a server that hangs costs one timeout, not one per call', async () => {
    const server = await realRedis();
    try {
      const limiter = limiterOver(await server.connect('request'));
      await limiter.take([bucket()]);
      process.kill(server.pid, 'SIGSTOP');
      const startedAt = performance.now();
      expect((await limiter.take([bucket()])).counter).toBe('local');
      expect(performance.now() - startedAt).toBeLessThan(2_000);
      const quick = await Promise.all(Array.from({ length: 50 }, () => limiter.take([bucket()])));
      expect(quick.every(({ counter }) => counter === 'local')).toBe(true);
      process.kill(server.pid, 'SIGCONT');
      await vi.waitFor(
        async () => expect((await limiter.take([bucket()])).counter).toBe('shared'),
        10_000,
      );
    } finally {
      process.kill(server.pid, 'SIGCONT');
      await server.close();
    }
  });
});

async function callsOf(redis: Redis): Promise<number> {
  const info = await redis.info('commandstats');
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? 0);
}

interface FloodResult {
  readonly allowed: number;
  readonly local: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

async function flood(
  server: RealRedis,
  buckets: readonly Bucket[],
  forMs: number,
): Promise<FloodResult[]> {
  const script = new URL('./floodProcess.ts', import.meta.url).pathname;
  const untilMs = Date.now() + 1_500 + forMs;
  const args = [script, server.socketPath, JSON.stringify(buckets), '3', String(untilMs)];
  const runs = [1, 2, 3].map(() => promisify(execFile)(process.execPath, args));
  return (await Promise.all(runs)).map(({ stdout }) => JSON.parse(stdout) as FloodResult);
}
