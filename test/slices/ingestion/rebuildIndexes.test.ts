/** Indexes in force that cannot be loaded are built anew from their bundles, and nothing else. */
import { beforeEach, describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { IndexRebuild, type RebuildPorts } from '#slices/ingestion';
import { type ListVersion, listStore, sourceTable, versionTable } from '#slices/lists';
import { listEntity } from '../lists/listEntity.ts';
import { TRUSTED } from '../lists/trustedVersions.ts';
import { buildOverlay, entitiesIn, MemoryStore, memoryPorts } from './memoryPorts.ts';
import { actions, release, source } from './release.ts';

const OLD = 'an index of an older release';
const LATER = 'an index of a later release';

describe('an index in force', () => {
  let store: MemoryStore;
  let published: ListVersion;
  let reads: string[];
  let beyondRepair: string[];

  beforeEach(async () => {
    store = new MemoryStore();
    reads = [];
    beyondRepair = [];
    const entities = [listEntity('a'), listEntity('b')];
    published = (await release(store, { entities })).version;
  });

  const active = () => source(store).active as ListVersion;
  const put = (address: string, text: string) => store.blobs.set(address, Buffer.from(text));

  function rebuildOf(replaced: Partial<RebuildPorts> = {}): IndexRebuild {
    const ports = memoryPorts(store);
    const { getShared } = ports.blobs;
    return new IndexRebuild({
      ...ports,
      blobs: {
        ...ports.blobs,
        getShared: (address) => {
          reads.push(address);
          return getShared(address);
        },
      },
      isLaterFormat: async (bytes) => Buffer.from(new Uint8Array(bytes)).toString() === LATER,
      lists: listStore(store.house.tables),
      onBeyondRepair: ({ listVersion }) => void beyondRepair.push(listVersion),
      onRebuilt: () => undefined,
      signed: TRUSTED,
      ...replaced,
    });
  }

  test('that can be loaded is looked at once and left alone', async () => {
    const before = source(store);
    const rebuild = rebuildOf();
    expect(await rebuild.run()).toBe(0);
    expect(await rebuild.run()).toBe(0);
    expect(reads).toEqual([published.snapshotBlob]);
    expect(source(store)).toEqual(before);
  });

  test.each([
    ['of an older format', () => put(published.snapshotBlob, OLD)],
    ['that is gone', () => store.blobs.delete(published.snapshotBlob)],
    ['with an entity less', () => put(published.snapshotBlob, '[]')],
  ])('%s is built from the bundle; the list stays what it was', async (_what, lose) => {
    lose();
    expect(await rebuildOf().run()).toBe(1);
    const { snapshotBlob, ...rest } = active();
    const { snapshotBlob: former, ...before } = published;
    expect(rest).toEqual(before);
    const bytes = store.blobs.get(snapshotBlob) ?? Buffer.of();
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    expect(entitiesIn(shared, undefined).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(store.house.records(versionTable)).toEqual([published]);
    expect(store.commits.at(-1)).toMatchObject({
      bus: [{ payload: { entityCount: 2, source: 'DEMO' }, topic: 'sanctions.list.reindexed' }],
      events: [
        {
          action: 'SANCTIONS_INDEX_REBUILT',
          members: {
            bundle: published.bundleBlob,
            content_digest: published.contentDigest,
            former_snapshot: former,
            list_digest: published.listDigest,
            list_version: published.listVersion,
            severity: 'NOTICE',
            snapshot: snapshotBlob,
            target: 'DEMO',
          },
        },
      ],
    });
  });

  test('that was an overlay becomes a snapshot of all', async () => {
    const entities = Array.from({ length: 30 }, (_, index) => listEntity(`e${index + 10}`));
    const options = { ports: { buildOverlay } };
    await release(store, { entities, ...options });
    const next = [...entities, listEntity('new')];
    const { version } = await release(store, { entities: next, ...options });
    expect(version.overlayBlob).toBeDefined();
    put(version.overlayBlob ?? '', OLD);
    expect(await rebuildOf().run()).toBe(1);
    expect(active()).toMatchObject({ entityCount: 31, listVersion: version.listVersion });
    expect(active().overlayBlob).toBeUndefined();
  });

  test('of a later release is left to its own workers', async () => {
    put(published.snapshotBlob, LATER);
    expect(await rebuildOf().run()).toBe(0);
    expect(active()).toEqual(published);
  });

  test('without its bundle is told once, and costs no look more', async () => {
    store.blobs.delete(published.bundleBlob);
    put(published.snapshotBlob, OLD);
    const rebuild = rebuildOf();
    expect(await rebuild.run()).toBe(0);
    expect(await rebuild.run()).toBe(0);
    expect(beyondRepair).toEqual([published.listVersion]);
    expect(active()).toEqual(published);
  });

  test('is tried again after a failure of the store', async () => {
    put(published.snapshotBlob, OLD);
    let isDown = true;
    const { buildSnapshot } = memoryPorts(store);
    const rebuild = rebuildOf({
      buildSnapshot: async (batches) => {
        if (isDown) throw new DomainError('store-unavailable');
        return buildSnapshot(batches);
      },
    });
    await expect(rebuild.run()).rejects.toThrow('store');
    isDown = false;
    expect(await rebuild.run()).toBe(1);
  });

  test('that a run replaces meanwhile stays replaced', async () => {
    put(published.snapshotBlob, OLD);
    const { buildSnapshot } = memoryPorts(store);
    const rebuild = rebuildOf({
      buildSnapshot: async (batches) => {
        const built = await buildSnapshot(batches);
        await release(store, { entities: [listEntity('c')], releaseDate: '2026-02-03' });
        return built;
      },
    });
    expect(await rebuild.run()).toBe(0);
    expect(active().listVersion).toBe('v2026-02-03.a');
    expect(actions(store)).not.toContain('SANCTIONS_INDEX_REBUILT');
  });

  test('is rebuilt although a person changes the source meanwhile', async () => {
    put(published.snapshotBlob, OLD);
    const ports = memoryPorts(store);
    let isFirst = true;
    const rebuild = rebuildOf({
      commit: async (chain, commit) => {
        const before = source(store);
        if (isFirst) store.house.seed(sourceTable, { ...before, enabled: true, version: 99 });
        isFirst = false;
        return ports.commit(chain, commit);
      },
    });
    expect(await rebuild.run()).toBe(1);
    expect(source(store)).toMatchObject({ enabled: true, version: 100 });
  });
});
