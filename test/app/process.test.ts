/** The parts of a process: one of each, but for those that could not be made. */
import { expect, test } from 'vitest';
import { openProcess } from '../../src/app/process.ts';
import type { SliceProcess } from '../../src/slices/processes.ts';

const newProcess = () => openProcess<SliceProcess>({ storage: {} } as never, {}).process;

test('a part is made once', () => {
  const process = newProcess();
  const make = () => ({});
  expect(process.once(make)).toBe(process.once(make));
});

test('a part that could not be made is made anew for who wants it next', async () => {
  const process = newProcess();
  let tries = 0;
  const make = async () => {
    tries += 1;
    if (tries === 1) throw new Error('the engine did not start');
    return tries;
  };
  await expect(process.once(make)).rejects.toThrow('the engine did not start');
  expect(await process.once(make)).toBe(2);
  expect(await process.once(make)).toBe(2);
});
