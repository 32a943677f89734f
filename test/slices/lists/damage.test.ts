/** What is damaged is told from what is away. */
import { expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { isDamage } from '#slices/lists';

test.each([
  [new DomainError('list-damaged'), true],
  [new DomainError('blob-damaged'), true],
  [new DomainError('store-unavailable'), false],
  [new Error('list-damaged'), false],
])('%s is damage: %s', (error, expected) => {
  expect(isDamage(error)).toBe(expected);
});
