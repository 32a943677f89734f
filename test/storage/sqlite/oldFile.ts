/**
 * A file as the release before declared tables left it (schema 6), row by row: one record or two of
 * each kind, a run and a batch in the hands of a worker, a chunk in hand, one done and one waiting.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { ApiKey, Person } from '#core/identity';
import type { SourceId } from '#core/kernel';
import type { ListRun, ScheduleAudit } from '#slices/ingestion';
import type { ListSource, ListVersion } from '#slices/lists';
import type { ResolutionPointer } from '#slices/resolution';
import { MIGRATIONS } from '../../../src/storage/sqlite/migrations/index.ts';
import { makeBatch, makeChunk, makeResult, makeReview } from '../contract/batchRecords.ts';
import { at, makeTenant, TENANT_A, TENANT_B } from '../contract/harness.ts';

const SCHEMA = 6;
const SOURCE = 'OFAC_SDN' as SourceId;

const makeVersion = (letter: string): ListVersion => ({
  sourceId: SOURCE,
  listVersion: `v2026-01-02.${letter}`,
  listDigest: 'list digest',
  contentDigest: 'content digest',
  entityCount: 7390,
  nameCount: 18_000,
  publishedAt: at(1_700_000_000_000),
  releaseDate: '2026-01-02',
  bundleBlob: 'aa'.repeat(32),
  snapshotBlob: 'bb'.repeat(32),
});

const makeRun = (number: number, given: Partial<ListRun> = {}): ListRun => ({
  runId: `run-${number}`,
  sourceId: SOURCE,
  kind: 'full',
  triggeredBy: 'cron',
  startedAt: at(1_000 * number),
  status: 'running',
  log: [{ at: at(1), level: 'info', text: 'é ≤ الشركة' }],
  version: 1,
  ...given,
});

const apiKey: ApiKey = {
  id: 'key-1',
  tenantId: TENANT_A,
  hash: 'hash of key-1',
  prefix: 'cp_live_abcd',
  name: 'till',
  roles: ['agent_l1'],
  createdAt: at(1),
  version: 1,
};

const person = (tenantId: Person['tenantId'], id: string): Person => ({
  id,
  tenantId,
  name: `Person ${id}`,
  roles: ['mlro'],
  accounts: [],
  keys: [],
  version: 1,
});

const leased = { leaseHolder: 'gone', leaseUntil: at(5_000) };

/** What stands in the file, as its readers saw it. */
export const OLD = {
  apiKey: { ...apiKey, lastUsedAt: at(77) },
  approval: { tenantId: TENANT_A, digest: 'ab'.repeat(32), expiresAt: at(9_000) },
  audits: [1, 2].map(
    (seq): ScheduleAudit => ({
      auditId: `audit-${seq}`,
      sourceId: SOURCE,
      seq,
      changedAt: at(seq),
      changedBy: 'person-1',
      field: 'cron_full',
      oldValue: null,
      newValue: '0 0 2 ? * SUN',
      approvalUserId: 'person-2',
      approvalReason: 'requested',
      chainHash: 'ab'.repeat(32),
    }),
  ),
  batches: [
    makeBatch(1, { ...leased, status: 'running', chunksTotal: 3, rejectedTotal: 7, version: 4 }),
    makeBatch(2, { status: 'completed', chunksTotal: 0 }),
    makeBatch(3, { tenantId: TENANT_B, kind: 'sanctions' }),
  ],
  chunks: [makeChunk(0), makeChunk(1), makeChunk(2)],
  persons: [person(TENANT_A, 'person-1'), person(TENANT_B, 'person-1')],
  resolutions: [1, 2].map(
    (version): ResolutionPointer => ({ blob: `blob ${version}`, lists: [], version }),
  ),
  result: makeResult('0'),
  reviews: [makeReview(1), makeReview(2, { decision: 'true_positive', ordinal: 1, position: 4 })],
  runs: [
    makeRun(1, { status: 'success', finishedAt: at(2_000), version: 3 }),
    makeRun(2, { ...leased, stage: 'read', tries: 2 }),
  ],
  source: {
    sourceId: SOURCE,
    displayName: 'List',
    kind: 'PUBLIC',
    format: 'XML',
    enabled: false,
    updatedAt: at(0),
    updatedBy: 'system',
    active: makeVersion('a'),
    version: 2,
  } satisfies ListSource,
  tenant: makeTenant(TENANT_A, 1),
  versions: [makeVersion('b'), makeVersion('a')],
};

/** Makes the file; the columns are in the order of the migrations. */
export async function writeOldFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  for (const migration of MIGRATIONS.slice(0, SCHEMA)) database.exec(migration);
  database.exec(`PRAGMA application_id = 0x436d7050; PRAGMA user_version = ${SCHEMA}`);
  const add = (table: string, ...values: SQLInputValue[]) => {
    const marks = values.map(() => '?').join(', ');
    database.prepare(`INSERT INTO ${table} VALUES (${marks})`).run(...values);
  };
  const text = JSON.stringify;
  add('tenant', OLD.tenant.id, 1, text(OLD.tenant));
  add('api_key', TENANT_A, apiKey.id, apiKey.hash, 1, 77, text(apiKey));
  for (const one of OLD.persons) add('person', one.tenantId, one.id, 1, text(one));
  add('approval_consumed', TENANT_A, OLD.approval.digest, OLD.approval.expiresAt);
  add('list_source', SOURCE, 2, text(OLD.source));
  OLD.versions.forEach((one, index) => {
    const { contentDigest, listDigest, listVersion } = one;
    add('list_version', index + 1, SOURCE, listVersion, listDigest, contentDigest, text(one));
  });
  for (const one of OLD.resolutions) add('list_resolution', one.version, text(one));
  database.exec('UPDATE publication_counter SET publications = 5');
  for (const one of OLD.runs) {
    const { finishedAt = null, runId, startedAt, status, version } = one;
    add('list_run', runId, SOURCE, status, startedAt, finishedAt, version, text(one));
  }
  for (const one of OLD.audits) add('schedule_audit', SOURCE, one.seq, text(one));
  for (const one of OLD.batches) {
    const { batchId, name, requestedAt, status, tenantId, version } = one;
    const isOpen = status === 'completed' ? 0 : 1;
    add('batch', batchId, tenantId, name, status, isOpen, requestedAt, version, text(one));
  }
  OLD.chunks.forEach((one, no) => {
    const [holder, until, tries] = no === 1 ? ['gone', 5_000, 2] : [null, 0, 0];
    const result = no === 0 ? text(OLD.result) : null;
    add('batch_chunk', one.batchId, no, holder ?? null, until ?? 0, result, text(one), tries ?? 0);
  });
  for (const one of OLD.reviews) {
    const { batchId, decision, hitId, ordinal, position } = one;
    add('batch_review', batchId, hitId, ordinal, position, decision, 1, text(one));
  }
  database.close();
}
