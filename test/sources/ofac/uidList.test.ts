/** uids as numbers and as texts, against a Set and an array. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UidList } from '../../../src/sources/ofac/uidList.ts';

const uid = fc.oneof(
  fc.nat({ max: 5_000 }).map(String),
  fc.constantFrom('', '0', '00', '007', '7', '-1', '1e3', '999999999', '1000000000', 'x'),
);

test('a uid is added once, and stands where it was added', () => {
  fc.assert(
    fc.property(fc.array(uid, { maxLength: 4_000, size: 'max' }), (uids) => {
      const list = new UidList();
      const known = new Set<string>();
      for (const one of uids) {
        expect(list.add(one)).toBe(!known.has(one));
        known.add(one);
        expect(list.size).toBe(known.size);
      }
      expect([...known].map((_, position) => list.at(position))).toEqual([...known]);
    }),
    { numRuns: 30 },
  );
});
