/** Trees of keys: each place has its own, and what was destroyed cannot be computed any more. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LeafSeeds, seedAt, type TreeSeed, withoutSeed } from '#core/blobs';

const DEPTH = 6;
const PLACES = 2 ** DEPTH;
const at = (index: number) => ({ depth: DEPTH, index });
const whole = (): readonly TreeSeed[] => [{ depth: 0, index: 0, seed: randomBytes(32) }];
const all = (kept: readonly TreeSeed[]) =>
  Array.from({ length: PLACES }, (_, index) => seedAt(kept, at(index))?.toString('hex'));

test('every place has a seed of its own', () => {
  expect(new Set(all(whole())).size).toBe(PLACES);
});

test('leaves in their order, or in any, are those of the tree', () => {
  const kept = whole();
  const leaves = new LeafSeeds(kept[0]?.seed ?? randomBytes(32), DEPTH);
  const hex = (index: number) => leaves.at(index).toString('hex');
  expect(Array.from({ length: PLACES }, (_, index) => hex(index))).toEqual(all(kept));
  for (const index of [63, 0, 31, 32, 5]) expect(hex(index)).toBe(all(kept)[index]);
});

test('what is destroyed is gone, and everything else stays', () => {
  const indexes = fc.array(fc.nat(PLACES - 1), { maxLength: PLACES });
  fc.assert(
    fc.property(indexes, (destroyed) => {
      const kept = whole();
      const before = all(kept);
      const after = all(destroyed.map(at).reduce(withoutSeed, kept));
      expect(after).toEqual(
        before.map((seed, index) => (destroyed.includes(index) ? undefined : seed)),
      );
    }),
  );
});

test('a node goes with all that is below it, and no seed above what is gone is kept', () => {
  const kept = withoutSeed(whole(), { depth: 2, index: 1 });
  expect(all(kept).map((seed) => seed === undefined)).toEqual(
    Array.from({ length: PLACES }, (_, index) => index >= 16 && index < 32),
  );
  expect(kept.map(({ depth, index }) => `${depth}/${index}`).sort()).toEqual(['1/1', '2/0']);
  expect(withoutSeed(kept, { depth: 0, index: 0 })).toEqual([]);
});
