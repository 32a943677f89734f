/** What is remembered by name stays little, however many names a file makes up. */
import { expect, test } from 'vitest';
import { memoizedByName } from '../../../src/sources/ofac/memoizeByName.ts';

test('a thousand names are remembered; of more, each is looked at every time', () => {
  let looks = 0;
  const lengthOf = memoizedByName((name) => {
    looks++;
    return name.length;
  });
  const names = Array.from({ length: 1_500 }, (_, at) => 'x'.repeat(at));
  for (const name of [...names, ...names]) expect(lengthOf(name)).toBe(name.length);
  expect(looks).toBe(1_500 + 500);
});
