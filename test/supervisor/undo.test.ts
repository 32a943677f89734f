/** The end of a supervisor's life. */
import { expect, test } from 'vitest';
import { undoAll } from '../../src/supervisor/undo.ts';

test('a step that fails keeps no other from running, last made first', async () => {
  const done: string[] = [];
  const failures: unknown[] = [];
  const broken = new Error('the child would not stop');
  await undoAll(
    [
      () => void done.push('lock'),
      async () => void done.push('redis'),
      () => Promise.reject(broken),
      () => {
        throw broken;
      },
    ],
    (error) => failures.push(error),
  );
  expect(done).toEqual(['redis', 'lock']);
  expect(failures).toEqual([broken, broken]);
});
