/**
 * A batch as its tenant sees it (interface.md 2.3): the stored record without internal members
 * (leases, the secret of its ids), and with computed ones. The command line shows the same.
 */
import { type EpochMs, toTimestamp } from '#platform/clock';
import { type Batch, type BatchSource, type PinnedList, REPORT_FORMATS } from './batch.ts';
import { type BatchQueue, estimatedCompletion } from './estimate.ts';

export interface BatchView {
  readonly now: EpochMs;
  readonly queue: BatchQueue;
  /** The tenant's own system took the news that it is completed. */
  readonly isWebhookDelivered?: boolean;
}

/** The answer of 202: enough to ask again by. */
export function presentCreated(batch: Batch, view: BatchView) {
  return {
    batch_id: batch.batchId,
    status: batch.status,
    subjects_total: batch.subjectsTotal,
    estimated_completion: timeOf(estimatedCompletion(batch, view)),
  };
}

export function presentBatch(batch: Batch, view: BatchView) {
  const { counts, thresholds } = batch;
  return {
    batch_id: batch.batchId,
    tenant_id: batch.tenantId,
    name: batch.name,
    mode: batch.mode,
    lists: batch.lists,
    include_pep: batch.includePep,
    include_adverse_media: batch.includeAdverseMedia,
    since: timeOf(batch.since),
    monitor: batch.monitor === true,
    base_batch_id: batch.baseBatchId ?? null,
    source_type: batch.source.type,
    source_ref: sourceRef(batch.source),
    source_bytes: batch.source.bytes,
    source_sha256: batch.source.address,
    status: batch.status,
    failure: batch.failure ?? null,
    notice: batch.notice?.code ?? null,
    progress_pct: progressPct(batch),
    subjects_total: batch.subjectsTotal,
    subjects_processed: counts.subjects,
    subjects_rejected: batch.rejectedTotal,
    subjects_with_hits: counts.subjectsWithHits,
    subjects_by_decision: counts.byDecision,
    hits_total: counts.hits,
    hits_by_match_type: counts.byMatchType,
    chunks_total: batch.chunksTotal ?? null,
    chunks_completed: counts.chunks,
    thresholds: {
      auto_clear_threshold: thresholds.autoClear,
      review_threshold: thresholds.review,
      auto_match_threshold: thresholds.autoMatch,
    },
    list_version: batch.listVersion ?? null,
    lists_in_force: batch.listsPinned?.map(presentPinned) ?? null,
    requested_by: batch.requestedBy,
    requested_at: toTimestamp(batch.requestedAt),
    started_at: timeOf(batch.startedAt),
    completed_at: timeOf(batch.completedAt),
    estimated_completion: timeOf(estimatedCompletion(batch, view)),
    ...presentReports(batch),
    webhook_delivered: view.isWebhookDelivered ?? false,
  };
}

const timeOf = (at: EpochMs | undefined): string | null =>
  at === undefined ? null : toTimestamp(at);

/**
 * Per cent with two decimals, never rounded up. All subjects are done some time before the batch
 * is: its reports are still written, and 100 means that they exist.
 */
export function progressPct({ counts, status, subjectsTotal }: Batch): number {
  if (status === 'completed') return 100;
  if (subjectsTotal === 0) return 0;
  return Math.min(9_999, Math.floor((counts.subjects / subjectsTotal) * 10_000)) / 100;
}

function sourceRef({ fileName, filter, type }: BatchSource): string | null {
  if (type === 'query') return JSON.stringify(filter ?? {});
  return fileName ?? null;
}

const presentPinned = ({ index: _, overlay: __, published_at, since, ...list }: PinnedList) => ({
  ...list,
  published_at: toTimestamp(published_at),
  since: since ?? null,
});

/** The list of the rejected is there before the others: once the cohort was read. */
function presentReports({ baseUrl, batchId, rejected, reports, status }: Batch) {
  const isThere = status === 'completed' && reports !== undefined;
  const url = (format: string) => `${baseUrl}/aml/batches/${batchId}/report?format=${format}`;
  const files = REPORT_FORMATS.flatMap((format) => [
    [`report_${format}_url`, isThere ? url(format) : null],
    [`report_${format}_sha256`, isThere ? reports[format].address : null],
  ]);
  return {
    ...(Object.fromEntries(files) as Record<string, string | null>),
    attestation_url: isThere ? url('attestation') : null,
    report_pdf_signature: isThere ? reports.pdfSignature : null,
    rejected_csv_url: rejected === undefined ? null : url('rejected'),
  };
}
