/** What lists demand of their tables: sources, versions, the counter that gateways poll. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SourceId, TableChange } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  type ListSource,
  type ListVersion,
  listStore,
  sourceTable,
  versionChanges,
} from '#slices/lists';
import { resolutionStore, resolutionTable } from '#slices/resolution';
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

const put = (source: ListSource, expected: number) => sourceTable.put(source, expected);

export function listStoreContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: ListStore`, () => {
    let harness: StoreHarness;
    let storage: Storage;
    let lists: ReturnType<typeof listStore> & ReturnType<typeof resolutionStore>;

    beforeEach(async () => {
      harness = await makeHarness();
      storage = await harness.open();
      lists = { ...listStore(storage.tables), ...resolutionStore(storage.tables) };
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });
    const change = async (...changes: TableChange[]) => (await append(storage, { changes })).result;
    /** As an import does it: the version on record, and in force. */
    const publish = async (list: ListVersion, expected: number) => {
      const source = (await lists.findSource(list.sourceId)) ?? makeSource(list.sourceId, 0);
      const next = { ...source, active: list, version: expected + 1 };
      return change(...(await versionChanges(lists, list)), put(next, expected));
    };

    test('a source reads back as it was put, and sources are listed by id', async () => {
      await change(put(makeSource(OFAC, 1), 0), put(makeSource(DEMO, 1), 0));
      expect(await lists.findSource(OFAC)).toStrictEqual(makeSource(OFAC, 1));
      expect(await lists.findSource('X' as SourceId)).toBeUndefined();
      const ids = (await lists.listSources()).map(({ sourceId }) => sourceId);
      expect(ids).toEqual([DEMO, OFAC]);
    });

    test('a publication puts its version in force and moves the counter', async () => {
      const before = await lists.publicationCounter();
      expect((await publish(makeVersion(OFAC, 'a'), 0)).kind).toBe('appended');
      const source = await lists.findSource(OFAC);
      expect(source).toEqual({ ...makeSource(OFAC, 1), active: makeVersion(OFAC, 'a') });
      expect(await lists.publicationCounter()).toBeGreaterThan(before);
    });

    test('a source that changes without a publication leaves the counter', async () => {
      await publish(makeVersion(OFAC, 'a'), 0);
      const before = await lists.publicationCounter();
      const source = await lists.findSource(OFAC);
      if (source === undefined) throw new Error('no source');
      await change(put({ ...source, lastStatus: 'skipped', version: 2 }, 1));
      expect(await lists.publicationCounter()).toBe(before);
      expect((await lists.findSource(OFAC))?.active).toEqual(makeVersion(OFAC, 'a'));
    });

    test('resolutions are appended, the latest one counts, and the counter moves', async () => {
      const resolve = (version: number, blob: string) =>
        change(resolutionTable.insert({ blob, lists: [['OFAC_SDN', 'aa', 'bb']], version }));
      expect(await lists.findResolution()).toBeUndefined();
      const before = await lists.publicationCounter();
      await resolve(1, 'first');
      expect(await lists.publicationCounter()).toBeGreaterThan(before);
      expect((await resolve(1, 'other')).kind).toBe('stale');
      for (let version = 2; version <= 11; version++) await resolve(version, `${version}`);
      expect(await lists.findResolution()).toEqual({
        blob: '11',
        lists: [['OFAC_SDN', 'aa', 'bb']],
        version: 11,
      });
    });

    test('a publication from an old version is stale and leaves no version', async () => {
      await publish(makeVersion(OFAC, 'a'), 0);
      expect(await publish(makeVersion(OFAC, 'b'), 0)).toEqual({ kind: 'stale', changeIndex: 1 });
      expect(await lists.listVersions({ sourceId: OFAC, limit: 10 })).toHaveLength(1);
      expect((await publish(makeVersion(DEMO, 'a'), 1)).kind).toBe('stale');
    });

    test('a label stands for one content; a version may come into force again', async () => {
      const [a, b] = [makeVersion(OFAC, 'a'), makeVersion(OFAC, 'b')];
      await publish(a, 0);
      await publish(b, 1);
      const forged = { ...b, listVersion: a.listVersion };
      expect(await publish(forged, 2)).toEqual({ kind: 'stale', changeIndex: 0 });
      expect((await publish(a, 2)).kind).toBe('appended');
      expect((await lists.findSource(OFAC))?.active).toEqual(a);
      expect(await lists.listVersions({ sourceId: OFAC, limit: 10 })).toHaveLength(2);
    });

    test('the same content may be published again with other blobs, which then count', async () => {
      const a = makeVersion(OFAC, 'a');
      const again = { ...a, listVersion: 'v2026-01-02.b', snapshotBlob: 'cc'.repeat(32) };
      await publish(a, 0);
      expect((await publish(again, 1)).kind).toBe('appended');
      expect((await lists.findSource(OFAC))?.active).toEqual(again);
      expect(await lists.findVersion(a)).toStrictEqual(a);
      expect(await lists.findVersion(again)).toStrictEqual(again);
    });

    test('every version stays, and they are listed in the order of publication', async () => {
      // The labels are in another order.
      const [a, b, c] = ['b', 'c', 'a'].map((letter) => makeVersion(OFAC, letter));
      if (a === undefined || b === undefined || c === undefined) throw new Error();
      for (const [index, version] of [a, b, c].entries()) await publish(version, index);
      await publish(makeVersion(DEMO, 'a'), 0);
      expect(await lists.findVersion(a)).toStrictEqual(a);
      expect(await lists.findVersion({ ...a, sourceId: 'X' as SourceId })).toBeUndefined();
      expect(await lists.findVersion({ ...a, listVersion: 'x' })).toBeUndefined();
      expect(await lists.listVersions({ sourceId: OFAC, limit: 10 })).toEqual([c, b, a]);
      expect(await lists.listVersions({ sourceId: OFAC, limit: 1 })).toEqual([c]);
      const every: ListVersion[] = [];
      for await (const version of lists.everyVersion(OFAC)) every.push(version);
      expect(every).toStrictEqual([c, b, a]);
    });
  });
}
