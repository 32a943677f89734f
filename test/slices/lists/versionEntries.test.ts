/** Entries by their ids, of versions that are stored in any way. */
import { describe, expect, test } from 'vitest';
import type { BlobStore } from '#core/blobs';
import { type ListVersion, VersionEntries } from '#slices/lists';
import { type MemoryStore, memoryBlobs } from '../ingestion/memoryPorts.ts';
import { release, source } from '../ingestion/release.ts';
import { akas, many, Twins } from '../ingestion/twinLists.ts';
import { listEntity } from './listEntity.ts';

const entriesOf = (store: MemoryStore, more: Partial<BlobStore> = {}) =>
  new VersionEntries({ blobs: { ...memoryBlobs(store.blobs), ...more } });

async function namesOf(entries: VersionEntries, version: ListVersion, ids: readonly string[]) {
  const found = await entries.entities(version, ids);
  return found.map((entity) => entity && [entity.ftm_id, ...entity.akas]);
}

describe('a version', () => {
  test('that is whole and small gives entries in the order of the ids', async () => {
    const twins = new Twins();
    await twins.release({ entities: many(30), kind: 'full' });
    const entries = entriesOf(twins.whole);
    const version = source(twins.whole).active as ListVersion;
    const ids = ['e007', 'nobody', 'e001', 'e007'];
    expect(await namesOf(entries, version, ids)).toEqual([['e007'], undefined, ['e001'], ['e007']]);
    expect(await entries.facts(version, [])).toEqual([]);
    await entries.close();
  });

  test('with a table of its lines, and a delta upon it', async () => {
    const twins = new Twins();
    await twins.release({ entities: many(100), kind: 'full' });
    const base = twins.active();
    expect(base.linesBlob).toBeDefined();
    await twins.release({
      entities: [akas('e005', 'Five'), listEntity('new')],
      removed: ['e001'],
      releaseDate: '2026-02-01',
    });
    const delta = twins.active();
    expect(delta.bundleBase).toBeDefined();
    const entries = entriesOf(twins.small);
    const ids = ['e001', 'e005', 'e006', 'new'];
    expect(await namesOf(entries, base, ids)).toEqual([['e001'], ['e005'], ['e006'], undefined]);
    expect(await namesOf(entries, delta, ids)).toEqual([
      undefined,
      ['e005', 'Five'],
      ['e006'],
      ['new'],
    ]);
    await entries.close();
  });

  test('whose record names another table of lines is refused', async () => {
    const twins = new Twins();
    await twins.release({ entities: many(100), kind: 'full' });
    const former = twins.active();
    await twins.release({ entities: [...many(99), akas('e099', 'X')], kind: 'full' });
    const { bundleBlob, linesBlob, ...version } = twins.active();
    expect(linesBlob).not.toBe(former.linesBlob);
    const forged = { ...version, bundleBlob: former.bundleBlob, linesBlob: former.linesBlob ?? '' };
    const entries = entriesOf(twins.small);
    await expect(entries.entities(forged, ['e007'])).rejects.toMatchObject({
      code: 'list-damaged',
    });
    expect(bundleBlob).not.toBe(former.bundleBlob);
  });

  test('that is gone is damaged, and readable once it is back', async () => {
    const twins = new Twins();
    await twins.release({ entities: many(30), kind: 'full' });
    const version = source(twins.whole).active as ListVersion;
    const { blobs } = twins.whole;
    const bytes = blobs.get(version.bundleBlob) ?? Buffer.of();
    blobs.delete(version.bundleBlob);
    const entries = entriesOf(twins.whole);
    await expect(entries.entities(version, ['e007'])).rejects.toMatchObject({
      code: 'list-damaged',
    });
    blobs.set(version.bundleBlob, bytes);
    expect(await namesOf(entries, version, ['e007'])).toEqual([['e007']]);
  });

  test('whose line was altered after its table was made is damaged', async () => {
    const { store, version } = await oneVersion();
    const entries = entriesOf(store);
    expect(await namesOf(entries, version, ['b'])).toEqual([['b']]);
    const bytes = store.blobs.get(version.bundleBlob) as Uint8Array;
    const at = Buffer.from(bytes).indexOf('Name of b');
    bytes.set(Buffer.from('Game of b'), at);
    await expect(entries.entities(version, ['b'])).rejects.toMatchObject({ code: 'list-damaged' });
    expect(await namesOf(entries, version, ['a'])).toEqual([['a']]);
  });
});

async function oneVersion() {
  const twins = new Twins();
  const store = twins.whole;
  await release(store, { entities: [listEntity('a'), listEntity('b')] });
  return { store, version: source(store).active as ListVersion };
}

test('the versions used last are kept, and files closed once nobody reads', async () => {
  const store = new Twins().whole;
  const versions: ListVersion[] = [];
  for (let at = 0; at < 20; at++) {
    await release(store, { entities: [akas('a', `Name ${at}`)] });
    versions.push(source(store).active as ListVersion);
  }
  let open = 0;
  const { openRanges } = memoryBlobs(store.blobs);
  const entries = entriesOf(store, {
    openRanges: async (address) => {
      const ranges = await openRanges(address);
      if (ranges === undefined) return undefined;
      open++;
      return {
        close: async () => {
          open--;
          await ranges.close();
        },
        read: (start, bytes) => ranges.read(start, bytes),
      };
    },
  });
  const all = await Promise.all(versions.map((version) => namesOf(entries, version, ['a'])));
  expect(all.flat().map((names) => names?.[1])).toEqual(versions.map((_, at) => `Name ${at}`));
  expect(open).toBeLessThanOrEqual(16);
  await entries.close();
  expect(open).toBe(0);
});
