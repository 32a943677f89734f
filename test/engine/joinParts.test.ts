/** However batches are dealt out to parts, the list that they make is the same bytes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildSnapshot, type IndexEntity } from '#engine';
import { syntheticEntities } from '../../bench/names.ts';
import { snapshotOf } from '../../src/engine/buildSnapshot.ts';
import { EntityPacker } from '../../src/engine/packedEntities.ts';
import { PartBuilder } from '../../src/engine/partBuilder.ts';

const entities = syntheticEntities(600);
// Names that give no form, and such that bytes cannot hold, at the edges of batches and within.
const odd = entities.map((entity, at): IndexEntity => {
  if (at % 7 === 0) return { ...entity, names: ['…', ...entity.names, '\ud800Ölaf', ''] };
  return at % 11 === 0 ? { ...entity, names: ['--'], datesOfBirth: [] } : entity;
});

/** Batches of these sizes in turn, each given to the part that is named beside its size. */
function dealtOut(all: readonly IndexEntity[], deals: readonly (readonly [number, number])[]) {
  const packer = new EntityPacker();
  const parts = [0, 1, 2].map(() => new PartBuilder());
  let number = 0;
  for (let at = 0; at < all.length; number++) {
    const [size, part] = deals[number % deals.length] ?? [1, 0];
    for (const entity of all.slice(at, at + size)) packer.add(entity);
    parts[part]?.add(packer.take(), number);
    at += size;
  }
  return Buffer.from(snapshotOf(parts.map((part) => part.finish())));
}

describe('parts of a list', () => {
  test('make the snapshot of the list, however batches were dealt out', () => {
    const whole = Buffer.from(buildSnapshot(odd));
    const deal = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 2 }));
    fc.assert(
      fc.property(fc.array(deal, { minLength: 1, maxLength: 9 }), (deals) => {
        expect(dealtOut(odd, deals).equals(whole)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  test('without a batch are an empty list', () => {
    const none = snapshotOf([new PartBuilder().finish(), new PartBuilder().finish()]);
    expect(Buffer.from(none).equals(Buffer.from(buildSnapshot([])))).toBe(true);
  });
});
