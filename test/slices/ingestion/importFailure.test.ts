/** Every way in which a run fails, and that it then has changed nothing. */
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { StaleChange } from '#core/audit';
import { DomainError, type SourceId } from '#core/kernel';
import { type ImportPorts, importList } from '#slices/ingestion';
import { sourceTable } from '#slices/lists';
import { listEntity } from '../lists/listEntity.ts';
import {
  allOf,
  buildOverlay,
  MemoryStore,
  memoryPorts,
  snapshotOf,
  testSigner,
} from './memoryPorts.ts';
import { actions, type Release, reader, release, source } from './release.ts';

describe('a run that fails', () => {
  const bad: Partial<ImportPorts>[] = [
    {
      buildSnapshot: () => {
        throw new Error('no memory for Tarek');
      },
    },
    { buildSnapshot: async (batches) => snapshotOf((await allOf(batches)).slice(1)) },
    {
      inspectSnapshot: () => {
        throw new Error('magic');
      },
    },
    { signer: { ...testSigner, sign: () => new Uint8Array(64) } },
  ];
  const cases: [string, Partial<Release>][] = [
    ['a damaged file', { text: 'garbage' }],
    ['an id twice', { entities: [listEntity('a'), listEntity('a')] }],
    ['an index that cannot be built', { ports: bad[0] ?? {} }],
    ['an index with an entity less', { ports: bad[1] ?? {} }],
    ['an index that cannot be read', { ports: bad[2] ?? {} }],
    ['a bundle whose signature does not verify', { ports: bad[3] ?? {} }],
  ];

  test.each(cases)('%s: nothing changes and the failure is audited', async (_what, broken) => {
    const store = new MemoryStore();
    const { version } = await release(store, { entities: [listEntity('a')] });
    const before = source(store);
    const run = { entities: [listEntity('a'), listEntity('b')], releaseDate: '2026-02-03' };
    await expect(release(store, { ...run, ...broken })).rejects.toThrow();
    expect(source(store)).toEqual({
      ...before,
      lastRunAt: expect.any(Number),
      lastRunId: expect.any(String),
      lastStatus: 'failed',
      version: before.version + 1,
    });
    expect(source(store).active).toEqual(version);
    const last = store.commits.at(-1);
    expect(last).toMatchObject({ bus: [], changes: [{ table: 'list_source' }] });
    const failed = last?.events.at(-1);
    expect(failed).toMatchObject({
      action: 'SANCTIONS_LIST_FAILED',
      members: { severity: 'ALERT', target: 'DEMO' },
    });
    // What was refused is known, where it was read to its end.
    const fetched = last?.events.slice(0, -1).map(({ members }) => members);
    const facts = { action: 'SANCTIONS_SOURCE_FETCHED', file_sha256: expect.any(String) };
    const isRead = broken.text === undefined;
    expect(fetched).toEqual(isRead ? [expect.objectContaining(facts)] : []);
    // An unknown error's message may quote what it stumbled over.
    expect(JSON.stringify(failed?.members)).not.toContain('Tarek');
    // The next whole file publishes.
    expect((await release(store, run)).status).toBe('success');
  });

  test.each([1, 2, 3])('a blob store that fails at write %i changes nothing', async (failing) => {
    const store = new MemoryStore();
    const { version } = await release(store, { entities: [listEntity('a')] });
    const { blobs } = memoryPorts(store);
    let writes = 0;
    const put: typeof blobs.put = async (bytes) => {
      writes += 1;
      if (writes === failing) throw new Error('EIO');
      return blobs.put(bytes);
    };
    const run = release(store, {
      entities: [listEntity('b')],
      ports: { blobs: { ...blobs, put } },
    });
    await expect(run).rejects.toThrow('EIO');
    expect(source(store)).toMatchObject({ active: version, lastStatus: 'failed' });
    expect(actions(store).at(-1)).toBe('SANCTIONS_LIST_FAILED');
  });

  test('a full disk is named in the evidence', async () => {
    const store = new MemoryStore();
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const put = () => Promise.reject(full);
    const { blobs } = memoryPorts(store);
    const run = release(store, {
      entities: [listEntity('a')],
      ports: { blobs: { ...blobs, put } },
    });
    await expect(run).rejects.toBe(full);
    const { members } = store.commits.at(-1)?.events.at(-1) ?? {};
    expect(members).toMatchObject({ code: 'storage-full', detail: 'the disk is full' });
  });

  test('whatever is asked of the stores may fail: nothing changes', async () => {
    const store = new MemoryStore();
    const entities = Array.from({ length: 30 }, (_, index) => listEntity(`e${index + 10}`));
    // On one day: other dates would change every entity, and no overlay would be made.
    const next = { entities: [...entities, listEntity('new')] };
    const { version } = await release(store, { entities, ports: { buildOverlay } });
    let calls = 0;
    let failing = 0;
    const counted = <Ports extends object>(ports: Ports): Ports =>
      new Proxy(ports, {
        get: (target, name) => {
          const asked = Reflect.get(target, name) as (...given: unknown[]) => unknown;
          return async (...given: unknown[]) => {
            if (++calls === failing) throw new Error('EIO');
            return asked(...given);
          };
        },
      });
    for (failing = 2; ; failing++) {
      calls = 0;
      const { blobs, lists } = memoryPorts(store);
      const ports = { blobs: counted(blobs), buildOverlay, lists: counted(lists) };
      const run = await release(store, { ...next, ports }).catch((error: Error) => error);
      if (!(run instanceof Error)) break;
      expect(run.message).toBe('EIO');
      expect(source(store)).toMatchObject({ active: version, lastStatus: 'failed' });
      expect(await readdir(memoryPorts(store).spoolDirectory)).toEqual([]);
    }
    expect(failing).toBeGreaterThan(7);
    expect(source(store).active).toMatchObject({
      entityCount: 31,
      overlayBlob: expect.any(String),
    });
  });

  test('the failure says where the file broke', async () => {
    const store = new MemoryStore();
    const run = release(store, { entities: [], text: 'garbage' });
    await expect(run).rejects.toMatchObject({ code: 'list-damaged', message: 'line 1, column 1' });
    expect(store.commits[0]?.events[0]?.members).toMatchObject({
      code: 'list-damaged',
      detail: 'line 1, column 1',
    });
  });

  test('of two runs at once the second is stale', async () => {
    const store = new MemoryStore();
    const { version } = await release(store, { entities: [listEntity('a')] });
    const before = source(store);
    const other = { ...version, bundleBlob: 'ab'.repeat(32) };
    const overtaken = { ...before, active: other, version: before.version + 1 };
    store.house.overtake(() => store.house.seed(sourceTable, overtaken));
    const run = release(store, { entities: [listEntity('b')] });
    await expect(run).rejects.toMatchObject({ code: 'list-stale' });
    expect(source(store).active).toEqual(other);
  });

  test('a change of the source by a person in between stops no run, and stays', async () => {
    const store = new MemoryStore();
    await release(store, { entities: [listEntity('a')] });
    const before = source(store);
    const overtaken = { ...before, cronFull: '0 0 9 ? * SUN', version: before.version + 1 };
    store.house.overtake(() => store.house.seed(sourceTable, overtaken));
    const { version } = await release(store, { entities: [listEntity('b')] });
    expect(source(store)).toMatchObject({ active: version, cronFull: '0 0 9 ? * SUN' });
  });

  test('a failure is audited even where another run ends at the same time', async () => {
    const store = new MemoryStore();
    await release(store, { entities: [listEntity('a')] });
    const before = source(store);
    const commit: ImportPorts['commit'] = async (chain, what) => {
      if (what.changes.length > 0) throw new StaleChange(0);
      await store.house.commit(chain, what);
    };
    const run = release(store, { entities: [], text: 'garbage', ports: { commit } });
    await expect(run).rejects.toMatchObject({ code: 'list-damaged' });
    expect(source(store)).toEqual(before);
    expect(actions(store).at(-1)).toBe('SANCTIONS_LIST_FAILED');
  });

  test('a failure that cannot be audited names both', async () => {
    const store = new MemoryStore();
    const commit = async () => Promise.reject(new DomainError('store-unavailable'));
    const run = release(store, { entities: [], text: 'garbage', ports: { commit } });
    await expect(run).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringContaining('list-damaged: line 1, column 1'),
    });
  });

  test('an unknown source is refused before anything is read', async () => {
    const ports = memoryPorts(new MemoryStore());
    const run = importList({
      sourceId: 'NO_SUCH' as SourceId,
      read: (async function* () {
        yield await Promise.reject(new Error('was read'));
      })(),
      reader,
      ports,
      actor: 'cli:test',
    });
    await expect(run).rejects.toMatchObject({ code: 'list-unknown' });
  });
});
