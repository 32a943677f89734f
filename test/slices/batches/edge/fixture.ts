/** Batches through a whole gateway: how they are sent, and what a worker would have written. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TSchema } from 'typebox';
import { type EventDraft, entry } from '#core/audit';
import { type BatchId, chainOf, type TableChange, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import {
  type Batch,
  BatchIds,
  batchStore,
  batchTable,
  chunkTable,
  type MatchType,
  noCounts,
  openBatchFile,
  packLines,
  rootOfLines,
  type SubjectResult,
} from '#slices/batches';
import { compileSchema } from '../../../../src/api/validate.ts';
import { chunkEntry } from '../../../../src/slices/batches/batchEvidence.ts';
import type { Answer, Caller, RealGateway } from '../../../api/realGateway.ts';

export const SUBJECTS = [
  { dob: '1971-03-14', external_id: 'C-1', full_name: 'Tarek Velmorani' },
  { external_id: 'C-2', full_name: 'سالم بن علي', type: 'individual' },
  { external_id: 'C-3', full_name: 'Nobody Atall' },
];

export interface CreatedBody {
  readonly batch_id: string;
  readonly status: string;
  readonly subjects_total: number;
  readonly estimated_completion: string;
}

export function csvOf(rows: number): string {
  const lines = Array.from({ length: rows }, (_, at) => `C-${at},Name ${at}\n`);
  return `external_id,full_name\n${lines.join('')}`;
}

/** Parts in order; the boundary is drawn anew, as clients do. */
export function formOf(
  fields: readonly (readonly [string, string])[],
  file: Uint8Array | string,
  fileName = 'customers.csv',
): { readonly body: Buffer; readonly contentType: string } {
  const boundary = `b${crypto.randomUUID()}`;
  const head = (disposition: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
  const texts = fields.map(([name, value]) => `${head(`name="${name}"`)}${value}\r\n`);
  const body = Buffer.concat([
    Buffer.from(texts.join('')),
    Buffer.from(head(`name="file"; filename="${fileName}"`)),
    Buffer.from(file),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}

export async function postForm(
  caller: Caller,
  form: { readonly body: Buffer; readonly contentType: string },
  key: string = crypto.randomUUID(),
): Promise<Answer> {
  return caller.send('/v1/aml/batches/csv', {
    body: new Uint8Array(form.body),
    headers: { 'Content-Type': form.contentType, 'Idempotency-Key': key },
    method: 'POST',
  });
}

/** Text as it is, so that the same JSON may be written in several ways. */
export async function postText(
  caller: Caller,
  text: string,
  key: string = crypto.randomUUID(),
): Promise<Answer> {
  return caller.send('/v1/aml/batches', {
    body: text,
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    method: 'POST',
  });
}

/** Files in the blob store: named ones, and those that are still written. */
export async function filesIn(gateway: RealGateway, folder: 'sha256' | 'tmp'): Promise<string[]> {
  const directory = join(gateway.installation.config.dataDir, 'blobs', folder);
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** What a schema says against a body: nothing. */
export const misdescribed = (schema: TSchema, body: unknown) => compileSchema(schema)(body);

export async function batchesOf(caller: Caller): Promise<{ batch_id: string }[]> {
  return (await caller.get('/v1/aml/batches?limit=200')).json<{ data: { batch_id: string }[] }>()
    .data;
}

/** The record itself, as workers read it. */
/** What came in, out of its sealed blob. */
export async function readSource(
  gateway: RealGateway,
  tenantId: TenantId,
  batchId: string,
): Promise<Buffer> {
  const batch = await storedBatch(gateway, tenantId, batchId);
  const file = { file: batch.source, name: 'source' } as const;
  const pieces: Uint8Array[] = [];
  for await (const piece of await openBatchFile(gateway.installation, batch, file)) {
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

export async function storedBatch(
  { installation }: RealGateway,
  tenantId: TenantId,
  batchId: string,
): Promise<Batch> {
  const batch = await batchStore(installation.storage.tables).findBatch({
    batchId: batchId as BatchId,
    tenantId,
  });
  if (batch === undefined) throw new Error(`batch ${batchId} is not there`);
  return batch;
}

const WORK_FIELDS = ['chunksTotal', 'notice', 'rejected', 'rejectedTotal', 'subjectsTotal'];

/** Commits the members, as every change of a batch; work fields are saved as workers do. */
export async function changeBatch(
  { installation }: RealGateway,
  batch: Batch,
  more: Partial<Batch>,
  changes: readonly TableChange[] = [],
  events: readonly EventDraft[] = [],
): Promise<Batch> {
  const next = { ...batch, ...more, version: batch.version + 1 };
  const told = {
    action: 'aml.batch.started',
    actor: 'cli:test',
    target: batch.batchId,
  } as const;
  const work = Object.fromEntries(
    Object.entries(more).filter(([name]) => WORK_FIELDS.includes(name)),
  );
  await installation.storage.tables.saveWork(batchTable, { key: batch, work });
  await installation.audit.commit(chainOf(batch.tenantId), {
    bus: [],
    changes: [...changes, batchTable.put(next, batch.version)],
    events: [entry(installation, told), ...events],
  });
  return next;
}

/** Chunks that wait, as the worker that reads the cohort leaves them. */
export async function withChunks(
  gateway: RealGateway,
  batch: Batch,
  { chunks, chunkSubjects }: { readonly chunks: number; readonly chunkSubjects: number },
): Promise<Batch> {
  const { storage } = gateway.installation;
  const running = await changeBatch(gateway, batch, {
    chunkSubjects,
    chunksTotal: chunks,
    startedAt: batch.requestedAt,
    status: 'running',
    subjectsTotal: chunks * chunkSubjects,
  });
  await storage.tables.insertMissing(
    chunkTable,
    Array.from({ length: chunks }, (_, chunkNo) => ({
      batchId: batch.batchId,
      chunkNo,
      input: '0'.repeat(64),
      subjects: chunkSubjects,
      tenantId: batch.tenantId,
    })),
  );
  return running;
}

const TYPES: readonly MatchType[] = ['sanction', 'pep', 'adverse_media', 'rca'];

/** One chunk is done: each of its subjects with so many hits, scored and typed by their places. */
export async function chunkDone(
  gateway: RealGateway,
  batch: Batch,
  { chunkNo, hitsOf }: { readonly chunkNo: number; readonly hitsOf: (ordinal: number) => number },
): Promise<Batch> {
  const ids = new BatchIds(batch);
  const first = chunkNo * batch.chunkSubjects;
  const results = Array.from({ length: batch.chunkSubjects }, (_, at) =>
    resultOf(ids, first + at, hitsOf(first + at)),
  );
  const lines = results.map((result) => canonicalJson(result));
  const { address } = await gateway.installation.blobs.put(await packLines(lines));
  const hits = results.flatMap((result) => result.hits);
  const byMatchType = { ...noCounts().byMatchType };
  for (const { match_type } of hits) byMatchType[match_type]++;
  const result = {
    blob: address,
    byDecision: { ...noCounts().byDecision, match: hits.length },
    byMatchType,
    completedAt: batch.requestedAt,
    hits: hits.length,
    merkleRoot: rootOfLines(lines),
    subjectsWithHits: results.filter((one) => one.hits.length > 0).length,
  };
  const { batchId, counts } = batch;
  const chunk = await batchStore(gateway.installation.storage.tables).findChunk(batchId, chunkNo);
  if (chunk === undefined) throw new Error(`chunk ${chunkNo} is not there`);
  return changeBatch(
    gateway,
    batch,
    {
      counts: {
        ...counts,
        chunks: counts.chunks + 1,
        hits: counts.hits + hits.length,
        subjects: counts.subjects + results.length,
        subjectsWithHits: counts.subjectsWithHits + result.subjectsWithHits,
      },
    },
    [chunkTable.put({ ...chunk, result })],
    [chunkEntry(gateway.installation, batch, { ...chunk, result })],
  );
}

function resultOf(ids: BatchIds, ordinal: number, hits: number): SubjectResult {
  return {
    batch_subject_id: ids.subject(ordinal),
    decision: hits === 0 ? 'auto_clear' : 'match',
    // What looks like a line without hits, and is none.
    external_id: `C-${ordinal}"hits":[],`,
    hits: Array.from({ length: hits }, (_, position) => ({
      hit_id: ids.hit({ ordinal, position }),
      list_source: 'DEMO',
      match_score: 1 - position / 100,
      match_type: TYPES[(ordinal + position) % TYPES.length] ?? 'sanction',
      payload: { ftm_id: `demo-${ordinal}-${position}` },
      record_id: `demo-${ordinal}-${position}`,
      strong: position === 0,
    })),
    line: ordinal + 1,
    ordinal,
    salt: ids.salt(ordinal),
    subject: { external_id: `C-${ordinal}`, full_name: 'Tarek Velmorani' },
    truncated: false,
  };
}
