/** Lists in force are resolved when one has moved on, and gateways load what came of it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SourceId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { newSource } from '#slices/ingestion';
import { type ListVersion, listStore, sourceTable, writeBundle } from '#slices/lists';
import {
  type ResolveInForcePorts,
  resolutionStore,
  resolutionTable,
  resolveInForce,
  separateEntries,
} from '#slices/resolution';
import { LoadedLists } from '#slices/screening';
import { MemoryStore, memoryPorts, testSigner } from '../ingestion/memoryPorts.ts';
import { actions } from '../ingestion/release.ts';
import { listEntity } from '../lists/listEntity.ts';
import { TRUSTED } from '../lists/trustedVersions.ts';

const PERSON = { dates_of_birth: ['1970-02-03'], primary_name: 'Ivan Ivanovich Petrov' };

describe('resolveInForce', () => {
  let store: MemoryStore;
  let ports: ResolveInForcePorts;

  beforeEach(() => {
    store = new MemoryStore();
    const { tables } = store.house;
    ports = {
      ...memoryPorts(store),
      lists: { ...listStore(tables), ...resolutionStore(tables) },
      signed: { apart: async () => [], refusal: async () => undefined },
    };
  });
  afterEach(() => {
    const told = store.house.events.filter(({ action }) => action === 'SANCTIONS_LISTS_RESOLVED');
    const blobs = resolutions().map(({ blob }) => blob);
    expect(blobs).toEqual(
      expect.arrayContaining(told.map(({ members }) => `${members.resolution}`)),
    );
  });

  const resolutions = () => store.house.records(resolutionTable);

  async function publish(source: string, content: string, ...entities: object[]): Promise<void> {
    const header = {
      fetched_at: '2026-01-01T00:00:00.000Z',
      kind: 'full' as const,
      list_version: 'v2026-01-01.a',
      source,
    };
    const lines = entities.map((one, index) =>
      Buffer.from(`${canonicalJson(listEntity(`${source}-${index}`, one))}\n`),
    );
    const { address } = await memoryBlobs().put(writeBundle(header, lines, testSigner));
    const active = {
      bundleBlob: address,
      contentDigest: content,
      entityCount: entities.length,
      listDigest: content,
      publishedAt: 0 as EpochMs,
      snapshotBlob: address,
      sourceId: source as SourceId,
    } as ListVersion;
    store.house.seed(sourceTable, { ...newSource(source), active });
  }
  const memoryBlobs = () => memoryPorts(store).blobs;

  async function loaded() {
    const lists = new LoadedLists({
      signed: TRUSTED,
      blobs: memoryBlobs(),
      lists: { ...ports.lists, publicationCounter: async () => resolutions().length },
      load: () => ({ release: () => {} }),
    });
    await lists.refresh();
    const { clusters } = lists.current();
    const clusterOf = (source: string) =>
      clusters?.find({ ftm_id: `${source}-0`, source })?.cluster;
    return { clusterOf, clusters };
  }

  test('one list alone needs none', async () => {
    await publish('UN_SC', 'one', PERSON);
    expect(await resolveInForce(ports)).toEqual({ links: 0, status: 'current' });
    expect((await loaded()).clusters).toBeUndefined();
  });

  test('two lists of one person are linked, once', async () => {
    await publish('UN_SC', 'one', PERSON);
    await publish('EU_CFSP', 'two', PERSON);
    expect(await resolveInForce(ports)).toEqual({ links: 1, status: 'resolved' });
    expect(await resolveInForce(ports)).toEqual({ links: 0, status: 'current' });
    const { clusterOf, clusters } = await loaded();
    expect(clusterOf('UN_SC')).toBe(0);
    expect(clusterOf('EU_CFSP')).toBe(0);
    expect(clusters?.digest).toBe(resolutions()[0]?.blob);
  });

  test('a list that moves on is alone until it is resolved again', async () => {
    await publish('UN_SC', 'one', PERSON);
    await publish('EU_CFSP', 'two', PERSON);
    await resolveInForce(ports);
    await publish('EU_CFSP', 'three', PERSON);
    expect((await loaded()).clusterOf('UN_SC')).toBeUndefined();
    expect((await resolveInForce(ports)).status).toBe('resolved');
    expect((await loaded()).clusterOf('UN_SC')).toBe(0);
    expect(resolutions().map(({ version }) => version)).toEqual([1, 2]);
  });

  test('invented entities resolve to nobody', async () => {
    await publish('UN_SC', 'one', PERSON);
    await publish('DEMO', 'two', PERSON);
    expect(await resolveInForce(ports)).toEqual({ links: 0, status: 'current' });
  });

  test('of two workers at once the second is overtaken', async () => {
    await publish('UN_SC', 'one', PERSON);
    await publish('EU_CFSP', 'two', PERSON);
    const other = { blob: 'another worker’s', lists: [], version: 1 };
    store.house.overtake(() => store.house.seed(resolutionTable, other));
    expect(await resolveInForce(ports)).toEqual({ links: 1, status: 'overtaken' });
  });

  describe('a person who takes two entries apart', () => {
    const entry = (source: string) => ({ ftm_id: `${source}-0`, source });
    const ask = (into: 'apart' | 'together', a = 'EU_CFSP', b = 'UN_SC') =>
      separateEntries(
        { ...ports, blobs: memoryBlobs() },
        {
          a: entry(a),
          actor: 'cli:me',
          b: entry(b),
          into,
          reason: 'Two brothers',
        },
      );

    beforeEach(async () => {
      for (const source of ['UN_SC', 'EU_CFSP', 'HMT_OFSI']) await publish(source, source, PERSON);
    });

    test('has two hits from then on, over later releases too, until it is taken back', async () => {
      expect(await ask('apart')).toEqual([{ a: entry('EU_CFSP'), b: entry('UN_SC') }]);
      const split = await loaded();
      expect(split.clusterOf('EU_CFSP')).not.toBe(split.clusterOf('UN_SC'));
      await publish('UN_SC', 'next', PERSON);
      expect((await resolveInForce(ports)).status).toBe('resolved');
      const later = await loaded();
      expect(later.clusterOf('EU_CFSP')).not.toBe(later.clusterOf('UN_SC'));
      // Whichever is named first.
      expect(await ask('together', 'UN_SC', 'EU_CFSP')).toEqual([]);
      const again = await loaded();
      expect(again.clusterOf('EU_CFSP')).toBe(again.clusterOf('UN_SC'));
      expect(actions(store).filter((action) => action !== 'SANCTIONS_LISTS_RESOLVED')).toEqual([
        'SANCTIONS_ENTRIES_SEPARATED',
        'SANCTIONS_ENTRIES_REJOINED',
      ]);
    });

    test('does not bring them together through a third', async () => {
      await ask('apart');
      const { clusterOf } = await loaded();
      const clusters = ['EU_CFSP', 'HMT_OFSI', 'UN_SC'].map(clusterOf);
      expect(clusters.filter((one) => one === clusterOf('HMT_OFSI')).length).toBeLessThan(3);
      expect(clusterOf('EU_CFSP') === clusterOf('UN_SC')).toBe(false);
    });

    test.each([
      ['apart', 'EU_CFSP', 'OFAC_SDN'],
      ['together', 'EU_CFSP', 'UN_SC'],
    ] as const)('is refused where there is nothing to do: %s %s %s', async (into, a, b) => {
      await expect(ask(into, a, b)).rejects.toMatchObject({ code: 'state-conflict' });
      expect(actions(store)).toEqual(['SANCTIONS_LISTS_RESOLVED']);
    });
  });

  test('a resolution that cannot be read leaves the lists as they are', async () => {
    await publish('UN_SC', 'one', PERSON);
    await publish('EU_CFSP', 'two', PERSON);
    await resolveInForce(ports);
    store.blobs.delete(resolutions()[0]?.blob ?? '');
    expect((await loaded()).clusters).toBeUndefined();
  });

  test('a bundle that is gone changes nothing', async () => {
    await publish('UN_SC', 'one', PERSON);
    await publish('EU_CFSP', 'two', PERSON);
    store.blobs.clear();
    await expect(resolveInForce(ports)).rejects.toThrow('bundle');
    expect(resolutions()).toEqual([]);
  });
});
