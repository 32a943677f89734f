/** What is opened once and kept, unless it could not be opened. */
import { expect, test } from 'vitest';
import { openedOnce } from '#platform/openedOnce';

test('whoever asks meanwhile and later has the same', async () => {
  let opened = 0;
  const open = openedOnce(async () => {
    opened += 1;
    return {};
  });
  const [first, second] = await Promise.all([open(), open()]);
  expect(second).toBe(first);
  expect(await open()).toBe(first);
  expect(opened).toBe(1);
});

test('a failure is told to who asked, and the next has it opened anew', async () => {
  let tries = 0;
  const open = openedOnce(async () => {
    tries += 1;
    if (tries === 1) throw new Error('no room');
    return tries;
  });
  await expect(open()).rejects.toThrow('no room');
  expect(await open()).toBe(2);
});
