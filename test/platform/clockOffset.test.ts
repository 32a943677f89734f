/** Two clocks beside each other, and what is said where they differ. */
import { expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { ClockOff, clockOffset, isOff, offsetText, refuseOffset } from '#platform/clockOffset';

const HOUR_MS = 3_600_000;

/** A clock that is ahead of the right one by `aheadMs`; asking takes `tookMs`. */
async function measured(aheadMs: number, tookMs: number) {
  let passed = 0;
  const right = () => 1_800_000_000_000 + passed;
  const clock = { monotonicMs: () => passed, now: () => (right() + aheadMs) as EpochMs };
  return clockOffset(clock, async () => {
    passed += tookMs / 2;
    const theirs = right();
    passed += tookMs / 2;
    return theirs;
  });
}

test.each([HOUR_MS, 0, -HOUR_MS])('a clock %i ms ahead is known for it', async (aheadMs) => {
  const offset = await measured(aheadMs, 40);
  expect(offset).toEqual({ aheadMs, unsureMs: 20 });
});

test('what a slow answer leaves open is not held against a clock', async () => {
  const [slow, quick] = [await measured(1_500, 2_000), await measured(1_500, 2)];
  if (slow === undefined || quick === undefined) throw new Error('no clock');
  expect([isOff(slow), isOff(quick)]).toEqual([false, true]);
  expect(offsetText(quick, 'Redis')).toBe("this host's clock is 1.5 s ahead of that of Redis");
  expect(() => refuseOffset('7.2 answers', quick, 'Redis')).toThrow(ClockOff);
  expect(refuseOffset('7.2 answers', slow, 'Redis')).toBe('7.2 answers, and its clock agrees');
});

test('a store without a clock of its own says nothing', async () => {
  const clock = { monotonicMs: () => 0, now: () => 0 as EpochMs };
  const offset = await clockOffset(clock, async () => undefined);
  expect(refuseOffset('2 tenants', offset, 'the store')).toBe('2 tenants');
});
