/** One rounding for the engine, the lists and the verdict. */
import { expect, test } from 'vitest';
import { roundScore } from '#platform/roundScore';

test('nine decimals, so that sums in another order compare as equal', () => {
  expect(roundScore(0.1 + 0.2)).toBe(0.3);
  expect(roundScore(0.1234567894)).toBe(0.123456789);
  expect(roundScore(0.1234567896)).toBe(0.12345679);
  expect(roundScore(1)).toBe(1);
});
