/**
 * The last step of a batch, once all its chunks are done: the root over their roots is computed,
 * and the reports are written from the results. Only then is it completed, in one step with its
 * evidence and the event that brings the reports' addresses to the tenant.
 *
 * Before anything is attested the chain is asked: how the batch began, which chunks it had and
 * what was found in them. A record that says anything else ends the batch with `results-altered`.
 *
 * Its time of completion is that of its last chunk: a worker that writes the reports anew after a
 * crash writes the same bytes, so nothing is retained for ten years that no record names. A worker
 * that has lost the batch stops at its next step, instead of writing for minutes what another one
 * writes.
 */
import assert from 'node:assert/strict';
import { dataKeyTable } from '#core/blobs';
import { DomainError, type TableChange } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { leafHash, merkleRoot } from '#platform/merkleTree';
import {
  type Batch,
  type BatchChunk,
  type BatchIssue,
  type BatchReports,
  type ChainPlace,
  type ChunkResult,
  noCounts,
} from './batch.ts';
import { countsWith } from './batchCounts.ts';
import { completedEntry } from './batchEvidence.ts';
import { type BatchHold, type BatchPorts, commitBatch } from './batchWork.ts';
import type { BatchStore } from './ports.ts';
import { issueTable } from './tables.ts';

const CHUNKS_A_PAGE = 1_000;

/** Whether every chunk is done, and only the end is left. */
export const isScreened = ({ chunksTotal, counts, status }: Batch): boolean =>
  status === 'running' && chunksTotal !== undefined && counts.chunks === chunksTotal;

/** Chunks in order; each of them is done where the batch is screened. */
export async function* chunksOf(
  batches: Pick<BatchStore, 'listChunks'>,
  { batchId }: Pick<Batch, 'batchId'>,
): AsyncGenerator<BatchChunk> {
  for (let fromNo = 0; ; ) {
    const page = await batches.listChunks({ batchId, fromNo, limit: CHUNKS_A_PAGE });
    yield* page;
    if (page.length < CHUNKS_A_PAGE) return;
    fromNo = (page.at(-1)?.chunkNo ?? fromNo) + 1;
  }
}

export async function finishBatch(ports: BatchPorts, hold: BatchHold): Promise<Batch> {
  const { signal } = hold;
  const { chainPlace, completedAt, resultsRoot } = await endOf(ports, hold.record, signal);
  const { notice: _, ...screened } = hold.record;
  const ended = { ...screened, chainPlace, completedAt, resultsRoot };
  const issue = await ports.batches.latestIssue(ended.batchId);
  const reports = await ports.writeReports(withRejected(ended, issue), signal);
  signal.throwIfAborted();
  await hold.end();
  signal.throwIfAborted();
  return commitBatch(ports, hold.record, (found) => {
    const { notice: __, ...rest } = found;
    const next: Batch = { ...rest, completedAt, reports, resultsRoot, status: 'completed' };
    return {
      changes: erasureChanges(ports, reports, issue),
      // For kind `sanctions` the last progress event says it: its reports have no address to send.
      bus: [
        ...(next.kind === 'aml' ? [completedEvent(next)] : []),
        ...(next.monitor === true ? [monitoredEvent(next)] : []),
      ],
      events: [completedEntry(ports, next, { reports, resultsRoot })],
      next,
      work: ['notice'],
    };
  });
}

/** The rows that were rejected, as they are since the last erasure. */
function withRejected<Of extends Batch>(batch: Of, issue: BatchIssue | undefined): Of {
  return issue?.rejected === undefined ? batch : { ...batch, rejected: issue.rejected };
}

/**
 * Who was erased while the reports were written stands in them: they are written once more. Of
 * those who were erased before they say nothing, so that nothing waits for reports any more.
 */
function erasureChanges(
  { clock }: Pick<BatchPorts, 'clock'>,
  { csv: { sealed } }: BatchReports,
  issue: BatchIssue | undefined,
): readonly TableChange[] {
  if (sealed === undefined) return [];
  const { keyId, keyVersion } = sealed;
  const isOpen = issue !== undefined && issue.endedAt === undefined;
  const ended = isOpen && { ...issue, endedAt: clock.now(), version: issue.version + 1 };
  return [
    dataKeyTable.expect({ keyId }, { version: keyVersion }),
    ...(ended ? [issueTable.put(ended, issue.version)] : []),
  ];
}

/** Leaf hash of a chunk in the tree over all chunks: of the 32 bytes of its root. */
export const chunkLeaf = ({ merkleRoot: root }: Pick<ChunkResult, 'merkleRoot'>): Buffer =>
  leafHash(Buffer.from(root, 'hex'));

/** The root is of RFC 6962 over the chunks' roots as leaves, hex. */
async function endOf(
  { batches, results }: Pick<BatchPorts, 'batches' | 'results'>,
  batch: Batch,
  signal: AbortSignal,
): Promise<{
  readonly chainPlace: ChainPlace;
  readonly completedAt: EpochMs;
  readonly resultsRoot: string;
}> {
  assert(batch.startedAt !== undefined, 'a batch that is screened has been started');
  // For a cohort that was rejected as a whole there is no later end.
  let { startedAt: completedAt } = batch;
  let counts = noCounts();
  const leaves: Buffer[] = [];
  const places: ChainPlace[] = [];
  for await (const chunk of chunksOf(batches, batch)) {
    signal.throwIfAborted();
    const { chunkNo, result } = chunk;
    assert(result !== undefined && chunkNo === leaves.length, `chunk ${leaves.length} is done`);
    if (result.completedAt > completedAt) completedAt = result.completedAt;
    const signed = await results.check(batch, { ...chunk, result });
    counts = countsWith(counts, signed, result);
    leaves.push(chunkLeaf(signed));
    places.push(signed);
  }
  signal.throwIfAborted();
  assert(leaves.length === batch.chunksTotal, `${batch.chunksTotal} chunks are done`);
  const start = await results.checkBatch({ ...batch, startedAt: batch.startedAt }, leaves.length);
  if (canonicalJson(counts) !== canonicalJson(batch.counts)) {
    const detail = `batch ${batch.batchId}: its figures are not the sums of its chunks`;
    throw new DomainError('results-altered', { detail });
  }
  const { hash, seq } = places.reduce((last, one) => (one.seq > last.seq ? one : last), start);
  const resultsRoot = merkleRoot(leaves).toString('hex');
  return { chainPlace: { hash, seq }, completedAt, resultsRoot };
}

/** Its subjects are watched from now on: whoever keeps the register reads them from its results. */
const monitoredEvent = ({ batchId, tenantId }: Batch) => ({
  partition: tenantId,
  payload: { batch_id: batchId, schema: 'aml.batch.monitored.v1' },
  topic: 'aml.batch.monitored' as const,
});

/** interface.md 6.2: `data` of aml.batch.completed. */
function completedEvent(batch: Batch) {
  const { batchId, counts, subjectsTotal, tenantId } = batch;
  const report = (format: string) =>
    `${batch.baseUrl}/aml/batches/${batchId}/report?format=${format}`;
  return {
    partition: tenantId,
    payload: {
      batch_id: batchId,
      hits_total: counts.hits,
      report_csv_url: report('csv'),
      report_pdf_url: report('pdf'),
      report_xlsx_url: report('xlsx'),
      subjects_processed: counts.subjects,
      subjects_total: subjectsTotal,
      subjects_with_hits: counts.subjectsWithHits,
    },
    topic: 'aml.batch.completed' as const,
  };
}
