/**
 * What the slice keeps: batches, their chunks, and the reviews of hits. Work fields of a batch are
 * what workers save beside commits: how far its cohort was read, what that came to, what holds the
 * batch up. Leases are the table's own.
 */
import type { StoredFile } from '#core/blobs';
import { table } from '#core/kernel';
import type { Batch, BatchChunk, BatchIssue, HitReview } from './batch.ts';

const blobOf = ({ address, sealed }: StoredFile): string => sealed?.blob ?? address;

/** Every file among the reports counts, so that a kind of report that comes later is kept too. */
function blobsOfFiles({ rejected, reports }: Pick<Batch, 'rejected' | 'reports'>): string[] {
  const files = Object.values(reports ?? {}).flatMap((report) =>
    typeof report === 'string' ? [] : [blobOf(report)],
  );
  return [...(rejected === undefined ? [] : [blobOf(rejected)]), ...files];
}

/**
 * Batches of all tenants. One worker at a time has a batch as a whole in hand: it reads the cohort,
 * and later writes the reports. What has ended (completed, failed, canceled) stays as it is.
 */
export const batchTable = table<Batch, 'batchId'>('batch', {
  key: ['batchId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'status', in: ['queued', 'running'] } },
  // A list is of one kind or of both, whose two ranges are merged then.
  indexes: {
    byKind: ['tenantId', 'kind', 'requestedAt'],
    byNameAndKind: ['tenantId', 'name', 'kind', 'requestedAt'],
    byNameStatusAndKind: ['tenantId', 'name', 'status', 'kind', 'requestedAt'],
    byStatusAndKind: ['tenantId', 'status', 'kind', 'requestedAt'],
    open: ['isOpen', 'tenantId', 'requestedAt'],
  },
  leased: { lane: ['tenantId'] },
  open: 'isOpen',
  owner: 'tenantId',
  work: ['chunksTotal', 'notice', 'rejected', 'rejectedTotal', 'subjectsTotal', 'turn'],
  blobs: (batch) => [blobOf(batch.source), ...blobsOfFiles(batch)],
  personal: {
    name: { purpose: 'tells a portfolio from the others of its tenant' },
    requestedBy: { purpose: 'who asked for the screening' },
    source: { purpose: 'names the file, or the filter, that the subjects came from' },
  },
  stored: { isFalseZero: true },
});

/**
 * Chunks of all batches: written once while the cohort is read, and once more with their results. A
 * batch's chunks are leased in the order of their numbers. Their subjects are in blobs. One that
 * takes long is given back with the part that is done.
 */
export const chunkTable = table<BatchChunk, 'batchId' | 'chunkNo'>('batch_chunk', {
  key: ['batchId', 'chunkNo'],
  chain: 'tenantId',
  derived: { isOpen: { absent: true, field: 'result' } },
  leased: { lane: ['batchId'], order: ['chunkNo'] },
  open: 'isOpen',
  writes: 'once',
  work: ['part'],
  // The input of a chunk that is done may go: it can be read from the source again.
  blobs: ({ input, part, result }) =>
    result === undefined ? [input, ...(part ? [part.blob] : [])] : [result.blob],
  personal: 'none',
  stored: {
    isFalseZero: true,
    lease: { mongoUntil: 'leaseUntil', sqliteTries: 'tries', sqliteUntil: 'lease_until' },
    mongoFields: { chunkNo: 'no' },
    mongoKey: 'slashed',
    sqliteApart: { result: 'result' },
    sqliteGenerated: ['isOpen', 'tenantId'],
  },
});

/** What people decided of hits; a hit without one is pending. Ordered by the place of the hit. */
export const reviewTable = table<HitReview, 'batchId' | 'hitId'>('batch_review', {
  key: ['batchId', 'hitId'],
  chain: 'tenantId',
  indexes: {
    byDecision: ['batchId', 'decision', 'ordinal', 'position'],
    byPlace: ['batchId', 'ordinal', 'position'],
  },
  personal: {
    notes: { purpose: 'why the hit was decided so' },
    reviewerId: { purpose: 'who decided it' },
  },
  stored: { mongoKey: 'slashed', sqliteGenerated: ['tenantId'] },
});

/**
 * What became of a batch's files after somebody of it was erased: one record an erasure, which ends
 * once the reports are written again, or a later erasure has taken its place.
 */
export const issueTable = table<BatchIssue, 'batchId' | 'keyVersion'>('batch_issue', {
  key: ['batchId', 'keyVersion'],
  chain: 'tenantId',
  derived: { isOpen: { absent: true, field: 'endedAt' } },
  indexes: { open: ['isOpen', 'tenantId', 'batchId'] },
  leased: { lane: ['batchId'] },
  open: 'isOpen',
  owner: 'tenantId',
  blobs: blobsOfFiles,
  personal: 'none',
});
