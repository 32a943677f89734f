/** The figures of decisions 1.3 on a clock that the test moves: exact to the call. */
import { describe, expect, test } from 'vitest';
import type { Bucket } from '#core/identity';
import type { EpochMs } from '#platform/clock';
import { createLocalBuckets } from '../../src/redis/localBuckets.ts';

function at(startMs = 0) {
  let nowMs = startMs;
  return {
    clock: { monotonicMs: () => nowMs, now: () => nowMs as EpochMs },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const bucket = (key: string, capacity: number, refillPerSecond: number): Bucket => ({
  capacity,
  key,
  name: 'general',
  refillPerSecond,
});

describe('local buckets', () => {
  test('100 at once, then 20 a second: ten seconds of flood pass 300', () => {
    const { clock, pass } = at();
    const local = createLocalBuckets(clock);
    let allowed = 0;
    for (let ms = 0; ms < 10_000; ms++, pass(1)) {
      if (local.take([bucket('a', 100, 20)]).allowed) allowed++;
      if (local.take([bucket('a', 100, 20)]).allowed) allowed++;
    }
    expect(allowed).toBe(299);
    pass(1);
    expect(local.take([bucket('a', 100, 20)]).allowed).toBe(true);
  });

  test('a steady 20 a second is never refused', () => {
    const { clock, pass } = at();
    const local = createLocalBuckets(clock);
    const one = bucket('a', 1, 20);
    for (let call = 0; call < 1_200; call++, pass(50)) {
      expect(local.take([one]).allowed, `call ${call}`).toBe(true);
    }
  });

  test('20.5 a second from an empty bucket are refused in one of 41', () => {
    const { clock, pass } = at();
    const local = createLocalBuckets(clock);
    const one = bucket('a', 100, 20);
    for (let call = 0; call < 100; call++) local.take([one]);
    let refused = 0;
    for (let call = 0; call < 4_100; call++) {
      pass(1_000 / 20.5);
      if (!local.take([one]).allowed) refused++;
    }
    expect(refused / 4_100).toBeCloseTo(0.0244, 3);
  });

  test('a refusal charges no bucket', () => {
    const local = createLocalBuckets(at().clock);
    const wide = bucket('wide', 10, 1);
    const tight = bucket('tight', 1, 1);
    local.take([wide, tight]);
    for (let call = 0; call < 5; call++) {
      expect(local.take([wide, tight]).allowed).toBe(false);
    }
    expect(local.take([wide]).states[0]?.remaining).toBe(8);
  });

  test('a costly call takes its further tokens or none, and hears when they are there', () => {
    const { clock, pass } = at();
    const local = createLocalBuckets(clock);
    const [wide, tight] = [bucket('wide', 100, 20), bucket('tight', 30, 10)];
    local.take([wide, tight]);
    expect(local.take([wide, tight], 20).states.map(({ remaining }) => remaining)).toEqual([79, 9]);
    const refused = local.take([wide, tight], 20);
    expect([refused.allowed, ...refused.states.map(({ waitMs }) => waitMs)]).toEqual([
      false,
      0,
      expect.closeTo(1_200, 0),
    ]);
    // Then it passes, its first token included.
    pass(1_200);
    expect(local.take([wide, tight]).allowed).toBe(true);
    const next = local.take([wide, tight], 20);
    expect([next.allowed, ...next.states.map(({ remaining }) => remaining)]).toEqual([true, 79, 0]);
  });

  test('a bucket too small for the further tokens asks for what a full one has left', () => {
    const local = createLocalBuckets(at().clock);
    for (const [capacity, left] of [
      [5, 0],
      [1, 0],
      [25, 4],
    ] as const) {
      const one = bucket(`of ${capacity}`, capacity, 1);
      local.take([one]);
      const { allowed, states } = local.take([one], 20);
      expect([allowed, states[0]?.remaining]).toEqual([true, left]);
    }
  });

  test('full buckets are forgotten, and the map is bounded', () => {
    const { clock, pass } = at();
    const local = createLocalBuckets(clock, 100);
    for (let caller = 0; caller < 1_000; caller++) local.take([bucket(`k${caller}`, 5, 1)]);
    expect(local.size).toBeLessThanOrEqual(100);
    pass(10_000);
    local.take([bucket('last', 5, 1)]);
    expect(local.size).toBe(1);
  });

  test('what is given back can be taken again, and never makes more than there was', () => {
    const { clock, pass } = at();
    const local = createLocalBuckets(clock);
    const one = bucket('a', 2, 1);
    const take = () => local.take([one]).allowed;
    expect([take(), take(), take()]).toEqual([true, true, false]);
    local.giveBack(one);
    expect([take(), take()]).toEqual([true, false]);
    pass(10_000);
    local.giveBack(one);
    expect([take(), take(), take()]).toEqual([true, true, false]);
  });
});
