/** Numbers of rules: exact, and found in a bounded time whatever their size. */
import { expect, test } from 'vitest';
import { rootOf } from '../../../src/slices/rules/exactNumbers.ts';

test('a root is the integer below or at it, of small numbers as of those with sixty digits', () => {
  for (let value = 0n; value < 2_000n; value += 1n) {
    const root = rootOf(value);
    expect([value, root * root <= value, (root + 1n) ** 2n > value]).toEqual([value, true, true]);
  }
  const large = 10n ** 30n + 7n;
  expect(rootOf(large ** 2n)).toBe(large);
  expect(rootOf(large ** 2n - 1n)).toBe(large - 1n);
});
