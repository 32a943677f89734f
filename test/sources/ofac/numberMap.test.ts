/** A map of numbers, held to the one of the language. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NumberMap } from '../../../src/sources/ofac/numberMap.ts';

const key = fc.oneof(
  fc.nat(50),
  fc.nat(),
  fc.maxSafeNat(),
  fc.nat(50).map((low) => 2 ** 32 * 3 + low),
);

test('answers as a Map does, whatever was set and how often', () => {
  const sets = fc.array(fc.tuple(key, fc.integer({ max: 2 ** 32 - 2, min: 0 })), {
    maxLength: 3_000,
  });
  fc.assert(
    fc.property(sets, fc.array(key), (pairs, others) => {
      const [ours, theirs] = [new NumberMap(), new Map<number, number>()];
      for (const [at, value] of pairs) {
        ours.set(at, value);
        theirs.set(at, value);
      }
      for (const at of [...theirs.keys(), ...others]) {
        expect(ours.get(at)).toBe(theirs.get(at));
        expect(ours.has(at)).toBe(theirs.has(at));
      }
    }),
    { numRuns: 50 },
  );
});

test('grows over many of its first size', () => {
  const map = new NumberMap();
  for (let at = 0; at < 100_000; at++) map.set(at * 7, at);
  for (let at = 0; at < 100_000; at++) expect(map.get(at * 7)).toBe(at);
  expect(map.get(1)).toBeUndefined();
});
