/** A snapshot that threads build, however many, is the one that is built here. */
import { describe, expect, test } from 'vitest';
import { buildSnapshot, buildSnapshotAside, type IndexEntity } from '#engine';
import { syntheticEntities } from '../../bench/names.ts';

const entities = syntheticEntities(2_500);
const asideFrom = 50;
const threadUrl = new URL('./dyingBuildThread.ts', import.meta.url);

async function* batchesOf(all: readonly IndexEntity[], size = 70) {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

describe('a snapshot built aside', () => {
  test.each([0, 3, 49, 50, 2_500])('of %i entities is the same bytes', async (count) => {
    const some = entities.slice(0, count);
    const aside = Buffer.from(await buildSnapshotAside(batchesOf(some)));
    expect(aside.equals(Buffer.from(buildSnapshot(some)))).toBe(true);
  });

  test.each([2, 3])('in %i threads is the same bytes', async (threadsMax) => {
    const options = { asideFrom, entitiesPerThread: 1, threadsMax };
    const aside = Buffer.from(await buildSnapshotAside(batchesOf(entities), options));
    expect(aside.equals(Buffer.from(buildSnapshot(entities)))).toBe(true);
  });

  test('ids out of order are refused there as here', async () => {
    const turned = [...entities.slice(0, 100), ...entities.slice(0, 1)];
    await expect(buildSnapshotAside(batchesOf(turned), { asideFrom })).rejects.toThrow(
      'expected ids ascending',
    );
  });

  test('a thread that dies fails the building', async () => {
    await expect(buildSnapshotAside(batchesOf(entities), { asideFrom, threadUrl })).rejects.toThrow(
      'thread ended: 3',
    );
  });

  test('entities that cannot be read on end the thread', async () => {
    async function* broken() {
      yield* batchesOf(entities);
      throw new Error('EIO');
    }
    await expect(buildSnapshotAside(broken(), { asideFrom })).rejects.toThrow('EIO');
  });
});
