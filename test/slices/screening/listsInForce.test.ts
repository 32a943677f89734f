/** Publications come into force by a swap; what cannot be loaded is never silently left out. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ListSource, ListVersion } from '#slices/lists';
import { LoadedLists } from '#slices/screening';
import { TRUSTED } from '../lists/trustedVersions.ts';
import { openRealLists, type RealLists } from './loadedLists.ts';

const FIRST = { names: ['Zorbandule Kelvorth'], source: 'DEMO' };
const SECOND = { names: ['Quellmar Ostrevani'], source: 'DEMO' };
const OTHER = { names: ['Belmuro Tashkandir'], source: 'BCT_TN' };
const SOON = { interval: 10, timeout: 10_000 };

describe('LoadedLists', () => {
  let real: RealLists;
  let started: ReturnType<RealLists['start']>;
  beforeAll(async () => {
    real = await openRealLists();
  });
  beforeEach(() => {
    started = real.start();
  });
  afterEach(() => started.lists.close());
  afterAll(() => real.close());

  const state = () => started.lists.current();
  const refresh = () => started.lists.refresh();
  const inForce = () => state().lists.map(({ version }) => version);
  const sources = () => inForce().map(({ sourceId }) => sourceId as string);
  const indexes = () => state().lists.map(({ index }) => index);

  test('nothing is in force before the first publication', async () => {
    await refresh();
    expect(state()).toEqual({ lists: [], unloaded: [] });
  });

  test('what is published is in force after a refresh, ordered by source', async () => {
    const demo = await real.publish(FIRST);
    const other = await real.publish(OTHER);
    await refresh();
    expect(inForce()).toEqual([other, demo]);
    expect(started.swapped).toEqual([`BCT_TN ${other.listVersion}`, `DEMO ${demo.listVersion}`]);
    expect(await real.find('Zorbandule Kelvorth', indexes())).toBe('Zorbandule Kelvorth');
  });

  test('a new version is another state; who holds the former one sees no mix', async () => {
    await real.publish(FIRST);
    await refresh();
    const held = state();
    const before = [...held.lists];
    const next = await real.publish(SECOND);
    await refresh();
    expect(state()).not.toBe(held);
    expect(held.lists).toEqual(before);
    expect(inForce()[1]).toEqual(next);
    expect(await real.find('Quellmar Ostrevani', indexes())).toBe('Quellmar Ostrevani');
    expect(await real.find('Zorbandule Kelvorth', indexes())).toBeUndefined();
  });

  test('the former index is released, the one that did not change is kept', async () => {
    await real.publish(FIRST);
    await refresh();
    const [other, former] = indexes();
    await real.publish(SECOND);
    await refresh();
    expect(indexes()[0]).toBe(other);
    expect(started.swapped).toHaveLength(3);
    const released = former === undefined ? [] : [former];
    await expect(real.find('Zorbandule Kelvorth', released)).rejects.toThrow('index was released');
  });

  test('a query that runs while its index is replaced is answered from it', async () => {
    await real.publish(FIRST);
    await refresh();
    const running = real.find('Zorbandule Kelvorth', indexes());
    await real.publish(SECOND);
    await refresh();
    expect(await running).toBe('Zorbandule Kelvorth');
  });

  test('without a publication nothing is loaded and the state stays the same', async () => {
    await refresh();
    const held = state();
    await refresh();
    expect(state()).toBe(held);
    expect(started.swapped).toHaveLength(2);
  });

  test('refreshes at once are one', async () => {
    await Promise.all(Array.from({ length: 5 }, refresh));
    expect(started.swapped).toHaveLength(2);
  });

  test('a version that cannot be loaded leaves the former one, and is tried again', async () => {
    const former = await real.publish(FIRST);
    await refresh();
    const next = await real.publish(SECOND);
    await real.hide(next);
    await refresh();
    await refresh();
    expect(inForce()[1]).toEqual(former);
    expect(state().unloaded).toEqual([]);
    expect(started.failed).toEqual(['DEMO', 'DEMO']);
    expect(await real.find('Zorbandule Kelvorth', indexes())).toBe('Zorbandule Kelvorth');

    await real.restore(next);
    await refresh();
    expect(inForce()[1]).toEqual(next);
    const swaps = started.swapped.length;
    await refresh();
    expect(started.swapped).toHaveLength(swaps);
  });

  test('a list that was never loaded here is reported until it is', async () => {
    const lost = await real.publish(FIRST);
    await real.hide(lost);
    await refresh();
    expect(sources()).toEqual(['BCT_TN']);
    expect(state().unloaded).toEqual(['DEMO']);
    expect(started.failed).toEqual(['DEMO']);
    const [other] = indexes();

    await real.restore(lost);
    await refresh();
    expect(sources()).toEqual(['BCT_TN', 'DEMO']);
    expect(state().unloaded).toEqual([]);
    expect(indexes()[0]).toBe(other);
  });

  test('a snapshot of other bytes than it is named by is not loaded', async () => {
    const damaged = await real.publish(SECOND);
    await real.damage(damaged);
    await refresh();
    expect(state().unloaded).toEqual(['DEMO']);
    expect(started.failed).toEqual(['DEMO']);
    await real.publish(FIRST);
    await refresh();
    expect(state().unloaded).toEqual([]);
  });

  test('an index of an older format is built anew and loaded, one of a later is not', async () => {
    const version = await real.publish(FIRST);
    await real.setFormat(version, 2);
    await refresh();
    expect(state().unloaded).toEqual(['DEMO']);
    expect(await real.rebuild()).toBe(1);
    await refresh();
    expect(state().unloaded).toEqual([]);
    expect(inForce()[1]?.listDigest).toBe(version.listDigest);
    expect(await real.find('Zorbandule Kelvorth', indexes())).toBe('Zorbandule Kelvorth');
    await real.setFormat(version, 1_000);
    expect(await real.rebuild()).toBe(0);
  });

  test('a publication is seen by polling', async () => {
    await refresh();
    started.lists.startPolling(20);
    const next = await real.publish(SECOND);
    await vi.waitUntil(() => inForce()[1]?.listVersion === next.listVersion, SOON);
    expect(() => started.lists.startPolling(20)).toThrow('polling runs already');
  });

  test('closing releases every list', async () => {
    await refresh();
    const held = indexes();
    await started.lists.close();
    expect(state()).toEqual({ lists: [], unloaded: [] });
    await expect(real.find('Zorbandule Kelvorth', held)).rejects.toThrow('index was released');
  });

  test('closing waits for a refresh under way, and leaves nothing in force', async () => {
    await real.publish({ names: ['Vimandro Castelburg'], source: 'DEMO' });
    const refreshing = refresh();
    await started.lists.close();
    await refreshing;
    expect(state()).toEqual({ lists: [], unloaded: [] });
    await refresh();
    expect(state().lists).toEqual([]);
  });

  test('a store that is gone takes no list away', async () => {
    await real.publish(FIRST);
    await refresh();
    await real.closeStore();
    await expect(refresh()).rejects.toThrow();
    started.lists.startPolling(20);
    await vi.waitUntil(() => started.failed.length > 0, SOON);
    expect(started.failed[0]).toBeUndefined();
    expect(await real.find('Zorbandule Kelvorth', indexes())).toBe('Zorbandule Kelvorth');
  });
});

test('what cannot be loaded is tried less and less often, at once with a publication', async () => {
  let polls = 0;
  let publications = 1;
  /** Polls before each try. */
  const tries: number[] = [];
  const version = { sourceId: 'DEMO', snapshotBlob: 'gone' } as unknown as ListVersion;
  const lists = new LoadedLists({
    signed: TRUSTED,
    blobs: { getShared: async () => undefined },
    lists: {
      listSources: async () => [{ active: version } as ListSource],
      publicationCounter: async () => {
        polls++;
        return publications;
      },
    },
    load: () => ({ release: () => undefined }),
    onFailed: () => void tries.push(polls),
  });
  lists.startPolling(1);
  await vi.waitUntil(() => polls >= 40, SOON);
  expect(tries.length).toBeGreaterThan(2);
  expect(tries.length).toBeLessThan(7);
  const before = tries.length;
  publications++;
  const published = polls;
  await vi.waitUntil(() => tries.length > before, SOON);
  expect((tries[before] ?? 0) - published).toBeLessThan(5);
  await lists.close();
});
