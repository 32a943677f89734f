/** Versions that are kept as a delta: the same version as one that was written whole. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { DomainError } from '#domain/kernel';
import {
  IndexRebuild,
  type ListEntity,
  type ListVersion,
  linesInForce,
  putWholeBundle,
  readBundleLines,
  readDeltaBundle,
} from '#domain/lists';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { LineTable } from '../../../src/domain/lists/lineTable.ts';
import { listEntity } from './listEntity.ts';
import {
  buildOverlay,
  entitiesIn,
  MemoryStore,
  memoryBlobs,
  memoryPorts,
  testSigner,
} from './memoryPorts.ts';
import { type Release, release, source } from './release.ts';

/** What a table of lines has to find again. */
const ODD_IDS = ['a","b', 'back\\slash\\', 'é–𝄞', '', '["', 'x\\","y', '\n'];
const many = (count: number): ListEntity[] => [
  ...Array.from({ length: count }, (_, at) => listEntity(`e${String(at).padStart(3, '0')}`)),
  ...ODD_IDS.map((id) => listEntity(id)),
];
const keyOf = () => testSigner.publicKey;

interface Step {
  readonly entities: readonly ListEntity[];
  readonly removed?: readonly string[];
  readonly kind?: 'full' | 'delta';
  readonly releaseDate?: string;
}

let runs = 0;

/** Into two stores at once: one that writes deltas, and one that writes every version whole. */
class Twins {
  readonly small = new MemoryStore();
  readonly whole = new MemoryStore();

  async release({ kind = 'delta', removed = [], ...rest }: Step) {
    const startedAt = (1_800_000_000_000 + ++runs * 1_000) as EpochMs;
    const into = (store: MemoryStore, deltaFromEntities: number) => {
      const run = { kind: 'full' as const, runId: `run-${startedAt}`, startedAt };
      const of: Release = {
        ...rest,
        file: { kind, ...(kind === 'delta' && { removed }) },
        options: { run },
        ports: { buildOverlay, deltaFromEntities },
      };
      return release(store, of);
    };
    const small = await into(this.small, 1);
    const whole = await into(this.whole, Number.POSITIVE_INFINITY);
    return { small, whole };
  }

  active = (): ListVersion => source(this.small).active as ListVersion;
}

const textOf = async (store: MemoryStore, version: ListVersion): Promise<string[]> => {
  const lines: string[] = [];
  for await (const batch of linesInForce(version, memoryBlobs(store.blobs))) {
    lines.push(...batch.map(String));
  }
  return lines;
};

async function indexedIn(store: MemoryStore, version: ListVersion) {
  const blobs = memoryBlobs(store.blobs);
  const snapshot = await blobs.getShared(version.snapshotBlob);
  const overlay = await blobs.getShared(version.overlayBlob ?? '');
  return snapshot && entitiesIn(snapshot, overlay);
}

const akas = (ftm_id: string, ...names: string[]) => listEntity(ftm_id, { akas: names });

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
      isLaterFormat: () => false,
      lists: { ...ports.lists, listSources: async () => [source(twins.small)] },
      onBeyondRepair: () => undefined,
      onRebuilt: () => undefined,
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

describe('a delta that cannot be trusted', () => {
  let twins: Twins;

  beforeEach(async () => {
    twins = new Twins();
    await twins.release({ entities: many(100), kind: 'full' });
  });

  const bytesOf = (address: string): Buffer => Buffer.from(twins.small.blobs.get(address) ?? []);

  test('is refused: cut, changed, out of order, or signed by nobody that is known', async () => {
    await twins.release({ entities: [akas('e005', 'Five'), akas('e006', 'Six')] });
    const bytes = bytesOf(twins.active().bundleBlob);
    const lines = bytes.toString().split('\n').slice(0, -1);
    const [head = '', one = '', two = '', last = ''] = lines;
    const text = (...of: string[]) => Buffer.from(of.map((line) => `${line}\n`).join(''));
    expect(readDeltaBundle(bytes, keyOf).changes.size).toBe(2);
    for (const [what, damaged] of Object.entries({
      changed: text(head, one.replace('Five', 'Fife'), two, last),
      cut: text(head, one, two),
      empty: Buffer.of(),
      'in a line': bytes.subarray(0, -1),
      less: text(head, one, last),
      'of another form': text(head.replace('list-delta:v1', 'list-delta:v2'), one, two, last),
      'out of order': text(head, two, one, last),
    })) {
      expect(() => readDeltaBundle(damaged, keyOf), what).toThrow(/delta bundle/);
    }
    expect(() => readDeltaBundle(bytes, () => undefined)).toThrow('does not verify');
  });

  test('is not written upon a line that is not the one that was written', async () => {
    const before = twins.active();
    for (const [from, to] of [
      ['Name of e005', 'Game of e005'],
      [
        '"first_seen_at":"2026-01-01","flattened_associated_sanctioned":[],"ftm_id":"e005"',
        '"first_seen_at":"1926-01-01","flattened_associated_sanctioned":[],"ftm_id":"e005"',
      ],
    ] as const) {
      const whole = bytesOf(before.bundleBlob);
      twins.small.blobs.set(before.bundleBlob, Buffer.from(whole.toString().replace(from, to)));
      const log: string[] = [];
      const run = release(twins.small, {
        entities: [akas('e005', 'Five')],
        file: { kind: 'delta' },
        options: { onLog: (_, line) => log.push(line) },
        ports: { blobs: checking(twins.small), buildOverlay, deltaFromEntities: 1 },
      });
      await expect(run, from).rejects.toMatchObject({ code: 'list-damaged' });
      expect(log.join()).toContain('is not the one that was written');
      expect(source(twins.small).active).toEqual(before);
      twins.small.blobs.set(before.bundleBlob, whole);
    }
  });

  test.each(['gone', 'another'])(
    'is written whole where its table of lines is %s',
    async (what) => {
      const { linesBlob = '' } = twins.active();
      if (what === 'gone') twins.small.blobs.delete(linesBlob);
      else twins.small.blobs.set(linesBlob, Buffer.from('CPLINES0 and so on, or not'));
      await twins.release({ entities: [akas('e005', 'Five')] });
      const { bundleBase, bundleBlob, linesBlob: next } = twins.active();
      expect([bundleBase, bundleBlob]).toEqual([undefined, source(twins.whole).active?.bundleBlob]);
      expect(next).toBeDefined();
    },
  );

  test('whose base is gone or changed is not read as a list', async () => {
    await twins.release({ entities: [akas('e005', 'Five')] });
    const { bundleBase } = twins.active();
    const base = bundleBase?.bundleBlob ?? '';
    const whole = bytesOf(base);
    twins.small.blobs.set(base, Buffer.from(whole.toString().replace(/\n[^\n]*e009[^\n]*/, '')));
    const read = () => textOf(twins.small, twins.active());
    await expect(read()).rejects.toThrow(/expected 107 entities, read 106/);
    twins.small.blobs.delete(base);
    await expect(read()).rejects.toThrow('gone');
  });

  test('a table of lines says what it is, and is refused where it was cut', () => {
    const table = bytesOf(twins.active().linesBlob ?? '');
    expect(new LineTable(table).count).toBe(107);
    for (const bytes of [0, 8, 15, 16, 500, table.length - 1]) {
      expect(() => new LineTable(table.subarray(0, bytes)), String(bytes)).toThrow('lines: ');
    }
  });
});

/** Blobs that are held to their addresses, as the folder's are. */
function checking(store: MemoryStore) {
  const blobs = memoryBlobs(store.blobs);
  return {
    ...blobs,
    open: async (address: string) => {
      const bytes = store.blobs.get(address);
      if (bytes && sha256Hex(bytes) !== address) {
        throw new DomainError('list-damaged', { detail: 'another digest' });
      }
      return blobs.open(address);
    },
  };
}
