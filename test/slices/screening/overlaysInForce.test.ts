/** Versions that are overlays come into force over the snapshot that is in memory already. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { buildOverlay, buildSnapshot, createEngine, type LoadedIndex } from '#engine';
import { sha256Hex } from '#platform/crypto';
import type { ListSource, ListVersion } from '#slices/lists';
import { LoadedLists } from '#slices/screening';
import { entity, SETTINGS } from '../../engine/fixtures.ts';
import { TRUSTED } from '../lists/trustedVersions.ts';

const engine = createEngine({ queueMax: 10, threads: 0 });
afterAll(() => engine.close());

const named = (id: string, name: string) => entity({ id, names: [name] });
const base = buildSnapshot([named('a', 'Zorbandule Kelvorth'), named('b', 'Quellmar Ostrevani')]);
const withoutA = buildOverlay({ base, removed: ['a'], changed: [] });
const withC = buildOverlay({ base, removed: [], changed: [named('c', 'Belmuro Tashkandir')] });
const other = buildSnapshot([named('d', 'Imvalor Drestin')]);

describe('LoadedLists with overlays', () => {
  const blobs = new Map<string, SharedArrayBuffer>();
  let reads: string[] = [];
  let counter = 0;
  let active: ListVersion | undefined;
  let lists: LoadedLists<LoadedIndex>;
  const failed: unknown[] = [];

  const store = (bytes: SharedArrayBuffer): string => {
    const address = sha256Hex(Buffer.from(new Uint8Array(bytes)));
    blobs.set(address, bytes);
    return address;
  };

  beforeEach(() => {
    reads = [];
    failed.length = 0;
    lists = new LoadedLists<LoadedIndex>({
      signed: TRUSTED,
      blobs: {
        getShared: (address, allocate = (size) => new SharedArrayBuffer(size)) => {
          reads.push(address);
          const bytes = new Uint8Array(blobs.get(address) ?? new SharedArrayBuffer(0));
          const buffer = allocate(bytes.length);
          new Uint8Array(buffer).set(bytes);
          return Promise.resolve(buffer);
        },
      },
      lists: {
        listSources: () =>
          Promise.resolve([{ sourceId: 'DEMO', ...(active && { active }) } as ListSource]),
        publicationCounter: () => Promise.resolve(counter),
      },
      allocate: (bytes) => engine.allocate(bytes),
      load: (base, overlay) => engine.loadInSteps(base, overlay),
      onFailed: (_, error) => failed.push(error),
    });
    return () => lists.close();
  });

  async function publish(snapshot: SharedArrayBuffer, overlay?: SharedArrayBuffer): Promise<void> {
    counter += 1;
    active = {
      sourceId: 'DEMO',
      listVersion: `v${counter}`,
      snapshotBlob: store(snapshot),
      ...(overlay && { overlayBlob: store(overlay) }),
    } as unknown as ListVersion;
    await lists.refresh();
  }

  async function found(): Promise<string[]> {
    const query = { name: 'kelvorth ostrevani belmuro', transliterations: [] };
    const indexes = lists.current().lists.map(({ index }) => index);
    const ask = { query, indexes, settings: SETTINGS, deadlineMs: 10_000 };
    return (await engine.screen(ask)).candidates.map(({ id }) => id).toSorted();
  }

  test('each overlay is screened with its base, which is read and held once', async () => {
    await publish(base);
    expect(await found()).toEqual(['a', 'b']);
    await publish(base, withoutA);
    expect(await found()).toEqual(['b']);
    await publish(base, withC);
    expect(await found()).toEqual(['a', 'b', 'c']);
    expect(reads.filter((address) => address === store(base))).toHaveLength(1);
    expect(engine.bytesHeld).toBeLessThan(base.byteLength + withC.byteLength);
    await publish(base);
    expect(engine.bytesHeld).toBe(base.byteLength);
  });

  test('a base that no version stands on is let go', async () => {
    await publish(base, withC);
    await publish(other);
    expect(engine.bytesHeld).toBe(other.byteLength);
    await publish(base);
    expect(reads.filter((address) => address === store(base))).toHaveLength(2);
  });

  test('a process that starts with an overlay reads both', async () => {
    await publish(base, withoutA);
    expect(await found()).toEqual(['b']);
    expect(reads).toHaveLength(2);
  });

  test('an overlay of another base leaves the former version in force', async () => {
    await publish(base, withC);
    await publish(other, withC);
    expect(String(failed[0])).toMatch(/overlay of another snapshot/);
    expect(await found()).toEqual(['a', 'b', 'c']);
  });
});
