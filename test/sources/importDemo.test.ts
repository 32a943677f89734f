/** From a file to a search: the connectors, the import, the blob folder and the engine together. */
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSnapshotFrom, createEngine, type LoadedIndex, type RawQuery } from '#engine';
import { type ImportPorts, importList } from '#slices/ingestion';
import type { CountryTable, ListVersion } from '#slices/lists';
import countries from '../../config/tables/countries.json' with { type: 'json' };
import { createListReaders } from '../../src/sources/index.ts';
import { openFolderBlobStore } from '../../src/storage/blob/folder.ts';
import { MemoryStore, memoryPorts } from '../slices/ingestion/memoryPorts.ts';
import { chunksOf } from './chunks.ts';
import { entry, sdnFile } from './ofac/sdnFile.ts';

const demoFile = fileURLToPath(new URL('../../config/demo/entities.jsonl', import.meta.url));
const readers = createListReaders(countries as CountryTable);
const engine = createEngine({ threads: 0, queueMax: 1 });
let directory: string;
let ports: ImportPorts;

function enginePorts(blobs: ImportPorts['blobs']): ImportPorts {
  return memoryPorts(new MemoryStore(), {
    blobs,
    buildSnapshot: buildSnapshotFrom,
    inspectSnapshot: async (snapshot) => {
      const index = engine.load(snapshot);
      index.release();
      return { entityCount: index.entityCount, nameCount: index.nameCount };
    },
  });
}

async function run(sourceId: string, read: AsyncIterable<Uint8Array>): Promise<ListVersion> {
  const reader = readers.get(sourceId);
  if (!reader) throw new Error(`no reader for ${sourceId}`);
  return (await importList({ sourceId, read, reader, ports, actor: 'cli:test' })).version;
}

async function loaded(version: ListVersion): Promise<LoadedIndex> {
  const snapshot = await ports.blobs.getShared(version.snapshotBlob);
  if (!snapshot) throw new Error('the snapshot is not stored');
  return engine.load(snapshot);
}

async function best(index: LoadedIndex, query: Partial<RawQuery> & { name: string }) {
  const { candidates } = await engine.screen({
    query: { transliterations: [], ...query },
    indexes: [index],
    settings: {
      version: '1.0.0',
      weights: { name: 0.4, phonetic: 0.15, dob: 0.2, nationality: 0.1, alias: 0.15 },
      missingAttributes: 'rescale',
      phoneticNames: 'all',
      boosts: { SAN: 1, PEP: 0.85, RCA: 0.7, SI: 0.9, DI: 0.75 },
      topN: 50,
    },
    deadlineMs: 10_000,
  });
  return candidates[0];
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'compliance-import-'));
  ports = enginePorts(await openFolderBlobStore({ directory }));
});

afterAll(async () => {
  await engine.close();
  await rm(directory, { recursive: true, force: true });
});

describe('the shipped list, imported', () => {
  let index: LoadedIndex;

  beforeAll(async () => {
    const version = await run('DEMO', createReadStream(demoFile));
    expect(version).toMatchObject({ entityCount: 300, listVersion: 'v2026-01-01.a' });
    index = await loaded(version);
    expect(index.entityCount).toBe(300);
  });

  test.each([
    [{ name: 'Tarek Velmorani', dob: '1971-03-14', schema: 'Person' as const }, 'demo-p-0001'],
    [{ name: 'طارق فلموراني', schema: 'Person' as const }, 'demo-p-0001'],
    [{ name: 'Ильвана Дострекова' }, 'demo-p-0002'],
    [{ name: 'Quellmar Orvand Trading', schema: 'Company' as const }, 'demo-c-0001'],
  ])('%o finds %s', async (query, id) => {
    const candidate = await best(index, query);
    expect(candidate?.id).toBe(id);
    expect(candidate?.directScore).toBeGreaterThan(0.92);
  });

  test('the card of a relative holds the path to the sanctioned person', async () => {
    const wife = JSON.parse((await best(index, { name: 'Selmira Velmorani' }))?.card ?? '{}');
    const path = { target_ftm_id: 'demo-p-0001', depth: 1, path_types: ['FAMILY'], path_decay: 1 };
    expect(wife.flattened_associated_sanctioned).toEqual([path]);
    const partner = JSON.parse((await best(index, { name: 'Nabor Orsenduro' }))?.card ?? '{}');
    expect(partner.flattened_associated_sanctioned).toEqual([
      { ...path, depth: 2, path_types: ['BUSINESS', 'FAMILY'], path_decay: 0.6 },
    ]);
  });
});

describe('an OFAC file, imported', () => {
  test('is found by its weak alias, and the same bytes make the same index', async () => {
    const aka =
      '<akaList><aka><category>weak</category><lastName>ZORBANDULE</lastName></aka></akaList>';
    const xml = sdnFile({
      entries: [entry({ uid: 9, lastName: 'KELVORTH', firstName: 'Dasmin', inner: aka })],
    });
    const version = await run('OFAC_SDN', chunksOf(xml));
    const candidate = await best(await loaded(version), { name: 'Zorbandule' });
    expect(candidate).toMatchObject({ id: 'ofac-9', matchedName: 'ZORBANDULE', nameScore: 1 });
    const again = await run('OFAC_SDN', chunksOf(xml));
    expect(again.snapshotBlob).toBe(version.snapshotBlob);
  });

  test('a cut file leaves no half blob behind', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'compliance-import-'));
    const before = ports;
    ports = enginePorts(await openFolderBlobStore({ directory: folder }));
    try {
      const cut = Buffer.from(sdnFile()).subarray(0, -20);
      await expect(run('OFAC_SDN', chunksOf(cut))).rejects.toMatchObject({ code: 'list-damaged' });
      const files = await readdir(folder, { recursive: true, withFileTypes: true });
      expect(files.filter((file) => file.isFile())).toEqual([]);
    } finally {
      ports = before;
      await rm(folder, { recursive: true, force: true });
    }
  });
});
