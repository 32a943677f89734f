/** A map of numbers, compared with the language's Map. */
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

test('keys whose halves are made to cancel out are as quick as any', () => {
  const map = new NumberMap();
  const cancelled = (at: number) => at * 2 ** 32 + ((at ^ 0x5bd1e995) >>> 0);
  for (let at = 0; at < 100_000; at++) map.set(cancelled(at), at);
  for (let at = 0; at < 100_000; at += 7) expect(map.get(cancelled(at))).toBe(at);
}, 5_000);

test('keys that are made to want one slot are damage', () => {
  const colliding = Array.from({ length: 3_000 }, (_, high) => keyAtOne(high));
  expect(colliding.every(Number.isSafeInteger)).toBe(true);
  expect(new Set(colliding).size).toBe(3_000);
  const map = new NumberMap();
  const setAll = () => {
    for (const at of colliding) map.set(at, 1);
  };
  expect(setAll).toThrow(expect.objectContaining({ code: 'list-damaged' }));
});

/** The key of this high half that the map mixes to 1 before its last step: its mix, backwards. */
function keyAtOne(high: number): number {
  const mixedHigh = Math.imul(high, 0x85ebca6b);
  const low = 1 - (mixedHigh ^ (mixedHigh >>> 13));
  return high * 2 ** 32 + (Math.imul(low ^ (low >>> 15) ^ (low >>> 30), 0x0e8b2f51) >>> 0);
}
