/** A run from file to publication. */
import { describe, expect, test, vi } from 'vitest';
import { PLATFORM_CHAIN } from '#core/kernel';
import { type ImportPorts, importList, type ListReader } from '#slices/ingestion';
import { canonicalLine, type ListEntity, versionTable } from '#slices/lists';
import { listEntity, towards } from '../lists/listEntity.ts';
import { MemoryStore, memoryPorts } from './memoryPorts.ts';
import { actions, entitiesOf, reader, release, source } from './release.ts';

describe('importing a list', () => {
  test('the first file makes the source and its first version', async () => {
    const store = new MemoryStore();
    const entities = [
      listEntity('b', { akas: ['Bé', 'Name of b'] }),
      listEntity('a', { categories: ['RCA'], associations: [towards('b', { strength: 0.5 })] }),
    ];
    const result = await release(store, { entities });
    expect(result).toMatchObject({
      status: 'success',
      counts: { entities: 2, added: 2, updated: 0, removed: 0, related: 1 },
      notes: { odd: 1 },
      version: { listVersion: 'v2026-01-01.a', entityCount: 2, nameCount: 3 },
    });
    expect(source(store)).toMatchObject({ lastStatus: 'success', kind: 'PUBLIC' });
    expect(source(store).active).toEqual(result.version);
    expect((await entitiesOf(store)).map((entity) => entity.ftm_id)).toEqual(['a', 'b']);
    expect((await entitiesOf(store))[0]?.flattened_associated_sanctioned).toEqual([
      { target_ftm_id: 'b', depth: 1, path_types: ['BUSINESS'], path_decay: 0.5 },
    ]);
  });

  test('the index gets every name, code and category, and the card of a screening', async () => {
    const store = new MemoryStore();
    const entities = [
      listEntity('a', {
        akas: ['طارق'],
        citizenships: ['TN'],
        countries: ['FR'],
        categories: ['PEP', 'SI'],
      }),
      listEntity('b', { schema: 'Organization', countries: ['FR'], dates_of_birth: ['1970/1971'] }),
      listEntity('c', { schema: 'Vessel' }),
    ];
    const { version } = await release(store, { entities });
    const hit = { added_at: '2026-01-01', list: 'DEMO', version: '2026-01-01' };
    const card = (ftm_id: string, schema: string, categories: string[]) =>
      JSON.stringify({
        categories,
        flattened_associated_sanctioned: [],
        ftm_id,
        primary_name: `Name of ${ftm_id}`,
        schema,
        source_lists_hits: [hit],
      });
    const snapshot = Buffer.from(store.blobs.get(version.snapshotBlob) ?? []).toString();
    expect(JSON.parse(snapshot)).toEqual([
      {
        id: 'a',
        schema: 'Person',
        names: ['Name of a', 'طارق'],
        datesOfBirth: [],
        nationalities: ['TN'],
        categories: 10,
        card: card('a', 'Person', ['PEP', 'SI']),
      },
      {
        id: 'b',
        schema: 'Company',
        names: ['Name of b'],
        datesOfBirth: ['1970/1971'],
        nationalities: ['FR'],
        categories: 1,
        card: card('b', 'Organization', ['SAN']),
      },
      {
        id: 'c',
        schema: 'Other',
        names: ['Name of c'],
        datesOfBirth: [],
        nationalities: [],
        categories: 1,
        card: card('c', 'Vessel', ['SAN']),
      },
    ]);
  });

  test('a line that a reader has made is what the entity itself gives', async () => {
    const entities = [
      listEntity('Ж', { akas: ['طارق', '李\u{1f600}'], properties: { 'a"b': ['\\', '\n'] } }),
      listEntity('b', { associations: [towards('c', { strength: 0.25 })], categories: ['RCA'] }),
      listEntity('c', { categories: ['PEP'] }),
    ];
    const asLines: ListReader = {
      ...reader,
      read: (chunks, { sink, ...options }) => {
        // Laid down beside others, as in a block of lines.
        const entity = (own: ListEntity) => {
          const bytes = Buffer.from(`before${canonicalLine(own)}after`);
          const { associations, categories, ftm_id } = own;
          sink.line({ associations, categories, ftm_id }, bytes.subarray(6, -5));
        };
        return reader.read(chunks, { ...options, sink: { ...sink, entity } });
      },
    };
    const [whole, lines] = [new MemoryStore(), new MemoryStore()];
    const given = await release(whole, { entities });
    const made = await release(lines, { entities, options: { reader: asLines } });
    expect(given.counts.related).toBe(1);
    expect(made.counts).toEqual(given.counts);
    // All but the seal, whose key is drawn.
    const { snapshotSeal } = made.version;
    expect(made.version).toEqual({ ...given.version, snapshotSeal });
    expect(await entitiesOf(lines)).toEqual(await entitiesOf(whole));
  });

  test('a run that is lost stops while its reader hands entities on', async () => {
    const store = new MemoryStore();
    const lost = new AbortController();
    let handedOn = 0;
    const slow: ListReader = {
      ...reader,
      read: async (chunks, { sink, ...options }) => {
        const file = await reader.read(chunks, { ...options, sink });
        for (; handedOn < 3; handedOn++) {
          await sink.ready?.();
          if (handedOn === 1) lost.abort(new Error('the lease went'));
        }
        return file;
      },
    };
    const options = { reader: slow, signal: lost.signal };
    const run = release(store, { entities: [listEntity('a')], options });
    await expect(run).rejects.toThrow('the lease went');
    expect(handedOn).toBe(2);
    expect(store.commits).toEqual([]);
  });

  test('publication, evidence and signals are one commit', async () => {
    const store = new MemoryStore();
    const chains: string[] = [];
    const commit: ImportPorts['commit'] = async (chain, what) => {
      chains.push(chain);
      await store.house.commit(chain, what);
    };
    const { version, runId, fileSha256 } = await release(store, {
      entities: [listEntity('a')],
      ports: { commit },
    });
    expect(chains).toEqual([PLATFORM_CHAIN]);
    const [only] = store.commits;
    expect(only?.changes).toMatchObject([{ table: 'list_version' }, { table: 'list_source' }]);
    expect(actions(store)).toEqual([
      'SANCTIONS_SOURCE_FETCHED',
      'aml.list.ingested',
      'SANCTIONS_LIST_PUBLISHED',
    ]);
    expect(only?.events[1]?.members).toMatchObject({
      action: 'aml.list.ingested',
      actor: 'cli:test',
      added_count: 1,
      entity_count: 1,
      file_sha256: fileSha256,
      list_digest: version.listDigest,
      run_id: runId,
      severity: 'INFO',
      target: 'DEMO',
    });
    expect(only?.events[2]?.members).toMatchObject({
      bundle: version.bundleBlob,
      snapshot: version.snapshotBlob,
    });
    expect(only?.bus).toEqual([
      {
        topic: 'service.sanctions.lists.updated',
        partition: 'DEMO',
        payload: {
          schema: 'sanctions.lists.updated.v1',
          source_id: 'DEMO',
          list_version: 'v2026-01-01.a',
          run_id: runId,
          kind: 'manual',
          added_count: 1,
          updated_count: 0,
          removed_count: 0,
          completed_at: expect.stringMatching(/^2026-02-03T04:05:\d\d\.\d{3}Z$/),
        },
      },
      {
        topic: 'sanctions.list.reindexed',
        partition: 'DEMO',
        payload: { source: 'DEMO', listVersion: 'v2026-01-01.a', entityCount: 1 },
      },
    ]);
  });

  test('a later release counts its changes and keeps the dates of first sight', async () => {
    const store = new MemoryStore();
    await release(store, { entities: ['a', 'b', 'c'].map((id) => listEntity(id)) });
    const entities = [listEntity('a'), listEntity('b', { akas: ['B'] }), listEntity('d')];
    const { counts } = await release(store, { entities, releaseDate: '2026-02-02' });
    expect(counts).toMatchObject({ entities: 3, added: 1, updated: 1, removed: 1 });
    const seen = (await entitiesOf(store)).map((entity) => [
      entity.ftm_id,
      entity.first_seen_at,
      entity.last_seen_at,
      entity.source_lists_hits[0]?.added_at,
      entity.source_lists_hits[0]?.version,
    ]);
    expect(seen).toEqual([
      ['a', '2026-01-01', '2026-02-02', '2026-01-01', '2026-02-02'],
      ['b', '2026-01-01', '2026-02-02', '2026-01-01', '2026-02-02'],
      ['d', '2026-02-02', '2026-02-02', '2026-02-02', '2026-02-02'],
    ]);
  });

  test('the same content again is skipped, in whatever order', async () => {
    const store = new MemoryStore();
    const first = await release(store, { entities: [listEntity('a'), listEntity('b')] });
    const blobs = store.blobs.size;
    const again = await release(store, { entities: [listEntity('b'), listEntity('a')] });
    expect(again.status).toBe('skipped');
    expect(again.version).toEqual(first.version);
    expect(store.blobs.size).toBe(blobs);
    expect(store.house.records(versionTable)).toHaveLength(1);
    expect(source(store)).toMatchObject({ lastStatus: 'skipped', active: first.version });
    expect(actions(store).at(-1)).toBe('SANCTIONS_LIST_SKIPPED');
  });

  const noSnapshot = () => {
    throw new Error('of an older format');
  };
  type Blob = 'bundleBlob' | 'snapshotBlob';
  const gone = (blob: Blob) => (store: MemoryStore) => {
    store.blobs.delete(source(store).active?.[blob] ?? '');
  };
  const cut = (store: MemoryStore) => {
    const address = source(store).active?.bundleBlob ?? '';
    store.blobs.set(address, (store.blobs.get(address) ?? new Uint8Array()).subarray(0, 40));
  };
  test.each([
    ['whose bundle is gone', gone('bundleBlob'), { 'former-version-unreadable': 1 }],
    ['whose bundle is cut', cut, { 'former-version-unreadable': 1 }],
    ['whose snapshot is gone', gone('snapshotBlob'), {}],
  ])('the same content again mends a version %s', async (_what, damage, notes) => {
    const store = new MemoryStore();
    const entities = [listEntity('a'), listEntity('b')];
    const first = await release(store, { entities });
    damage(store);
    const again = await release(store, { entities });
    expect(again).toMatchObject({ status: 'success', notes: { ...notes, odd: 1 } });
    expect(again.version).toMatchObject({
      contentDigest: first.version.contentDigest,
      listDigest: first.version.listDigest,
      listVersion: 'v2026-01-01.b',
    });
    expect(await entitiesOf(store)).toHaveLength(2);
    expect((await release(store, { entities })).status).toBe('skipped');
  });

  test('the same content again replaces a snapshot of a format no longer read', async () => {
    const store = new MemoryStore();
    await release(store, { entities: [listEntity('a')] });
    const { inspectSnapshot } = memoryPorts(store);
    const inspect = vi.fn(inspectSnapshot).mockImplementationOnce(noSnapshot);
    const ports = { inspectSnapshot: inspect };
    const again = await release(store, { entities: [listEntity('a')], ports });
    expect(again.status).toBe('success');
    expect(source(store).active?.listVersion).toBe('v2026-01-01.b');
  });

  test('two installations agree on both digests, whatever they had before', async () => {
    const one = new MemoryStore();
    await release(one, { entities: [listEntity('a')] });
    const later = { entities: [listEntity('a'), listEntity('b')], releaseDate: '2026-02-02' };
    const first = await release(one, later);
    const second = await release(new MemoryStore(), later);
    expect(second.version.listDigest).toBe(first.version.listDigest);
    expect(second.version.contentDigest).toBe(first.version.contentDigest);
  });

  test('another content of the same release date gets the next letter', async () => {
    const store = new MemoryStore();
    await release(store, { entities: [listEntity('a')] });
    const { version } = await release(store, { entities: [listEntity('b')] });
    expect(version.listVersion).toBe('v2026-01-01.b');
  });

  test('an older release is refused, unless it is wanted', async () => {
    const store = new MemoryStore();
    await release(store, { entities: [listEntity('a')], releaseDate: '2026-02-02' });
    const older = { entities: [listEntity('b')], releaseDate: '2026-01-01' };
    await expect(release(store, older)).rejects.toMatchObject({ code: 'list-stale' });
    expect(source(store).active?.releaseDate).toBe('2026-02-02');
    await release(store, { ...older, allow: { older: true } });
    expect(source(store).active?.releaseDate).toBe('2026-01-01');
  });

  test('progress names each stage once it begins', async () => {
    const store = new MemoryStore();
    const stages: string[] = [];
    const text = JSON.stringify({
      releaseDate: '2026-01-01',
      entities: [listEntity('a')],
      notes: {},
    });
    await importList({
      sourceId: 'DEMO',
      read: (async function* () {
        yield Buffer.from(text);
      })(),
      reader,
      ports: memoryPorts(store),
      actor: 'cli:test',
      onProgress: ({ stage }) => {
        if (stages.at(-1) !== stage) stages.push(stage);
      },
    });
    expect(stages).toEqual(['read', 'compare', 'bundle', 'index', 'verify', 'publish']);
  });
});
