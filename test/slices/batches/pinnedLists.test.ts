/** What a batch screens against: its own versions, and of them what its mode seeks. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { namedBlobs, ORPHAN_AGE_MS, sweepBlobs } from '#core/blobs';
import type { EpochMs } from '#platform/clock';
import type { Batch } from '#slices/batches';
import { changesBetween, type ListVersion } from '#slices/lists';
import { TABLES } from '../../../src/app/tables.ts';
import { importAlias } from '../ingestion/realImport.ts';
import { type Entities, type Lists, openLists } from './pinned.ts';

const NAMES = [
  'Zorbandule Kelvorth',
  'Quellmar Ostrevani',
  'Belmuro Tashkandir',
  'Vimandro Castelburg',
  'Ostrelin Varbukov',
  'Hantiqua Derossimel',
] as const;
const IDS = ['a', 'b', 'c', 'd', 'e'] as const;

let lists: Lists;
beforeAll(async () => {
  lists = await openLists();
});
afterAll(() => lists.close());

const full = (batch: Batch): Batch => ({
  ...batch,
  listsPinned: (batch.listsPinned ?? []).map(({ since: _, ...list }) => list),
  mode: 'full',
});

describe('the modes', () => {
  const release: fc.Arbitrary<Entities> = fc
    .dictionary(fc.constantFrom(...IDS), fc.constantFrom(...NAMES), { maxKeys: 5, minKeys: 1 })
    .map((found) => ({ always: 'Somebody Unrelated', ...found }));

  test('find what full finds and the batch before did not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(release, { maxLength: 3, minLength: 2 }), async (releases) => {
        const [old, ...later] = releases;
        assert(old !== undefined);
        await lists.publish('DEMO', old);
        const base = await lists.start('full');
        const before = await lists.found(base, NAMES);
        for (const entities of later) await lists.publish('DEMO', entities);
        const ask = { baseBatchId: base.batchId };
        const delta = await lists.start('delta', ask);
        const listsdelta = await lists.start('listsdelta', ask);
        const now = await lists.found(full(delta), NAMES);

        const { added, touched } = follow(old, later);
        const among = (ids: ReadonlySet<string>) => (hit: string) =>
          ids.has(hit.split('/')[1] ?? '');
        const foundByDelta = await lists.found(delta, NAMES);
        expect(foundByDelta).toEqual(now.filter(among(touched)));
        const kept = before.filter((hit) => !among(touched)(hit) && now.includes(hit));
        expect(now).toEqual([...kept, ...foundByDelta].sort());
        expect(await lists.found(listsdelta, NAMES)).toEqual(now.filter(among(added)));
      }),
      { numRuns: 10 },
    );
  });

  test('newlist finds what full finds in the new list alone', async () => {
    const base = await lists.start('full', { lists: ['DEMO'] });
    await lists.publish('BCT_TN', { n: NAMES[0], o: 'Somebody Else' });
    const batch = await lists.start('newlist', { baseBatchId: base.batchId });
    const all = await lists.found(await lists.start('full'), NAMES);
    expect(await lists.found(batch, NAMES)).toEqual(all.filter((hit) => hit.startsWith('BCT_TN')));
    expect(await lists.found(batch, NAMES)).toEqual(['BCT_TN/n']);
  });

  test('a list in which nothing is new is left out, and finds nothing', async () => {
    const base = await lists.start('full');
    const batch = await lists.start('delta', { baseBatchId: base.batchId });
    expect(await lists.found(batch, NAMES)).toEqual([]);
    const held = await lists.open().acquire(batch);
    expect(held.lists).toEqual([]);
  });
});

/** What the releases did after the first one, told by themselves. */
function follow(old: Entities, later: readonly Entities[]) {
  const added = new Set<string>();
  const touched = new Set<string>();
  let former = old;
  for (const next of later) {
    for (const id of Object.keys(former)) if (!(id in next)) added.delete(id);
    for (const [id, name] of Object.entries(next)) {
      if (!(id in former)) added.add(id);
      if (former[id] !== name) touched.add(id);
    }
    former = next;
  }
  return { added, touched };
}

describe('changes between two versions', () => {
  test('are the same by the sum of the changes and by comparing the lines', async () => {
    const steps: readonly Entities[] = [
      { a: NAMES[0], b: NAMES[1], c: NAMES[2], d: NAMES[3] },
      { a: NAMES[0], b: NAMES[4], d: NAMES[3], f: NAMES[5] },
      { a: NAMES[0], b: NAMES[4], c: NAMES[2], e: NAMES[5] },
    ];
    const versions: ListVersion[] = [];
    for (const entities of steps) versions.push(await lists.publish('EU_CFSP', entities));
    const [from, , to] = versions;
    assert(from !== undefined && to !== undefined);
    const { installation, signed } = lists;
    const { blobs } = installation;
    const expected = { b: 'updated', c: 'added', e: 'added' };
    const summed = await changesBetween({ blobs, signed }, { from, to });
    expect(Object.fromEntries(summed)).toEqual(expected);

    const forgetful = { changesSince: async () => [undefined] };
    const compared = await changesBetween({ blobs, signed: forgetful }, { from, to });
    expect(Object.fromEntries(compared)).toEqual(expected);
    const none = await changesBetween({ blobs, signed: forgetful }, { from: to, to });
    expect(none.size).toBe(0);
  });
});

describe('a version that is kept as a delta, with an overlay for its index', () => {
  let own: Lists;
  beforeAll(async () => {
    own = await openLists();
  });
  afterAll(() => own.close());

  test('is screened whole by full, and its changes alone by delta', async () => {
    await importAlias(own.installation, 'Zorbandule Kelvorth');
    const base = await own.start('full');
    const { version } = await importAlias(own.installation, 'Quellmar Ostrevani', {
      kind: 'delta',
    });
    expect([version.overlayBlob, version.bundleBase]).not.toContain(undefined);
    const batch = await own.start('delta', { baseBatchId: base.batchId });
    const changed = Array.from({ length: 20 }, (_, at) => `DEMO/e${`${at + 1}`.padStart(4, '0')}`);
    expect(await own.found(batch, ['Quellmar Ostrevani'])).toEqual(changed);
    expect(await own.found(full(batch), ['Quellmar Ostrevani'])).toEqual(changed);
    expect(await own.found(batch, ['Zorbandule Kelvorth'])).toEqual([]);
    expect(await own.found(full(batch), ['Zorbandule Kelvorth'])).toHaveLength(50);
    const added = await own.start('listsdelta', { baseBatchId: base.batchId });
    expect(await own.found(added, ['Quellmar Ostrevani'])).toEqual([]);
  });
});

describe('a pinned version', () => {
  const ask = { lists: ['UN'] };

  test('of two publications ago is what it was, after what nobody names was removed', async () => {
    await lists.publish('UN_SC', { u: NAMES[0] });
    const batch = await lists.start('full', ask);
    await lists.publish('UN_SC', { u: NAMES[1] });
    await lists.publish('UN_SC', { v: NAMES[2] });
    const { blobs, clock, config, storage } = lists.installation;
    const orphan = await blobs.put(Buffer.from('nobody names this'));
    const { removedBlobs } = await sweepBlobs({
      blobs,
      clock: { now: () => (clock.now() + 2 * ORPHAN_AGE_MS) as EpochMs },
      named: namedBlobs(storage.tables, TABLES),
      spoolDirectory: `${config.dataDir}/spool`,
    });
    expect(removedBlobs).toBeGreaterThan(0);
    expect(await blobs.has(orphan.address)).toBe(false);
    expect(await lists.found(batch, NAMES)).toEqual(['UN_SC/u']);
    expect(await lists.found(batch, [NAMES[1], NAMES[2]])).toEqual([]);
  });

  test('is loaded once for all that screen it, and again only after it was let go', async () => {
    const [one, other] = [await lists.start('full', ask), await lists.start('full', ask)];
    const pinned = lists.open({ idleBytesMax: 0 });
    const loads = lists.loads.length;
    const [held, same] = await Promise.all([pinned.acquire(one), pinned.acquire(other)]);
    expect(same.lists[0]?.index).toBe(held.lists[0]?.index);
    expect(lists.loads.length - loads).toBe(1);
    held.release();
    held.release();
    same.release();
    const again = await pinned.acquire(one);
    expect(again.lists[0]?.index).toBe(held.lists[0]?.index);
    again.release();
    pinned.close();
    const fresh = await pinned.acquire(one);
    expect(fresh.lists[0]?.index).not.toBe(held.lists[0]?.index);
    fresh.release();
  });

  test('whose index is lost is built from its bundle; without that it is unavailable', async () => {
    const version = await lists.publish('HMT_OFSI', { h: NAMES[0] });
    const batch = await lists.start('full', { lists: ['HMT'] });
    await lists.lose(version.snapshotBlob);
    expect(await lists.found(batch, NAMES)).toEqual(['HMT_OFSI/h']);
    await lists.lose(version.bundleBlob);
    await expect(lists.open().acquire(batch)).rejects.toMatchObject({
      code: 'list-unavailable',
      message: expect.stringContaining(`HMT_OFSI ${version.listVersion}`),
    });
  });

  test('that the store does not know is unavailable, as is a resolution that is gone', async () => {
    const batch = await lists.start('full', ask);
    const unknown = (batch.listsPinned ?? []).map((list) => ({ ...list, list_digest: '0' }));
    const acquire = (of: Batch) => lists.open().acquire(of);
    await expect(acquire({ ...batch, listsPinned: unknown })).rejects.toMatchObject({
      code: 'list-unavailable',
    });
    await expect(acquire({ ...batch, resolution: '0'.repeat(64) })).rejects.toMatchObject({
      code: 'list-unavailable',
    });
  });
});
