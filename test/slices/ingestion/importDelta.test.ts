/** Runs that change a list a little: deltas, overlays, kept paths, and what a run's end records. */
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import { type EntityChange, type ListVersion, readChanges } from '#slices/lists';
import { STACKED_CHANGES_MAX } from '../../../src/slices/ingestion/writeIndex.ts';
import { listEntity, towards } from '../lists/listEntity.ts';
import { buildOverlay, entitiesIn, MemoryStore, memoryBlobs, memoryPorts } from './memoryPorts.ts';
import { actions, entitiesOf, release, source } from './release.ts';

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => listEntity(`e${String(index).padStart(3, '0')}`));
const ids = async (store: MemoryStore) => (await entitiesOf(store)).map(({ ftm_id }) => ftm_id);

async function indexedIn(store: MemoryStore, version: ListVersion): Promise<string[]> {
  const blobs = memoryBlobs(store.blobs);
  const snapshot = await blobs.getShared(version.snapshotBlob);
  const overlay = version.overlayBlob && (await blobs.getShared(version.overlayBlob));
  if (!snapshot || overlay === '') throw new Error('no snapshot');
  return entitiesIn(snapshot, overlay).map(({ id, names }) => `${id} ${names.join('|')}`);
}

async function changesOf(store: MemoryStore, version: ListVersion): Promise<string[]> {
  const changes = await readChanges(memoryBlobs(store.blobs), version.changesBlob ?? '');
  return (changes ?? []).map(({ ftm_id, op }: EntityChange) => `${op} ${ftm_id}`).sort();
}

describe('a delta', () => {
  const delta = (members: object) => ({ file: { kind: 'delta' as const, ...members } });

  test('becomes a whole version, and its changes stand beside it', async () => {
    const store = new MemoryStore();
    await release(store, { entities: many(4) });
    const run = { kind: 'delta' as const, runId: 'run-2', startedAt: 1_800_000_000_000 as EpochMs };
    const result = await release(store, {
      ...delta({ removed: ['e000', 'unknown'] }),
      entities: [listEntity('e001', { akas: ['New'] }), listEntity('f')],
      options: { run },
      releaseDate: '2026-02-01',
    });
    expect(await ids(store)).toEqual(['e001', 'e002', 'e003', 'f']);
    expect(result).toMatchObject({
      counts: { added: 1, entities: 4, removed: 1, updated: 1 },
      kind: 'delta',
      notes: { odd: 1, 'removed-unknown': 1 },
      parsedCount: 4,
      runId: 'run-2',
      version: { entityCount: 4, releaseDate: '2026-02-01', runId: 'run-2' },
    });
    expect(await changesOf(store, result.version)).toEqual([
      'added f',
      'removed e000',
      'updated e001',
    ]);
    expect(store.commits.at(-1)?.bus[0]?.payload).toMatchObject({ kind: 'delta' });
  });

  test('that says nothing new is skipped', async () => {
    const store = new MemoryStore();
    const { version } = await release(store, { entities: many(2) });
    const again = await release(store, { ...delta({}), entities: [listEntity('e001')] });
    expect(again).toMatchObject({ status: 'skipped', version });
  });

  test('that names no release is of the one in force', async () => {
    const store = new MemoryStore();
    await release(store, { entities: many(20) });
    const run = release(store, { ...delta({ removed: ['e000'] }), entities: [], releaseDate: '' });
    expect((await run).version).toMatchObject({ entityCount: 19, releaseDate: '2026-01-01' });
  });

  test('starts from the release that it names, and from one that is there', async () => {
    const store = new MemoryStore();
    const orphan = release(store, { ...delta({}), entities: [listEntity('a')] });
    await expect(orphan).rejects.toMatchObject({ code: 'list-stale' });
    await release(store, { entities: many(3) });
    const wrong = { ...delta({ basedOn: '2025-12-31' }), entities: [listEntity('a')] };
    await expect(release(store, wrong)).rejects.toMatchObject({ code: 'list-stale' });
    const right = { ...delta({ basedOn: '2026-01-01' }), entities: [listEntity('a')] };
    expect((await release(store, right)).counts).toMatchObject({ added: 1, entities: 4 });
  });

  test('upon a version that cannot be read is damage: there is nothing to change', async () => {
    const store = new MemoryStore();
    const { version } = await release(store, { entities: many(3) });
    store.blobs.delete(version.bundleBlob);
    const run = release(store, { ...delta({}), entities: [listEntity('a')] });
    await expect(run).rejects.toMatchObject({ code: 'list-damaged' });
    expect(source(store).active).toEqual(version);
  });
});

describe('an overlay', () => {
  const ports = { buildOverlay };
  const delta = (entities: ReturnType<typeof many>, removed: readonly string[] = []) => ({
    entities,
    file: { kind: 'delta' as const, removed },
    ports,
  });

  test('is published for little changes, always upon the same base', async () => {
    const store = new MemoryStore();
    const base = (await release(store, { entities: many(100), ports })).version;
    expect(base.overlayBlob).toBeUndefined();
    const added = [listEntity('e005', { akas: ['Five'] }), listEntity('new')];
    const first = (await release(store, delta(added, ['e001']))).version;
    expect(first).toMatchObject({ entityCount: 100, snapshotBlob: base.snapshotBlob });
    const second = (await release(store, delta([listEntity('last')], ['new', 'e002']))).version;
    expect(second.snapshotBlob).toBe(base.snapshotBlob);
    expect(second.overlayBlob).not.toBe(first.overlayBlob);
    const indexed = await indexedIn(store, second);
    expect(indexed).toHaveLength(99);
    expect(indexed.filter((line) => /^(e001|e002|new) /.test(line))).toEqual([]);
    expect(indexed).toContain('e005 Name of e005|Five');
    expect(indexed).toContain('last Name of last');
    expect(indexed).toEqual(
      (await entitiesOf(store)).map((e) =>
        [e.ftm_id, [e.primary_name, ...e.akas].join('|')].join(' '),
      ),
    );
    // The base is in force no more, and an answer of the first overlay can still be replayed.
    expect(await indexedIn(store, first)).toHaveLength(100);
  });

  test('ends where a tenth has changed since the base, or a step since it is unknown', async () => {
    const store = new MemoryStore();
    const base = (await release(store, { entities: many(100), ports })).version;
    const six = (from: number) =>
      many(100)
        .slice(from, from + 6)
        .map((entity) => ({ ...entity, akas: ['Changed'] }));
    const first = (await release(store, delta(six(0)))).version;
    expect(first.snapshotBlob).toBe(base.snapshotBlob);
    const second = (await release(store, delta(six(10)))).version;
    expect(second.overlayBlob).toBeUndefined();
    expect(second.snapshotBlob).not.toBe(base.snapshotBlob);
    const third = (await release(store, delta(six(20)))).version;
    expect(third.overlayBlob).toBeDefined();
    store.blobs.delete(third.changesBlob ?? '');
    expect((await release(store, delta([listEntity('x')]))).version.overlayBlob).toBeUndefined();
  });

  test('ends where the versions since its base have changed the same too often', async () => {
    const store = new MemoryStore();
    await release(store, { entities: many(100), ports });
    const { changesBlob = '' } = (await release(store, delta([listEntity('x')]))).version;
    const lines = '{"ftm_id":"x","op":"added"}\n'.repeat(STACKED_CHANGES_MAX);
    store.blobs.set(changesBlob, Buffer.from(lines));
    expect((await release(store, delta([listEntity('y')]))).version.overlayBlob).toBeDefined();
    const { overlayBlob } = (await release(store, delta([listEntity('z')]))).version;
    expect(overlayBlob).toBeUndefined();
  });

  test('holds what was only seen again, since its card names the release', async () => {
    const store = new MemoryStore();
    await release(store, { entities: many(50), ports });
    const seen = { ...delta([listEntity('e007')]), releaseDate: '2026-02-01' };
    const { version, counts } = await release(store, seen);
    expect(counts).toMatchObject({ added: 0, removed: 0, updated: 0 });
    expect(await changesOf(store, version)).toEqual(['seen e007']);
    expect(version.overlayBlob).toBeDefined();
  });

  test('that is gone is mended by the same content', async () => {
    const store = new MemoryStore();
    await release(store, { entities: many(50), ports });
    const { version } = await release(store, delta([listEntity('x')]));
    store.blobs.delete(version.overlayBlob ?? '');
    const again = await release(store, delta([listEntity('x')]));
    expect(again.status).toBe('success');
    expect(await indexedIn(store, again.version)).toHaveLength(51);
  });
});

describe('a run', () => {
  test('of kind delta keeps the paths until a full one works them out', async () => {
    const store = new MemoryStore();
    const sanctioned = listEntity('s');
    const relative = listEntity('r', { associations: [towards('s')], categories: ['RCA'] });
    const startedAt = 1_800_000_000_000 as EpochMs;
    const of = (kind: 'full' | 'delta') => ({ options: { run: { kind, runId: kind, startedAt } } });
    await release(store, { entities: [sanctioned], ...of('full') });
    const pathCounts = async () =>
      (await entitiesOf(store)).map((e) => e.flattened_associated_sanctioned.length);
    await release(store, { entities: [relative, sanctioned], ...of('delta') });
    expect(await pathCounts()).toEqual([0, 0]);
    await release(store, { entities: [relative, sanctioned], ...of('full') });
    expect(await pathCounts()).toEqual([1, 0]);
    await release(store, { entities: [relative, { ...sanctioned, akas: ['S'] }], ...of('delta') });
    expect(await pathCounts()).toEqual([1, 0]);
  });

  test('with records that cannot be read is partial, and the log names them', async () => {
    const store = new MemoryStore();
    const log: string[] = [];
    const result = await release(store, {
      entities: many(2),
      file: { declaredCount: 3, skipped: ['line 7: not JSON'] },
      options: { onLog: (level, text) => log.push(`${level} ${text}`) },
    });
    expect(result).toMatchObject({ declaredCount: 3, skipped: ['line 7: not JSON'] });
    expect(result.status).toBe('partial');
    expect(source(store).lastStatus).toBe('partial');
    expect(log).toEqual([
      expect.stringMatching(
        /^info read 2 records of 2026-01-01 in \d+ bytes, SHA-256 [0-9a-f]{64}$/,
      ),
      'warn skipped: line 7: not JSON',
      'info DEMO v2026-01-01.a is in force',
    ]);
  });

  test('leaves how it ended with the source', async () => {
    const store = new MemoryStore();
    const { fileSha256, runId } = await release(store, {
      entities: many(2),
      options: { validators: () => ({ etag: '"x"' }) },
    });
    expect(source(store)).toMatchObject({
      lastCount: 2,
      lastRunId: runId,
      lastStatus: 'success',
      validators: { etag: '"x"', fileSha256 },
    });
  });

  test('puts its own record into the commit, whichever way it ends', async () => {
    const store = new MemoryStore();
    const ends: unknown[] = [];
    const endRun: NonNullable<Parameters<typeof release>[1]['options']>['endRun'] = ({
      end,
      source,
    }) => {
      ends.push(end);
      return { changes: [], source: { ...source, version: source.version + 1 } };
    };
    await release(store, { entities: many(2), options: { endRun } });
    await release(store, { entities: many(2), options: { endRun } });
    await expect(
      release(store, { entities: [], options: { endRun }, text: 'bad' }),
    ).rejects.toThrow();
    expect(ends).toMatchObject([
      {
        addedCount: 2,
        entityCount: 2,
        fetchedCount: 2,
        listVersion: 'v2026-01-01.a',
        parsedCount: 2,
        snapshotUri: source(store).active?.bundleBlob,
        status: 'success',
      },
      { addedCount: 0, listVersion: 'v2026-01-01.a', status: 'skipped' },
      { errorCode: 'list-damaged', errorMessage: 'line 1, column 1', status: 'failed' },
    ]);
  });

  test('that shrinks the list says by how much, and names what would go', async () => {
    const store = new MemoryStore();
    await release(store, { entities: many(90) });
    const log: string[] = [];
    let end: unknown;
    const entities = [...many(60), listEntity('new')];
    const options: Parameters<typeof release>[1]['options'] = {
      endRun: (of) => {
        ({ end } = of);
        return { changes: [], source: { ...of.source, version: of.source.version + 1 } };
      },
      onLog: (_, text) => log.push(text),
    };
    const shrunk = release(store, { allow: { shrink: false }, entities, options });
    await expect(shrunk).rejects.toMatchObject({ code: 'list-shrunk' });
    expect(end).toMatchObject({
      addedCount: 1,
      fetchedCount: 61,
      parsedCount: 61,
      removedCount: 30,
      status: 'failed',
      updatedCount: 0,
    });
    expect(log.filter((text) => text.startsWith('removed: '))).toHaveLength(21);
    expect(log).toContain(`removed: e060 ${listEntity('e060').primary_name}`);
    expect(log).toContain('removed: 10 more');
  });

  test('that shrinks the list names who approved it, or changes nothing', async () => {
    const store = new MemoryStore();
    await release(store, { entities: many(30) });
    const shrunk = { allow: { shrink: false }, entities: many(20) };
    await expect(release(store, shrunk)).rejects.toMatchObject({ code: 'list-shrunk' });
    expect(await ids(store)).toHaveLength(30);
    const allow = { shrink: true, shrinkApprovedBy: 'user:iss|second' };
    await release(store, { ...shrunk, allow });
    expect(await ids(store)).toHaveLength(20);
    const published = store.commits.at(-1)?.events.at(-1);
    expect(published).toMatchObject({
      action: 'SANCTIONS_LIST_PUBLISHED',
      members: { shrink_approved_by: 'user:iss|second' },
    });
    expect(actions(store)).toContain('SANCTIONS_LIST_FAILED');
  });

  test('leaves nothing in the spool folder, however it ends', async () => {
    const store = new MemoryStore();
    const { spoolDirectory } = memoryPorts(store);
    await release(store, { entities: many(3) });
    await expect(release(store, { entities: [], text: 'bad' })).rejects.toThrow();
    expect(await readdir(spoolDirectory)).toEqual([]);
  });
});
