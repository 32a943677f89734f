/** The last word on each id of a delta. */
import { expect, test } from 'vitest';
import { LastOperations } from '../../src/sources/lastOperations.ts';

test('is that of the last line, and removals come in the order of theirs', () => {
  const words = new LastOperations();
  for (const [at, id] of ['a', 'b', 'a', 'c', 'd'].entries()) {
    words.say(id, at + 1, { isGone: id !== 'd' });
  }
  words.say('b', 6, { isGone: false });
  expect([...words.gone()]).toEqual(['a', 'c']);
  expect([1, 3].map((number) => words.isLast('a', number))).toEqual([false, true]);
  expect(['b', 'd', 'e'].map((id) => words.names(id))).toEqual([true, true, false]);
});
