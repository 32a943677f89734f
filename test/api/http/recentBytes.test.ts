/** A least rate over any window of time, on a clock that the test moves. */
import { expect, test } from 'vitest';
import { RecentBytes } from '../../../src/api/http/recentBytes.ts';

const WINDOW_MS = 8_000;
const LEAST = 500;

/** The second at which the rate is below the least one; undefined for a client that is let be. */
function endOf(bytesAt: (second: number) => number, seconds = 600): number | undefined {
  const recent = new RecentBytes(WINDOW_MS);
  for (let second = 0; second < seconds; second++) {
    recent.add(bytesAt(second), second * 1_000);
    if (recent.isBelow(LEAST, second * 1_000)) return second;
  }
  return undefined;
}

test('a client that keeps to the least rate is let be, steady or in bursts', () => {
  expect(endOf(() => LEAST)).toBeUndefined();
  expect(endOf((second) => (second % 8 === 0 ? 8 * LEAST : 0))).toBeUndefined();
});

test('one that is too slow from the beginning is ended after one window', () => {
  expect(endOf(() => 1)).toBe(8);
});

test('what came before the window buys no time', () => {
  const gigabyteFirst = (second: number) => (second === 0 ? 1e9 : 1);
  expect(endOf(gigabyteFirst)).toBe(9);
  expect(endOf((second) => (second < 100 ? 1e6 : 1))).toBe(108);
});

test('a pause longer than the window leaves nothing of what was before', () => {
  const recent = new RecentBytes(WINDOW_MS);
  recent.add(1e9, 0);
  expect(recent.isBelow(LEAST, 100_000)).toBe(true);
});
