/** A file of the former release, read and written by its declarations. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identityStore } from '#core/identity';
import { type AnyTable, PLATFORM_CHAIN, type TableChange } from '#core/kernel';
import { runStore } from '#slices/ingestion';
import { listStore } from '#slices/lists';
import { resolutionStore } from '#slices/resolution';
import { batchStore } from '../../../src/slices/batches/batchStore.ts';
import { openStorage, type Storage } from '../../../src/storage/index.ts';
import { batchIdOf } from '../contract/batchRecords.ts';
import { append, at, CHAIN_A, type StoreHarness, TENANT_A, TENANT_B } from '../contract/harness.ts';
import * as old from '../contract/oldTables.ts';
import { makeNewSqliteHarness } from './harness.ts';
import { OLD, writeOldFile } from './oldFile.ts';

let harness: StoreHarness & { dataDir: string };
let file: string;
let storage: Storage;

const open = (tables: readonly AnyTable[] = old.OLD_TABLES) =>
  openStorage({ clock: harness.clock, dataDir: harness.dataDir, tables });
const commit = async (...changes: TableChange[]) => {
  // What a tenant's chain writes is of this tenant.
  const isOfTenant = changes.every(({ table }) => table.startsWith('batch'));
  const chain = isOfTenant ? CHAIN_A : PLATFORM_CHAIN;
  const { result } = await append(storage, { chain, changes });
  return result.kind;
};
const look = <T>(work: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
};
const rowOf = (table: string, where: string) =>
  look((database) => database.prepare(`SELECT * FROM ${table} WHERE ${where}`).get());

beforeEach(async () => {
  harness = await makeNewSqliteHarness();
  file = join(harness.dataDir, 'store', 'compliance.sqlite');
  await writeOldFile(file);
  storage = await open();
});
afterEach(async () => {
  await storage.close();
  await harness.dispose();
});

test('every record reads as it did', async () => {
  const { tables } = storage;
  const all = async (table: AnyTable) => {
    const { records } = await tables.page(table as typeof old.tenants, {
      index: 'key',
      limit: 1_000,
    });
    return records as readonly unknown[];
  };
  expect(await all(old.tenants)).toStrictEqual([OLD.tenant]);
  expect(await all(old.apiKeys)).toStrictEqual([OLD.apiKey]);
  expect(await all(old.persons)).toStrictEqual(OLD.persons);
  expect(await all(old.consumedApprovals)).toStrictEqual([OLD.approval]);
  expect(await all(old.sources)).toStrictEqual([OLD.source]);
  expect(await all(old.versions)).toStrictEqual([...OLD.versions].reverse());
  expect(await all(old.resolutions)).toStrictEqual(OLD.resolutions);
  expect(await all(old.runs)).toStrictEqual(OLD.runs);
  expect(await all(old.scheduleAudits)).toStrictEqual(OLD.audits);
  expect(await all(old.batches)).toStrictEqual(OLD.batches);
  const [done, ...open] = OLD.chunks;
  expect(await all(old.chunks)).toStrictEqual([{ ...done, result: OLD.result }, ...open]);
  expect(await all(old.reviews)).toStrictEqual(OLD.reviews);
  expect(await tables.stamp('publications')).toBe(5);
});

test('pages are in the order of publication, of requests, and by kind', async () => {
  const { tables } = storage;
  const { sourceId } = OLD.source;
  const newest = { direction: 'descending', equal: { sourceId }, index: 'placed' } as const;
  const first = await tables.page(old.versions, { ...newest, limit: 1 });
  expect(first.records).toStrictEqual(OLD.versions.slice(1));
  const after = first.next ?? [];
  expect((await tables.page(old.versions, { ...newest, after, limit: 9 })).records).toStrictEqual(
    OLD.versions.slice(0, 1),
  );
  const ofKind = (kind: string, tenantId: string = TENANT_A) =>
    tables.page(old.batches, { equal: { kind, tenantId }, index: 'byKind', limit: 9 });
  expect((await ofKind('aml')).records).toStrictEqual(OLD.batches.slice(0, 2));
  expect((await ofKind('sanctions', TENANT_B)).records).toStrictEqual(OLD.batches.slice(2));
  const turns = { equal: { isOpen: true }, index: 'open', lane: 'tenantId', limit: 9 };
  const [one, , three] = OLD.batches;
  expect(await tables.inTurns(old.batches, turns)).toStrictEqual([one, three]);
  const unique = { hash: OLD.apiKey.hash };
  expect(await tables.findUnique(old.apiKeys, 'hash', unique)).toStrictEqual(OLD.apiKey);
});

test('work that a worker left is held by it, and is taken over', async () => {
  const { tables } = storage;
  const lease = { beat: 0, fence: 0, holder: 'gone' };
  const [batch] = await tables.held(old.batches, { limit: 9 });
  expect(batch).toStrictEqual({ lease: { ...lease, tries: 0 }, record: OLD.batches[0] });
  const [run] = await tables.held(old.runs, { limit: 9 });
  expect(run).toStrictEqual({ lease: { ...lease, tries: 2 }, record: OLD.runs[1] });
  const [chunk, ...others] = await tables.held(old.chunks, { limit: 9 });
  expect(chunk).toStrictEqual({ lease: { ...lease, tries: 2 }, record: OLD.chunks[1] });
  expect(others).toEqual([]);
  const seen = { ...lease, tries: 2 };
  const key = { batchId: batchIdOf(1), chunkNo: 1 };
  const taken = await tables.takeOver(old.chunks, { holder: 'next', key, seen });
  expect(taken?.lease).toEqual({ beat: 1, fence: 1, holder: 'next', tries: 3 });
  const lane = [batchIdOf(1)];
  const waiting = { holder: 'other', lane, limit: 9, now: at(1) };
  expect((await tables.lease(old.chunks, waiting)).map(({ record }) => record.chunkNo)).toEqual([
    2,
  ]);
  expect(await tables.lanes(old.chunks, { limit: 9, now: at(1) })).toEqual([]);
});

test('a put carries the work fields of an old document over', async () => {
  const [batch] = OLD.batches;
  if (batch === undefined) throw new Error('no batch');
  const { tables } = storage;
  const counted = { ...batch, counts: { ...batch.counts, chunks: 1 }, version: 5 };
  expect(await commit(old.batches.put({ ...counted, rejectedTotal: 0 }, 4))).toBe('appended');
  expect(await tables.find(old.batches, batch)).toStrictEqual(counted);
  const row = rowOf('batch', `batch_id = '${batch.batchId}'`);
  expect(JSON.parse(String(row?.work))).toMatchObject({ chunksTotal: 3, rejectedTotal: 7 });
  expect(JSON.parse(String(row?.document))).not.toHaveProperty('rejectedTotal');
  const work = { notice: undefined, rejectedTotal: 8 };
  expect(await tables.saveWork(old.batches, { key: batch, work })).toBe(true);
  expect(await tables.find(old.batches, batch)).toStrictEqual({ ...counted, rejectedTotal: 8 });
});

test('work fields of an old document are saved, and taken away', async () => {
  const [, run] = OLD.runs;
  if (run === undefined) throw new Error('no run');
  const { tables } = storage;
  const save = (work: object) => tables.saveWork(old.runs, { key: run, work });
  expect(await save({ fetchedBytes: 9, stage: undefined })).toBe(true);
  const { stage: _, ...rest } = run;
  expect(await tables.find(old.runs, run)).toStrictEqual({ ...rest, fetchedBytes: 9 });
  const row = rowOf('list_run', `run_id = '${run.runId}'`);
  expect(JSON.parse(String(row?.document))).toStrictEqual(run);
});

test('each table is written by its declaration, and its store reads it', async () => {
  const [, version] = OLD.versions;
  const [, resolution] = OLD.resolutions;
  const [, audit] = OLD.audits;
  const [, run] = OLD.runs;
  const [, chunk] = OLD.chunks;
  const [review] = OLD.reviews;
  const [batch] = OLD.batches;
  if (!version || !resolution || !audit || !run || !chunk || !review || !batch) throw new Error();
  const label = { ...version, listVersion: 'v2026-01-03.a' };
  const ended = { ...run, finishedAt: at(9_000), status: 'success' as const, version: 2 };
  const result = { ...OLD.result, hits: 0 };
  const changes = [
    old.tenants.put({ ...OLD.tenant, name: 'other', version: 2 }, 1),
    old.apiKeys.put({ ...OLD.apiKey, lastUsedAt: at(1), name: 'other', version: 2 }, 1),
    old.consumedApprovals.insert({ ...OLD.approval, digest: 'cd'.repeat(32) }),
    old.versions.insert(label),
    old.sources.put({ ...OLD.source, active: label, version: 3 }, 2),
    old.resolutions.insert({ ...resolution, version: 3 }),
    old.scheduleAudits.insert({ ...audit, seq: 3 }),
    old.runs.put(ended, 1),
  ];
  const ofTenant = [
    old.batches.put({ ...batch, status: 'canceled', version: 5 }, 4),
    old.chunks.put({ ...chunk, result }),
    old.reviews.put({ ...review, decision: 'true_positive', version: 2 }, 1),
  ];
  expect(await commit(...changes)).toBe('appended');
  expect(await commit(...ofTenant)).toBe('appended');
  const runs = runStore(storage.tables);
  const batches = batchStore(storage.tables);
  const identity = identityStore(storage.tables);
  const lists = listStore(storage.tables);
  expect((await identity.findTenant(TENANT_A))?.name).toBe('other');
  expect(await identity.findApiKeyByHash(OLD.apiKey.hash)).toMatchObject({
    lastUsedAt: 77,
    name: 'other',
  });
  expect((await lists.findSource(OLD.source.sourceId))?.active).toStrictEqual(label);
  const newest = await lists.listVersions({ limit: 1, sourceId: OLD.source.sourceId });
  expect(newest).toStrictEqual([label]);
  expect(await lists.publicationCounter()).toBe(7);
  expect((await resolutionStore(storage.tables).findResolution())?.version).toBe(3);
  expect(await runs.findRun(run.runId)).toMatchObject({ finishedAt: 9_000, status: 'success' });
  expect(await storage.tables.held(old.runs, { limit: 9 })).toEqual([]);
  expect(await batches.openBatches(9)).toStrictEqual([OLD.batches[2]]);
  expect(await batches.findChunk(chunk.batchId, 1)).toStrictEqual({ ...chunk, result });
  const decided = { batchId: review.batchId, decision: 'true_positive' as const, limit: 9 };
  expect(await batches.listReviews(decided)).toHaveLength(2);
  expect(await commit(old.chunks.put({ ...chunk, result }))).toBe('stale');
  expect(await commit(old.runs.put({ ...ended, version: 3 }, 2))).toBe('stale');
});

test('a used approval and a run go after their time', async () => {
  const { tables } = storage;
  const day = 24 * 3_600_000;
  expect(await tables.purge(old.consumedApprovals, at(8_999 + day))).toBe(0);
  expect(await tables.purge(old.consumedApprovals, at(9_000 + day))).toBe(1);
  expect(await tables.purge(old.runs, at(2_000 + 90 * 86_400_000))).toBe(1);
  expect(await tables.find(old.runs, { runId: 'run-1' })).toBeUndefined();
  expect(await tables.find(old.runs, { runId: 'run-2' })).toBeDefined();
});

test('the migration and the opening leave every row of before as it was', async () => {
  const columns = { batch: 8, batch_chunk: 7, batch_review: 7, list_run: 7, list_version: 6 };
  const rows = (path: string) => {
    const database = new DatabaseSync(path);
    const found = Object.entries(columns).map(([table, count]) =>
      database
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .map((row) => Object.values(row).slice(0, count)),
    );
    database.close();
    return found;
  };
  const untouched = join(harness.dataDir, 'untouched', 'compliance.sqlite');
  await writeOldFile(untouched);
  expect(rows(file)).toEqual(rows(untouched));
});
