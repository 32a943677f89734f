/** The group that crashing processes write, with every kind of effect, and how to look for it. */
import type { EventGroup } from '#core/audit';
import type { SourceId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  type ListSource,
  type ListVersion,
  listStore,
  sourceTable,
  versionTable,
} from '#slices/lists';
import { batchTable, chunkTable } from '../../../src/slices/batches/tables.ts';
import type { Storage } from '../../../src/storage/index.ts';
import { batchIdOf, endChunk, makeBatch, makeChunks, putBatch } from './batchRecords.ts';
import { BEFORE, leaseBefore, CHANGES as TABLE_CHANGES } from './crashTables.ts';
import {
  append,
  at,
  CHAIN_A,
  findTenant,
  makeBus,
  makeGroup,
  makeIdempotency,
  makeTenant,
  putTenant,
  TENANT_A,
} from './harness.ts';

const EVENTS = 3;
const SOURCE = 'DEMO' as SourceId;
const SCOPES = ['crash-1', 'crash-2'];

/** A chunk is done and counted: the batch is as it was but for that. */
const COUNTED = makeBatch(1, { counts: { ...makeBatch(1).counts, chunks: 7 }, version: 2 });

const VERSION: ListVersion = {
  sourceId: SOURCE,
  listVersion: 'v2026-01-02.a',
  listDigest: 'aa'.repeat(32),
  contentDigest: 'bb'.repeat(32),
  entityCount: 1,
  nameCount: 2,
  publishedAt: at(1),
  releaseDate: '2026-01-02',
  bundleBlob: 'cc'.repeat(32),
  snapshotBlob: 'dd'.repeat(32),
};

const LIST: ListSource = {
  sourceId: SOURCE,
  displayName: 'Demo',
  kind: 'PUBLIC',
  format: 'JSON',
  enabled: false,
  updatedAt: 0 as EpochMs,
  updatedBy: 'system',
  version: 1,
};

/** A record is made, and changed again by the same group. */
const CHANGES = [
  sourceTable.insert(LIST),
  versionTable.insert(VERSION),
  sourceTable.put({ ...LIST, active: VERSION, version: 2 }, 1),
];

/** What is there before: two events, and a batch under way whose first chunk is in hand. */
export async function prepareCrash(storage: Storage): Promise<void> {
  const changes = [putBatch(makeBatch(1)), ...BEFORE];
  await append(storage, { changes, count: 2, label: 'before' });
  await leaseBefore(storage.tables);
  const { tables } = storage;
  const batchId = batchIdOf(1);
  await tables.insertMissing(chunkTable, makeChunks(2));
  await tables.saveWork(batchTable, { key: { batchId }, work: { chunksTotal: 2 } });
  await tables.lease(chunkTable, {
    holder: 'one that dies',
    lane: [batchId],
    limit: 1,
    now: at(1),
  });
}

export function crashGroup(fromSeq: number, nowMs: number): EventGroup {
  return makeGroup({
    fromSeq,
    count: EVENTS,
    label: 'crash',
    bus: [makeBus('p', 'crash-1'), makeBus('p', 'crash-2')],
    idempotency: SCOPES.map((scope) => makeIdempotency(scope, at(nowMs))),
    changes: [
      putTenant(makeTenant(TENANT_A, 1), 0),
      ...CHANGES,
      endChunk(0),
      putBatch(COUNTED, 1),
      ...TABLE_CHANGES,
    ],
  });
}

/** Every trace of the group, as one value: equal to ALL or to NOTHING, or the store is torn. */
export async function tracesOf(storage: Storage) {
  const events = await storage.audit.readEvents({ chainId: CHAIN_A, fromSeq: 1, limit: 100 });
  const found = events.filter(({ body }) => body.includes('"label":"crash"'));
  const records = SCOPES.map((scope) => storage.audit.findIdempotency(scope, at(0)));
  const outbox = await storage.outbox.readFor('bus', 100);
  const lists = listStore(storage.tables);
  const source = await lists.findSource(SOURCE);
  const batchId = batchIdOf(1);
  const batch = await storage.tables.find(batchTable, { batchId });
  const page = { equal: { batchId }, index: 'key', limit: 9 };
  const { records: chunks } = await storage.tables.page(chunkTable, page);
  return {
    batch: batch?.version ?? 0,
    chunksDone: chunks.filter(({ result }) => result !== undefined).length,
    chunksInHand: (await storage.tables.held(chunkTable, { limit: 9 })).length,
    chunksTotal: batch?.chunksTotal ?? 0,
    counted: batch?.counts.chunks ?? 0,
    events: found.length,
    open: found.filter(({ open }) => open !== undefined).length,
    idempotency: (await Promise.all(records)).filter((record) => record !== undefined).length,
    outbox: outbox?.events.length ?? 0,
    tenant: (await findTenant(storage, TENANT_A))?.version ?? 0,
    source: source?.version ?? 0,
    active: source?.active?.listVersion ?? '',
    versions: (await lists.listVersions({ sourceId: SOURCE, limit: 9 })).length,
  };
}

export const ALL = {
  batch: 2,
  chunksDone: 1,
  chunksInHand: 0,
  chunksTotal: 2,
  counted: 7,
  events: EVENTS,
  open: EVENTS,
  idempotency: SCOPES.length,
  outbox: 2,
  tenant: 1,
  source: 2,
  active: 'v2026-01-02.a',
  versions: 1,
};
export const NOTHING = {
  batch: 1,
  chunksDone: 0,
  chunksInHand: 1,
  chunksTotal: 2,
  counted: 0,
  events: 0,
  open: 0,
  idempotency: 0,
  outbox: 0,
  tenant: 0,
  source: 0,
  active: '',
  versions: 0,
};
