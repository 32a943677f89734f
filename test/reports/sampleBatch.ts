/**
 * A batch that was screened, made up: its record, chunks with result lines and Merkle roots, a
 * chain with their events, and the keys. What reports, attestation and proofs are tested on.
 */
import { createHash } from 'node:crypto';
import {
  type ChainHead,
  GENESIS_HASH,
  newKeyRing,
  prepareEvent,
  type SealedEvent,
  sealEvent,
} from '#core/audit';
import { type BatchId, chainOf, type SourceId, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { type Signer, signerFromSeed } from '#platform/crypto';
import { merkleRoot } from '#platform/merkleTree';
import { type Random, uuidV7 } from '#platform/random';
import {
  type Batch,
  type BatchChunk,
  type BatchHit,
  BatchIds,
  type ChunkFindings,
  type ChunkResult,
  chunkLeaf,
  MATCH_TYPES,
  type MatchType,
  noCounts,
  parseResult,
  type ReportFrom,
  rootOfLines,
  type ScreenedBatch,
  type SubjectResult,
} from '#slices/batches';
import type { Subject } from '#slices/intake';
import type { ShownFacts } from '#slices/lists';
import { chunkEntry, startedEntry } from '../../src/slices/batches/batchEvidence.ts';

export const TENANT_ID = '01900000-0000-7000-8000-000000000001' as TenantId;
export const BATCH_ID = '01900000-0000-7000-8000-0000000000b1' as BatchId;
export const STARTED_AT = Date.UTC(2026, 10, 20, 18, 0) as EpochMs;
const SECOND = 1_000;

export interface Sample {
  readonly batch: ScreenedBatch;
  readonly chunks: readonly ChunkFindings[];
  readonly from: ReportFrom;
  /** Signed when they are asked for. */
  readonly events: () => readonly SealedEvent[];
  readonly signer: Signer;
  readonly keys: ReturnType<typeof newKeyRing>;
}

export interface SampleOptions {
  readonly subjects: number;
  readonly chunkSubjects?: number;
  readonly tenantName?: string;
  readonly name?: string;
  readonly subjectOf?: (ordinal: number) => Subject;
  /** Hits of a subject; every tenth has one where absent. */
  readonly hitsOf?: (ordinal: number) => number;
}

export const sampleSigner = (): Signer => signerFromSeed(createHash('sha256').update('k').digest());

export function sampleBatch(options: SampleOptions): Sample {
  const { chunkSubjects = 1_000, subjects } = options;
  const signer = sampleSigner();
  const queued = queuedBatch(options);
  const ids = new BatchIds(queued);
  const chunks: ChunkFindings[] = [];
  for (let first = 0; first < subjects; first += chunkSubjects) {
    const count = Math.min(chunkSubjects, subjects - first);
    const results = Array.from({ length: count }, (_, at) => resultOf(first + at, ids, options));
    chunks.push(findingsOf(queued, chunks.length, results));
  }
  const batch = completed(queued, chunks);
  return {
    batch,
    chunks,
    events: () => sealedEvents(batch, chunks, signer),
    from: {
      batch,
      chunks: () => streamOf(chunks),
      factsOf: async (hits) => hits.map(sampleFacts),
      tenantName: options.tenantName ?? 'Bank',
    },
    keys: newKeyRing(signer.publicKey),
    signer,
  };
}

/** Of every hit the same, but for its id. */
export const sampleFacts = ({ record_id }: Pick<BatchHit, 'record_id'>): ShownFacts => ({
  dates_of_birth: ['1961-05-14', '1962'],
  citizenships: ['TN'],
  countries: [],
  programmes: ['SDGT'],
  akas: [`Other ${record_id}`, '=1+1'],
  identifiers: ['Passport'],
});

async function* streamOf(chunks: readonly ChunkFindings[]): AsyncGenerator<ChunkFindings> {
  yield* chunks;
}

function queuedBatch({ chunkSubjects = 1_000, name = 'Friday', subjects }: SampleOptions): Batch {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const listOf = (source: string, at: number) => ({
    content_digest: digest(`content ${source}`),
    list_digest: digest(source),
    list_version: `v2026-11-${10 + at}.a`,
    published_at: (STARTED_AT - (at + 1) * 86_400_000) as EpochMs,
    source: source as SourceId,
  });
  return {
    baseUrl: 'https://example.test/v1',
    batchId: BATCH_ID,
    chunkSubjects,
    counts: noCounts(),
    includeAdverseMedia: true,
    includePep: true,
    kind: 'aml',
    lists: ['OFAC', 'UN'],
    listsPinned: ['OFAC_SDN', 'UN_SC'].map(listOf),
    listVersion: digest('lists'),
    mode: 'full',
    name,
    rejected: { address: digest('rejected'), bytes: 60 },
    rejectedTotal: 2,
    requestedAt: (STARTED_AT - 5 * SECOND) as EpochMs,
    requestedBy: 'key-1',
    sandbox: true,
    secret: Buffer.alloc(32, 7).toString('base64'),
    settings: {
      boosts: { DI: 0.75, PEP: 0.85, RCA: 0.7, SAN: 1, SI: 0.9 },
      missingAttributes: 'rescale',
      phoneticNames: 'all',
      policyVersion: 1,
      rerankerVersion: '1.0.0',
      topN: 50,
    } as unknown as Batch['settings'],
    source: {
      address: digest('file'),
      bytes: subjects * 110,
      fileName: 'customers.csv.gz',
      format: 'csv',
      type: 'csv',
    },
    startedAt: STARTED_AT,
    status: 'running',
    subjectsTotal: subjects,
    tenantId: TENANT_ID,
    thresholds: { autoClear: 0.6, autoMatch: 0.95, review: 0.85 },
    version: 3,
  };
}

const NAMES = ['Amal Ben Salah', 'Nour, "Nono" El Din', 'محمد علي', 'Иван Петров', '=SUM(A1)'];

function subjectOf(ordinal: number): Subject {
  return {
    country_residence: 'TN',
    dob: '1980-01-02',
    external_id: `C-${ordinal}`,
    full_name: NAMES[ordinal % NAMES.length] ?? '',
    full_name_ar: 'محمد علي',
    national_id: `-${7_000_000 + ordinal}`,
    nationality: 'TN',
    type: 'individual',
  };
}

function resultOf(ordinal: number, ids: BatchIds, options: SampleOptions): SubjectResult {
  const count = options.hitsOf?.(ordinal) ?? (ordinal % 10 === 3 ? 1 : 0);
  const subject = (options.subjectOf ?? subjectOf)(ordinal);
  return {
    batch_subject_id: ids.subject(ordinal),
    decision: count > 0 ? 'match' : 'auto_clear',
    external_id: subject.external_id,
    hits: Array.from({ length: count }, (_, position) => hitOf(ordinal, position, ids)),
    line: ordinal + 2,
    ordinal,
    salt: ids.salt(ordinal),
    subject,
    truncated: false,
  };
}

function hitOf(ordinal: number, position: number, ids: BatchIds): BatchHit {
  const score = 0.9 + (position % 10) / 100;
  return {
    hit_id: ids.hit({ ordinal, position }),
    list_source: 'OFAC_SDN',
    match_score: score,
    match_type: MATCH_TYPES[position % MATCH_TYPES.length] as MatchType,
    payload: {
      directScore: score,
      ftm_id: `ofac-${position}`,
      matched_name: 'ALI, Mohammed',
      merged: position === 0 ? [{ ftm_id: 'un-QDi.001', source: 'UN_SC' }] : [],
      nameScore: 0.912345678,
      primary_name: 'Mohammed <Ali> & sons',
    },
    record_id: `ofac-${position}`,
    strong: score >= 0.95,
  };
}

function findingsOf(batch: Batch, chunkNo: number, results: SubjectResult[]): ChunkFindings {
  const texts = results.map((result) => canonicalJson(result));
  const types = { ...noCounts().byMatchType };
  const decisions = { ...noCounts().byDecision };
  for (const result of results) {
    decisions[result.decision]++;
    for (const { match_type } of result.hits) types[match_type]++;
  }
  const result: ChunkResult = {
    blob: 'ab'.repeat(32),
    byDecision: decisions,
    byMatchType: types,
    completedAt: (STARTED_AT + (chunkNo + 1) * SECOND) as EpochMs,
    hits: results.reduce((sum, { hits }) => sum + hits.length, 0),
    merkleRoot: rootOfLines(texts),
    subjectsWithHits: results.filter(({ hits }) => hits.length > 0).length,
  };
  const { batchId, tenantId } = batch;
  const chunk: BatchChunk = { batchId, chunkNo, input: '', subjects: results.length, tenantId };
  const lines = texts.map((text) => Buffer.from(text));
  return { chunk: { ...chunk, result }, lines, parse: parseResult };
}

function completed(batch: Batch, chunks: readonly ChunkFindings[]): ScreenedBatch {
  const sum = (of: (result: ChunkResult) => number) =>
    chunks.reduce((total, { chunk }) => total + of(chunk.result), 0);
  const sums = <Name extends string>(
    names: readonly Name[],
    of: (result: ChunkResult) => Readonly<Record<Name, number>>,
  ) => Object.fromEntries(names.map((name) => [name, sum((r) => of(r)[name])])) as never;
  return {
    ...batch,
    chainPlace: { hash: 'e'.repeat(64), seq: 1 + 2 * chunks.length },
    completedAt: (STARTED_AT + 3_725_250) as EpochMs,
    counts: {
      byDecision: sums(['auto_clear', 'match', 'review'], (r) => r.byDecision),
      byMatchType: sums(MATCH_TYPES, (r) => r.byMatchType),
      chunks: chunks.length,
      hits: sum((r) => r.hits),
      subjects: batch.subjectsTotal,
      subjectsWithHits: sum((r) => r.subjectsWithHits),
    },
    listsPinned: batch.listsPinned ?? [],
    resultsRoot: merkleRoot(chunks.map(({ chunk }) => chunkLeaf(chunk.result))).toString('hex'),
    startedAt: STARTED_AT,
  };
}

/** The same bytes in every run. */
function countingRandom(): Random {
  let calls = 0;
  return {
    bytes: (count) => createHash('shake256', { outputLength: count }).update(`${calls++}`).digest(),
  };
}

/** The chunks' entries among others, as a busy tenant has them. */
function sealedEvents(
  batch: Batch,
  chunks: readonly ChunkFindings[],
  signer: Signer,
): SealedEvent[] {
  const random = countingRandom();
  const chainId = chainOf(batch.tenantId);
  let head: ChainHead = { hash: GENESIS_HASH, seq: 0 };
  const sealed: SealedEvent[] = [];
  const seal = (draft: Parameters<typeof prepareEvent>[1]) => {
    const event = sealEvent(prepareEvent(chainId, draft, random), head, signer);
    sealed.push(event);
    head = { hash: event.hash, seq: event.seq };
  };
  seal(startedEntry({ clock: { now: () => STARTED_AT }, random }, batch));
  for (const { chunk } of chunks) {
    const at = chunk.result.completedAt;
    const clock = { now: () => at };
    seal({
      action: 'case.reassigned',
      eventId: uuidV7(at, random) as never,
      members: { actor: 'somebody', target: batch.batchId },
      occurredAt: at,
      open: { why: 'a stranger among them' },
      type: 'entry',
    });
    seal(chunkEntry({ clock, random }, batch, chunk));
  }
  return sealed;
}
