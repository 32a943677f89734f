/** What became of an entry over the versions of its list. */
import { expect, test } from 'vitest';
import { entryHistory, type ListEntity, type ListVersion, VersionEntries } from '#slices/lists';
import { MemoryStore, memoryBlobs } from '../ingestion/memoryPorts.ts';
import { release, source } from '../ingestion/release.ts';
import { listEntity } from './listEntity.ts';

const filler = Array.from({ length: 8 }, (_, at) => listEntity(`z-${at}`));
const odd = 'a"b\\c';

/** Publishes one version after another; answers them, the latest first. */
async function published(steps: readonly (readonly ListEntity[])[]) {
  const store = new MemoryStore();
  const versions: ListVersion[] = [];
  for (const entities of steps) {
    await release(store, { entities: [...filler, ...entities] });
    versions.unshift(source(store).active as ListVersion);
  }
  return { blobs: memoryBlobs(store.blobs), store, versions };
}

const historyIn = async (
  { blobs, versions }: Awaited<ReturnType<typeof published>>,
  id: string,
  isWhole = true,
) => {
  const entries = new VersionEntries({ blobs });
  return entryHistory(blobs, entries, { id, isWhole, versions });
};

const entity = (members: Partial<ListEntity> = {}) => listEntity(odd, members);

test('changes are told latest first, with the members that differ', async () => {
  const made = await published([
    [],
    [entity()],
    [entity(), listEntity('other')],
    [entity({ akas: ['B'], programmes: ['X'] })],
    [],
    [entity({ akas: ['B'] })],
  ]);
  expect(await historyIn(made, odd)).toEqual({
    changes: [
      { at: 0, change: 'added' },
      { at: 1, change: 'removed' },
      { at: 2, change: 'updated', members: ['akas', 'programmes'] },
      { at: 4, change: 'added' },
    ],
    looked: 6,
  });
});

test('what the first version has it added, where it is known to be the first', async () => {
  const made = await published([[entity()]]);
  expect(await historyIn(made, odd)).toEqual({ changes: [{ at: 0, change: 'added' }], looked: 1 });
  expect(await historyIn(made, odd, false)).toEqual({ changes: [], looked: 0 });
  expect(await historyIn(made, 'nobody')).toEqual({ changes: [], looked: 1 });
});

test('a version that does not keep its changes ends it', async () => {
  const other = listEntity('other');
  const made = await published([
    [entity()],
    [entity({ akas: ['A'] }), other],
    [entity({ akas: ['B'] }), other],
  ]);
  made.store.blobs.delete(made.versions[1]?.changesBlob ?? '');
  expect(await historyIn(made, odd)).toEqual({
    changes: [{ at: 0, change: 'updated', members: ['akas'] }],
    looked: 1,
  });
});

test('members of the latest three changes are compared', async () => {
  const names = ['A', 'B', 'C', 'D', 'E', 'F'];
  const { changes } = await historyIn(
    await published(names.map((name) => [entity({ akas: [name] })])),
    odd,
  );
  expect(changes.map(({ members }) => members?.join())).toEqual([
    'akas',
    'akas',
    'akas',
    undefined,
    undefined,
    undefined,
  ]);
});

test('another form of the same is no change', async () => {
  const made = await published([
    [entity({ properties: { programs: ['X'] } })],
    [entity({ programmes: ['X'], properties: {} })],
    [entity({ akas: ['B'], programmes: ['X'], properties: {} })],
  ]);
  expect((await historyIn(made, odd)).changes).toEqual([
    { at: 0, change: 'updated', members: ['akas'] },
    { at: 2, change: 'added' },
  ]);
});
