/** The first run of a release that writes entities in another form than the one before it. */
import { expect, test } from 'vitest';
import { readChanges } from '#slices/lists';
import { listEntity } from '../lists/listEntity.ts';
import { MemoryStore, memoryBlobs } from './memoryPorts.ts';
import { entitiesOf, release, source } from './release.ts';

const ids = Array.from({ length: 30 }, (_, at) => `e-${String(at).padStart(2, '0')}`);
const before = ids.map((id) => listEntity(id, { properties: { programs: ['SDGT'] } }));
const now = ids.map((id) => listEntity(id, { programmes: ['SDGT'], properties: {} }));

test('the same file makes a version in which nothing was updated, and says why', async () => {
  const store = new MemoryStore();
  const first = await release(store, { entities: before });
  const { counts, notes, status, version } = await release(store, { entities: now });
  expect(status).toBe('success');
  expect(counts).toMatchObject({ added: 0, entities: 30, removed: 0, updated: 0 });
  expect(notes).toMatchObject({ 'entity-in-new-form': 30 });
  expect(version.contentDigest).not.toBe(first.version.contentDigest);
  expect(version.listDigest).toBe(first.version.listDigest);
  expect((await entitiesOf(store))[0]?.programmes).toEqual(['SDGT']);
  // A batch that screens what is new since then has nothing to screen.
  const changes = await readChanges(
    memoryBlobs(store.blobs),
    source(store).active?.changesBlob ?? '',
  );
  expect(changes?.filter(({ op }) => op !== 'seen')).toEqual([]);
});

test('the run after it is skipped, and real changes are counted beside the form', async () => {
  const store = new MemoryStore();
  await release(store, { entities: before });
  const changed = now.map((one, at) => (at === 3 ? { ...one, akas: ['Other'] } : one));
  const { counts, notes } = await release(store, { entities: changed });
  expect(counts).toMatchObject({ updated: 1 });
  expect(notes).toMatchObject({ 'entity-in-new-form': 29 });
  const again = await release(store, { entities: changed });
  expect(again.status).toBe('skipped');
  expect(again.notes).not.toHaveProperty('entity-in-new-form');
});
