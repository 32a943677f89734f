/** Versions that are kept as a delta: the same version as one that was written whole. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { IndexRebuild } from '#slices/ingestion';
import {
  type ListVersion,
  putWholeBundle,
  readBundleLines,
  readDeltaBundle,
  sourceTable,
} from '#slices/lists';
import { listEntity } from '../lists/listEntity.ts';
import { TRUSTED } from '../lists/trustedVersions.ts';
import {
  entitiesIn,
  type MemoryStore,
  memoryBlobs,
  memoryPorts,
  testSigner,
} from './memoryPorts.ts';
import { source } from './release.ts';
import { akas, keyOf, many, Twins, textOf } from './twinLists.ts';

async function indexedIn(store: MemoryStore, version: ListVersion) {
  const blobs = memoryBlobs(store.blobs);
  const snapshot = await blobs.getShared(version.snapshotBlob);
  const overlay = await blobs.getShared(version.overlayBlob ?? '');
  return snapshot && entitiesIn(snapshot, overlay);
}

describe('a version that is kept as a delta', () => {
  let twins: Twins;

  beforeEach(async () => {
    twins = new Twins();
    await twins.release({ entities: many(100), kind: 'full' });
  });

  /** Byte by byte what the other store has. */
  async function expectSame(): Promise<void> {
    const { small, whole } = twins;
    const mine = twins.active();
    const theirs = source(whole).active as ListVersion;
    const named = ({ bundleBase: _b, bundleBlob: _a, linesBlob: _l, ...rest }: ListVersion) => ({
      ...rest,
      publishedAt: 0,
      runId: '',
    });
    expect(named(mine)).toEqual(named(theirs));
    expect(await textOf(small, mine)).toEqual(await textOf(whole, theirs));
    expect(await indexedIn(small, mine)).toEqual(await indexedIn(whole, theirs));
  }

  test('names its base, holds what differs from it, and is the same version', async () => {
    const base = twins.active();
    expect(base.linesBlob).toBeDefined();
    const step = {
      entities: [akas('e005', 'Five'), listEntity('new'), akas('a","b', 'Odd'), listEntity('e007')],
      removed: ['e001', 'back\\slash\\', 'nobody'],
      releaseDate: '2026-02-01',
    };
    const { small, whole } = await twins.release(step);
    expect(small.counts).toEqual(whole.counts);
    expect(small.notes).toEqual(whole.notes);
    await expectSame();
    const { bundleBase, bundleBlob } = twins.active();
    expect(bundleBase).toEqual({ bundleBlob: base.bundleBlob, linesBlob: base.linesBlob });
    const { changes, header } = readDeltaBundle(
      twins.small.blobs.get(bundleBlob) ?? Buffer.of(),
      keyOf,
    );
    expect(header).toMatchObject({
      base: base.bundleBlob,
      content_digest: small.version.contentDigest,
      entity_count: 106,
      list_digest: small.version.listDigest,
      list_version: 'v2026-02-01.a',
    });
    expect([...changes].map(([id, line]) => `${line ? '+' : '-'}${id}`)).toEqual([
      '+a","b',
      '-back\\slash\\',
      '-e001',
      '+e005',
      '+e007',
      '+new',
    ]);
    const published = twins.small.commits.at(-1)?.events.at(-1);
    expect(published).toMatchObject({ members: { bundle_base: base.bundleBlob } });
  });

  test('stands on the whole bundle, never on another delta', async () => {
    const { bundleBlob } = twins.active();
    await twins.release({ entities: [akas('e005', 'Five'), listEntity('x')], removed: ['e001'] });
    await twins.release({ entities: [listEntity('e001'), akas('e006', 'Six')], removed: ['x'] });
    await expectSame();
    expect(twins.active().bundleBase?.bundleBlob).toBe(bundleBlob);
  });

  test('given out is the whole signed bundle, as it would have been written', async () => {
    await twins.release({ entities: [akas('e005', 'Five'), listEntity('zz')], removed: ['e001'] });
    const blobs = memoryBlobs(twins.small.blobs);
    const put = await putWholeBundle(twins.active(), { blobs, signer: testSigner });
    expect(put.address).toBe(source(twins.whole).active?.bundleBlob);
    let count = 0;
    const pieces = await blobs.open(put.address);
    if (!pieces) throw new Error('no bundle');
    for await (const lines of readBundleLines(pieces, { keyOf })) count += lines.length;
    expect(count).toBe(107);
  });

  test('is whole again where a tenth has changed, and the next ones stand on that', async () => {
    const changed = (from: number) =>
      many(100)
        .slice(from, from + 6)
        .map(({ ftm_id }) => akas(ftm_id, 'C'));
    await twins.release({ entities: changed(0) });
    expect(twins.active().bundleBase).toBeDefined();
    await twins.release({ entities: changed(10) });
    const whole = twins.active();
    expect(whole.bundleBase).toBeUndefined();
    expect(whole.linesBlob).toBeDefined();
    await twins.release({ entities: changed(20) });
    expect(twins.active().bundleBase?.bundleBlob).toBe(whole.bundleBlob);
    await expectSame();
  });

  test('of the same content again is skipped, by a delta and by a full list', async () => {
    await twins.release({ entities: [akas('e005', 'Five')] });
    const again = await twins.release({ entities: [akas('e005', 'Five')] });
    expect(again.small.status).toBe('skipped');
    const all = many(100).map((one) => (one.ftm_id === 'e005' ? akas('e005', 'Five') : one));
    const full = await twins.release({ entities: all, kind: 'full' });
    expect(full.small.status).toBe('skipped');
  });

  test('is followed by a full list as any other is', async () => {
    await twins.release({ entities: [akas('e005', 'Five')], releaseDate: '2026-02-01' });
    const full = { entities: many(103), kind: 'full' as const, releaseDate: '2026-03-01' };
    const { small, whole } = await twins.release(full);
    expect(small.counts).toEqual(whole.counts);
    await expectSame();
    expect(twins.active().bundleBase).toBeUndefined();
  });

  test('after an overlay that is older than its base reads the rest from the base', async () => {
    await twins.release({ entities: [akas('e003', 'Three'), ...many(100).slice(4)], kind: 'full' });
    const base = twins.active();
    expect([base.overlayBlob, base.linesBlob]).not.toContain(undefined);
    await twins.release({ entities: [akas('e050', 'Fifty')] });
    expect(twins.active().bundleBase?.bundleBlob).toBe(base.bundleBlob);
    await expectSame();
  });

  test('whose index is lost is indexed from the base and the delta', async () => {
    await twins.release({ entities: [akas('e005', 'Five')], removed: ['e001'] });
    const before = await indexedIn(twins.small, twins.active());
    twins.small.blobs.delete(twins.active().overlayBlob ?? '');
    const ports = memoryPorts(twins.small);
    const rebuild = new IndexRebuild({
      ...ports,
      isLaterFormat: async () => false,
      lists: { ...ports.lists, listSources: async () => [source(twins.small)] },
      onBeyondRepair: () => undefined,
      onRebuilt: () => undefined,
      signed: TRUSTED,
    });
    expect(await rebuild.run()).toBe(1);
    expect(await indexedIn(twins.small, twins.active())).toEqual(before);
    await twins.release({ entities: [akas('e006', 'Six')] });
    expect(await textOf(twins.small, twins.active())).toEqual(
      await textOf(twins.whole, source(twins.whole).active as ListVersion),
    );
  });

  test.each([...Array(8).keys()])(
    'is what the whole one is, whatever the deltas say: %#',
    async (seed) => {
      const ids = [...many(30).map(({ ftm_id }) => ftm_id), 'n1', 'n2', 'n3'];
      const some = fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 4 });
      const steps = fc.array(
        fc.record({ aka: fc.integer({ max: 3, min: 0 }), named: some, removed: some }),
        {
          maxLength: 4,
          minLength: 2,
        },
      );
      const [sampled] = fc.sample(steps, { numRuns: 1, seed });
      for (const { aka, named, removed } of sampled ?? []) {
        const entities = named.map((id) => akas(id, ...(aka === 0 ? [] : [`Aka ${aka}`])));
        const { small, whole } = await twins.release({ entities, removed });
        expect(small.counts).toEqual(whole.counts);
        await expectSame();
      }
    },
  );
});

describe('a version of an earlier release', () => {
  let twins: Twins;

  beforeEach(async () => {
    twins = new Twins();
    await twins.release({ entities: many(100), kind: 'full' });
    const { linesBlob: _, ...active } = twins.active();
    const former = { ...active, contentDigest: 'over the text itself' };
    twins.small.house.seed(sourceTable, { ...source(twins.small), active: former });
  });

  test('is in force already where nothing differs from it, though its digest does', async () => {
    for (const kind of ['full', 'delta'] as const) {
      const { small } = await twins.release({ entities: many(100), kind });
      expect([small.status, small.version.contentDigest]).toEqual([
        'skipped',
        'over the text itself',
      ]);
    }
  });

  test('is changed by a whole bundle first, and by deltas upon that', async () => {
    await twins.release({ entities: [akas('e005', 'Five')] });
    const whole = twins.active();
    expect([whole.bundleBase, whole.bundleBlob]).toEqual([
      undefined,
      source(twins.whole).active?.bundleBlob,
    ]);
    await twins.release({ entities: [akas('e006', 'Six')] });
    expect(twins.active().bundleBase?.bundleBlob).toBe(whole.bundleBlob);
  });
});
