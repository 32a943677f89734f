/** ListStore: sources, immutable versions, the counter that gateways poll. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Change, SourceId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { ListChange, ListSource, ListVersion } from '#slices/lists';
import type { ResolutionChange } from '#slices/resolution';
import type { Storage } from '../../../src/storage/index.ts';
import { append, at, type MakeHarness, type StoreHarness } from './harness.ts';

const OFAC = 'OFAC_SDN' as SourceId;
const DEMO = 'DEMO' as SourceId;

function makeSource(sourceId: SourceId, version: number): ListSource {
  return {
    sourceId,
    displayName: `List ${sourceId}`,
    kind: 'PUBLIC',
    format: 'XML',
    enabled: false,
    updatedAt: 0 as EpochMs,
    updatedBy: 'system',
    version,
  };
}

function makeVersion(sourceId: SourceId, letter: string): ListVersion {
  return {
    sourceId,
    listVersion: `v2026-01-02.${letter}`,
    listDigest: `list digest ${letter}`,
    contentDigest: `content digest ${letter}`,
    entityCount: 7390,
    nameCount: 18_000,
    publishedAt: at(1_700_000_000_000),
    releaseDate: '2026-01-02',
    bundleBlob: 'aa'.repeat(32),
    snapshotBlob: 'bb'.repeat(32),
  };
}

const put = (source: ListSource, versionExpected: number): ListChange => ({
  kind: 'list.source.put',
  source,
  versionExpected,
});
const publish = (list: ListVersion, versionExpected: number): ListChange => ({
  kind: 'list.publish',
  list,
  versionExpected,
});

export function listStoreContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: ListStore`, () => {
    let harness: StoreHarness;
    let storage: Storage;

    beforeEach(async () => {
      harness = await makeHarness();
      storage = await harness.open();
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });
    const change = async (...changes: Change[]) => (await append(storage, { changes })).result;

    test('a source reads back as it was put, and sources are listed by id', async () => {
      await change(put(makeSource(OFAC, 1), 0), put(makeSource(DEMO, 1), 0));
      expect(await storage.lists.findSource(OFAC)).toStrictEqual(makeSource(OFAC, 1));
      expect(await storage.lists.findSource('X' as SourceId)).toBeUndefined();
      const ids = (await storage.lists.listSources()).map(({ sourceId }) => sourceId);
      expect(ids).toEqual([DEMO, OFAC]);
    });

    test('a publication puts its version in force and moves the counter', async () => {
      const before = await storage.lists.publicationCounter();
      await change(put(makeSource(OFAC, 1), 0), publish(makeVersion(OFAC, 'a'), 1));
      const source = await storage.lists.findSource(OFAC);
      expect(source).toEqual({ ...makeSource(OFAC, 2), active: makeVersion(OFAC, 'a') });
      expect(await storage.lists.publicationCounter()).toBeGreaterThan(before);
    });

    test('a source that changes without a publication leaves the counter', async () => {
      await change(put(makeSource(OFAC, 1), 0), publish(makeVersion(OFAC, 'a'), 1));
      const before = await storage.lists.publicationCounter();
      const source = await storage.lists.findSource(OFAC);
      if (source === undefined) throw new Error('no source');
      await change(put({ ...source, lastStatus: 'skipped', version: 3 }, 2));
      expect(await storage.lists.publicationCounter()).toBe(before);
      expect((await storage.lists.findSource(OFAC))?.active).toEqual(makeVersion(OFAC, 'a'));
    });

    test('resolutions are appended, the latest one counts, and the counter moves', async () => {
      const resolve = (version: number, blob: string): ResolutionChange => ({
        kind: 'list.resolution.put',
        resolution: { blob, lists: [['OFAC_SDN', 'aa', 'bb']], version },
      });
      expect(await storage.lists.findResolution()).toBeUndefined();
      const before = await storage.lists.publicationCounter();
      await change(resolve(1, 'first'));
      expect(await storage.lists.publicationCounter()).toBeGreaterThan(before);
      expect((await change(resolve(1, 'other'))).kind).toBe('stale');
      for (let version = 2; version <= 11; version++) await change(resolve(version, `${version}`));
      expect(await storage.lists.findResolution()).toEqual({
        blob: '11',
        lists: [['OFAC_SDN', 'aa', 'bb']],
        version: 11,
      });
      const page = await storage.lists.listResolutions({ before: 10, limit: 3 });
      expect(page.map(({ version }) => version)).toEqual([9, 8, 7]);
    });

    test('a publication from an old version is stale and leaves no version', async () => {
      await change(put(makeSource(OFAC, 1), 0), publish(makeVersion(OFAC, 'a'), 1));
      const result = await change(publish(makeVersion(OFAC, 'b'), 1));
      expect(result).toEqual({ kind: 'stale', changeIndex: 0 });
      expect(await storage.lists.listVersions({ sourceId: OFAC, limit: 10 })).toHaveLength(1);
      expect((await change(publish(makeVersion(DEMO, 'a'), 0))).kind).toBe('stale');
    });

    test('a label stands for one content; a version may come into force again', async () => {
      const [a, b] = [makeVersion(OFAC, 'a'), makeVersion(OFAC, 'b')];
      await change(put(makeSource(OFAC, 1), 0), publish(a, 1), publish(b, 2));
      const forged = { ...b, listVersion: a.listVersion };
      expect((await change(publish(forged, 3))).kind).toBe('stale');
      expect((await change(publish(a, 3))).kind).toBe('appended');
      expect((await storage.lists.findSource(OFAC))?.active).toEqual(a);
      expect(await storage.lists.listVersions({ sourceId: OFAC, limit: 10 })).toHaveLength(2);
    });

    test('the same content may be published again with other blobs, which then count', async () => {
      const a = makeVersion(OFAC, 'a');
      const again = { ...a, listVersion: 'v2026-01-02.b', snapshotBlob: 'cc'.repeat(32) };
      await change(put(makeSource(OFAC, 1), 0), publish(a, 1));
      expect((await change(publish(again, 2))).kind).toBe('appended');
      expect((await storage.lists.findSource(OFAC))?.active).toEqual(again);
      const { listDigest, contentDigest } = a;
      const ask = { sourceId: OFAC, listDigest, contentDigest };
      expect(await storage.lists.findVersion(ask)).toStrictEqual(again);
    });

    test('every version stays to be found by its digests, latest first in the list', async () => {
      const [a, b] = [makeVersion(OFAC, 'a'), makeVersion(OFAC, 'b')];
      await change(put(makeSource(OFAC, 1), 0), publish(a, 1), publish(b, 2));
      const { listDigest, contentDigest } = a;
      const ask = { sourceId: OFAC, listDigest, contentDigest };
      expect(await storage.lists.findVersion(ask)).toStrictEqual(a);
      expect(await storage.lists.findVersion({ ...ask, sourceId: DEMO })).toBeUndefined();
      expect(await storage.lists.findVersion({ ...ask, contentDigest: 'x' })).toBeUndefined();
      expect(await storage.lists.listVersions({ sourceId: OFAC, limit: 10 })).toEqual([b, a]);
      expect(await storage.lists.listVersions({ sourceId: OFAC, limit: 1 })).toEqual([b]);
      const following = (before: string) =>
        storage.lists.listVersions({ sourceId: OFAC, limit: 10, before });
      expect(await following(b.listVersion)).toEqual([a]);
      expect(await following(a.listVersion)).toEqual([]);
      expect(await following('v1999-01-01.a')).toEqual([]);
    });
  });
}
