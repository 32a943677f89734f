/** Sorted and distinct, as a set that is sorted. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortedOnce } from '../../../src/sources/ofac/sortedOnce.ts';

test('few values and many come sorted, each once', () => {
  const text = fc.string({ maxLength: 2, unit: fc.constantFrom('a', 'B', 'é', '\u{1F600}') });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 30 }), (values) => {
      expect(sortedOnce([...values])).toEqual([...new Set(values)].sort());
    }),
  );
});
