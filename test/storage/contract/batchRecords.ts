/** Made-up batches, chunks and reviews, and their changes. */
import { createHash } from 'node:crypto';
import type { BatchId, TableChange } from '#core/kernel';
import type { Batch, BatchChunk, ChunkResult, HitReview } from '#slices/batches';
import type { ScreeningSettings } from '#slices/screening';
import { batchTable, chunkTable, reviewTable } from '../../../src/slices/batches/tables.ts';
import { at, TENANT_A } from './harness.ts';

const START = 1_700_000_000_000;

export const batchIdOf = (number: number): BatchId =>
  `0190dddd-0000-7000-8000-${String(number).padStart(12, '0')}` as BatchId;
export const hitIdOf = (number: number): string =>
  `0190eeee-0000-8000-8000-${String(number).padStart(12, '0')}`;
export const numberOf = (id: string): number => Number(id.slice(-12));
export const addressOf = (label: string): string =>
  createHash('sha256').update(label).digest('hex');

/** Spelled out: processes that only crash need not load the slice for it. */
const NO_COUNTS: Batch['counts'] = {
  byDecision: { auto_clear: 0, match: 0, review: 0 },
  byMatchType: { adverse_media: 0, pep: 0, rca: 0, sanction: 0 },
  chunks: 0,
  hits: 0,
  subjects: 0,
  subjectsWithHits: 0,
};

export function makeBatch(number: number, given: Partial<Batch> = {}): Batch {
  return {
    batchId: batchIdOf(number),
    tenantId: TENANT_A,
    kind: 'aml',
    name: 'monthly',
    mode: 'full',
    lists: [],
    includePep: true,
    includeAdverseMedia: true,
    source: { type: 'csv', format: 'csv', address: addressOf(`source ${number}`), bytes: 10 },
    sandbox: false,
    requestedBy: 'key-1',
    requestedAt: at(START + number * 1_000),
    baseUrl: 'https://example.test/v1',
    settings: { policyVersion: 1, topN: 20 } as ScreeningSettings,
    thresholds: { autoClear: 0.6, review: 0.85, autoMatch: 0.95 },
    secret: 'é ≤ الشركة',
    chunkSubjects: 1_000,
    status: 'queued',
    subjectsTotal: 3_000,
    rejectedTotal: 0,
    counts: NO_COUNTS,
    version: 1,
    ...given,
  };
}

export const BATCH_TABLES = [batchTable, chunkTable, reviewTable];

export const putBatch = (batch: Batch, versionExpected = 0): TableChange =>
  batchTable.put(batch, versionExpected);

export const makeChunk = (chunkNo: number, batchNumber = 1): BatchChunk => ({
  batchId: batchIdOf(batchNumber),
  tenantId: TENANT_A,
  chunkNo,
  subjects: 1_000,
  input: addressOf(`input ${batchNumber}/${chunkNo}`),
});

export const makeChunks = (count: number, batchNumber = 1): BatchChunk[] =>
  Array.from({ length: count }, (_, chunkNo) => makeChunk(chunkNo, batchNumber));

export const makeResult = (label: string): ChunkResult => ({
  blob: addressOf(`result ${label}`),
  merkleRoot: addressOf(`root ${label}`),
  completedAt: at(START),
  subjectsWithHits: 2,
  hits: 3,
  byDecision: { auto_clear: 998, match: 1, review: 1 },
  byMatchType: { adverse_media: 0, pep: 1, rca: 0, sanction: 2 },
});

export const endChunk = (chunkNo: number, label = `${chunkNo}`, batchNumber = 1): TableChange =>
  chunkTable.put({ ...makeChunk(chunkNo, batchNumber), result: makeResult(label) });

export const makeReview = (number: number, given: Partial<HitReview> = {}): HitReview => ({
  batchId: batchIdOf(1),
  tenantId: TENANT_A,
  hitId: hitIdOf(number),
  ordinal: number,
  position: 0,
  decision: 'false_positive',
  notes: 'é ≤ الشركة',
  reviewerId: 'person-1',
  reviewedAt: at(START),
  version: 1,
  ...given,
});

export const putReview = (review: HitReview, versionExpected = 0): TableChange =>
  reviewTable.put(review, versionExpected);
