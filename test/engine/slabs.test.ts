/** Texts of a build: laid end to end in few large arrays, which go with the last text of each. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { IndexEntity } from '#engine';
import { snapshotOf } from '../../src/engine/buildSnapshot.ts';
import { EntityPacker } from '../../src/engine/packedEntities.ts';
import { PartBuilder } from '../../src/engine/partBuilder.ts';
import { Slabs } from '../../src/engine/slabs.ts';
import { openSnapshot } from '../../src/engine/snapshotFormat.ts';
import { buffersOfPart, type SnapshotPart } from '../../src/engine/snapshotPart.ts';
import { entity } from './fixtures.ts';

describe('slabs', () => {
  test('keep every text as it was given, whatever becomes of that', () => {
    const text = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      // Some are longer than a slab.
      fc.integer({ min: 20_000, max: 90_000 }).map((size) => new Uint8Array(size).fill(size)),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
        const slabs = new Slabs();
        const given = texts.map((bytes) => bytes.slice());
        const kept = given.map((bytes) => slabs.keep(bytes));
        for (const bytes of given) bytes.fill(0xee);
        expect(kept.every((bytes, at) => Buffer.compare(bytes, texts[at] ?? bytes) === 0)).toBe(
          true,
        );
      }),
      { numRuns: 100 },
    );
  });

  test('are few, and of the bytes that they hold not much larger', () => {
    const slabs = new Slabs();
    const kept = Array.from({ length: 5_000 }, () => slabs.keep(new Uint8Array(300)));
    const buffers = new Set(kept.map(({ buffer }) => buffer));
    const bytes = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(buffers.size).toBeLessThan(8);
    expect(bytes).toBeLessThan(2 * 5_000 * 300 + 64 * 1024);
  });
});

describe('a part whose texts fill several slabs', () => {
  const ENTITIES = 3_000;
  const cardOf = (at: number): string => `card ${at} ${'c'.repeat(at % 300)}`;
  const nameOf = (at: number): string => `Name ${at} ${'n'.repeat(at % 100)}`;
  const entities = Array.from(
    { length: ENTITIES },
    (_, at): IndexEntity =>
      entity({ card: cardOf(at), id: String(at).padStart(60, '0'), names: [nameOf(at)] }),
  );

  /** In batches of which many share a slab. */
  function partOf(all: readonly IndexEntity[]): SnapshotPart {
    const packer = new EntityPacker();
    const builder = new PartBuilder();
    for (let at = 0; at < all.length; at += 50) {
      for (const own of all.slice(at, at + 50)) packer.add(own);
      builder.add(packer.take(), at / 50);
    }
    return builder.finish();
  }

  test('is written whole, and nothing of it stays', () => {
    const part = partOf(entities);
    const kinds = (['cards', 'ids', 'names'] as const).map((kind) =>
      part.batches.map((batch) => batch[kind].buffer),
    );
    for (const buffers of kinds) {
      expect(new Set(buffers).size).toBeGreaterThan(2);
      expect(new Set(buffers).size).toBeLessThan(part.batches.length / 2);
    }
    const snapshot = openSnapshot(snapshotOf([part]));
    const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
    const all = entities.map((_, at) => at);
    expect(textOf(snapshot.cardBytes)).toBe(all.map(cardOf).join(''));
    expect(textOf(snapshot.nameBytes)).toBe(all.map(nameOf).join(''));
    expect(textOf(snapshot.idBytes)).toBe(entities.map(({ id }) => id).join(''));
    const left = kinds.flat().filter(({ byteLength }) => byteLength > 0);
    expect(left).toHaveLength(0);
  });

  test('goes to another thread slab by slab, each once', () => {
    const part = partOf(entities);
    const buffers = buffersOfPart(part);
    expect(new Set(buffers).size).toBe(buffers.length);
    const sent = structuredClone(part, { transfer: buffers });
    expect(part.batches.every(({ cards }) => cards.length === 0)).toBe(true);
    expect(
      Buffer.from(snapshotOf([sent])).equals(Buffer.from(snapshotOf([partOf(entities)]))),
    ).toBe(true);
  });
});
