/** What a screening costs of the rate limits. */
import { expect, test } from 'vitest';
import { queryTokens } from '#slices/screening';

const spellings = (count: number, name: string) => Array.from({ length: count }, () => name);

test.for([
  ['a name', 'Tarek Velmorani', [], 1],
  ['a name with the usual spellings', 'Tarek Velmorani', spellings(20, 'Tarik Al Velmorani'), 1],
  ['the longest name', 'a'.repeat(512), [], 1],
  ['one letter more', 'a'.repeat(512), ['b'], 2],
  ['the longest of all', 'a'.repeat(512), spellings(20, 'b'.repeat(512)), 21],
  ['letters beyond the basic plane', '𐌰'.repeat(512), [], 1],
  ['the longest of those', '𐌰'.repeat(512), spellings(20, '𐌱'.repeat(512)), 21],
] as const)('%s', ([, name, transliterations, tokens]) => {
  expect(queryTokens({ name, transliterations })).toBe(tokens);
});
