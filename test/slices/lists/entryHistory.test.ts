/** What became of an entry over the versions of its list. */
import { expect, test } from 'vitest';
import {
  entryHistory,
  type HistoryAsk,
  historyInPieces,
  type ListEntity,
  type ListVersion,
  PIECE_VERSIONS,
  VersionEntries,
} from '#slices/lists';
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
  return historyInPieces((ask) => entryHistory(blobs, entries, ask), { id, isWhole, versions });
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

test('a long one is read in pieces, as if it were one', async () => {
  const steps = Array.from({ length: 2 * PIECE_VERSIONS + 3 }, (_, at) => [
    entity({ akas: [`A${Math.floor(at / 4)}`] }),
    listEntity(`n-${at}`),
  ]);
  const made = await published(steps);
  const asked: HistoryAsk[] = [];
  const read = (ask: HistoryAsk) => {
    asked.push(ask);
    return entryHistory(made.blobs, new VersionEntries({ blobs: made.blobs }), ask);
  };
  const ask = { id: odd, isWhole: true, versions: made.versions };
  const found = await historyInPieces(read, ask);
  const whole = await entryHistory(made.blobs, new VersionEntries({ blobs: made.blobs }), ask);
  expect(found).toEqual({ changes: whole.changes, looked: made.versions.length });
  expect(found.changes.filter(({ members }) => members !== undefined)).toHaveLength(3);
  expect(found.changes.at(-1)).toEqual({ at: steps.length - 1, change: 'added' });
  const lengths = asked.map(({ versions }) => versions.length);
  expect(lengths).toEqual([PIECE_VERSIONS + 1, PIECE_VERSIONS + 1, 3]);
});

test('it ends where it has read enough, and says how far it went', async () => {
  const made = await published([[entity()], [], [entity()], [], [entity()]]);
  const ask = { bytesMax: 1, id: odd, isWhole: true, versions: made.versions };
  const entries = new VersionEntries({ blobs: made.blobs });
  expect(await entryHistory(made.blobs, entries, ask)).toMatchObject({
    changes: [{ at: 0, change: 'added' }],
    looked: 1,
  });
});

test('a change is found wherever the blob is cut', async () => {
  const made = await published([[entity()], []]);
  const [latest] = made.versions;
  for (const bytes of [1, 3, 7]) {
    const blobs = {
      ...made.blobs,
      open: async (address: string) => {
        const all = await made.blobs.get(address);
        return all && cut(all, bytes);
      },
    };
    const ask = { id: odd, isWhole: false, versions: latest ? [latest] : [] };
    const { changes } = await entryHistory(blobs, new VersionEntries({ blobs }), ask);
    expect(changes).toEqual([{ at: 0, change: 'removed' }]);
  }
});

async function* cut(all: Uint8Array, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}
