/** The rate of a tenant, over workers that share its bucket, on a clock that is moved. */
import { expect, test } from 'vitest';
import type { RateLimiter } from '#core/identity';
import { createLocalBuckets } from '../../../src/redis/index.ts';
import { TenantTokens } from '../../../src/slices/webhooks/tenantTokens.ts';
import { createTestClock } from '../../storage/contract/harness.ts';
import { OTHER, TENANT } from './webhookHouse.ts';

test('in no ten seconds more than eleven seconds’ worth, and not much less', async () => {
  const clock = createTestClock();
  const buckets = createLocalBuckets(clock);
  const limiter: RateLimiter = {
    take: async (all, further) => buckets.take(all, further),
  };
  const workers = [new TenantTokens(limiter, clock), new TenantTokens(limiter, clock)];
  const rate = { perSecond: 100, tenantId: TENANT };
  const sent: number[] = [];
  for (let step = 0; step < 3_000; step++) {
    for (const [place, worker] of workers.entries()) {
      const wanted = ((step * 7 + place) % 50) + 1;
      const count = await worker.take(rate, wanted);
      expect(count).toBeLessThanOrEqual(wanted);
      for (let one = 0; one < count; one++) sent.push(clock.monotonicMs());
    }
    clock.advance(10);
  }
  const within = (from: number) => sent.filter((at) => at >= from && at < from + 10_000).length;
  const start = sent[0] ?? 0;
  for (let from = start; from < start + 20_000; from += 500) {
    expect(within(from)).toBeLessThanOrEqual(1_100);
  }
  expect(within(start + 10_000)).toBeGreaterThan(950);
});

test('what is not used is used next, by this tenant alone and within a second', async () => {
  const clock = createTestClock();
  const buckets = createLocalBuckets(clock);
  let calls = 0;
  const limiter: RateLimiter = {
    take: async (all, further) => {
      calls++;
      return buckets.take(all, further);
    },
  };
  const tokens = new TenantTokens(limiter, clock);
  const rate = { perSecond: 100, tenantId: TENANT };
  expect(await tokens.take(rate, 1)).toBe(1);
  for (let one = 0; one < 24; one++) expect(await tokens.take(rate, 1)).toBe(1);
  expect(calls).toBe(1);
  expect(await tokens.take({ ...rate, tenantId: OTHER }, 1)).toBe(1);
  expect(calls).toBe(2);
  clock.advance(1_001);
  expect(await tokens.take({ ...rate, tenantId: OTHER }, 1)).toBe(1);
  expect(calls).toBe(3);
});

test('a block that is not there is not asked for before its time, nor taken in parts', async () => {
  const clock = createTestClock();
  const buckets = createLocalBuckets(clock);
  let calls = 0;
  const limiter: RateLimiter = {
    take: async (all, further) => {
      calls++;
      return buckets.take(all, further);
    },
  };
  const tokens = new TenantTokens(limiter, clock);
  const rate = { perSecond: 100, tenantId: TENANT };
  const taken = async () => tokens.take(rate, 25);
  // The burst, then the first block that is not there.
  expect([await taken(), await taken(), await taken(), await taken()]).toEqual([25, 25, 25, 0]);
  expect(calls).toBe(4);
  for (let ms = 0; ms < 24; ms++) {
    clock.advance(10);
    expect(await taken()).toBe(0);
  }
  expect(calls).toBe(4);
  clock.advance(20);
  expect([await taken(), calls]).toEqual([25, 5]);
});
