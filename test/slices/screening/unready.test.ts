/** Why a gateway cannot screen, as /readyz tells it. */
import { expect, test } from 'vitest';
import { unready } from '../../../src/slices/screening/edge/operations.ts';

test('it can with a list, and not without one or with one that did not load', () => {
  expect(unready({ lists: [{}], unloaded: [] })).toBeUndefined();
  expect(unready({ lists: [], unloaded: [] })).toBe('no list is loaded');
  expect(unready({ lists: [{}], unloaded: ['UN'] })).toBe('published and not loaded: UN');
});
