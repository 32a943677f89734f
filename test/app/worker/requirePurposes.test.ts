/** Jobs and their purposes (customers.md 5.4): one that names none does not start. */
import { expect, test } from 'vitest';
import { PURPOSES } from '#core/privacy';
import { loadJobs } from '../../../src/app/worker/jobs.ts';
import { requirePurposes } from '../../../src/app/worker/requirePurposes.ts';

test('a job without a purpose does not start, and is named', () => {
  const one = { name: 'cases', part: { purposes: { known: 'screening' } } } as const;
  expect(requirePurposes(one, [{ name: 'known' }])).toHaveLength(1);
  expect(() => requirePurposes(one, [{ name: 'new' }])).toThrow(/cases.*purpose of new/);
  expect(() => requirePurposes(one, [{ name: 'toString' }])).toThrow();
});

test('every part of a worker names purposes that there are', async () => {
  for (const { name, part } of await loadJobs()) {
    const { purposes, start } = part;
    if (start !== undefined) expect([name, purposes.start]).not.toEqual([name, undefined]);
    for (const purpose of Object.values(purposes)) {
      expect([name, [...Object.keys(PURPOSES), 'none']]).toEqual([
        name,
        expect.arrayContaining([purpose]),
      ]);
    }
  }
});
