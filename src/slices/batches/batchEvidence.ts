/**
 * Entries about a batch in its tenant's chain. They hash no personal data: ids, digests, figures
 * and settings. The batch's name is free text, and stands in the part that can be erased.
 */
import { type EntryContext, type EventDraft, entry, type JsonObject } from '#core/audit';
import { modelMembers } from '#slices/screening';
import type { Batch, BatchCounts, BatchReports, ChunkResult } from './batch.ts';

/** Actor of work on batches that no caller requested. */
export const BATCH_ACTOR = 'system:batches' as const;

/** All that an order decides, but for what names persons: those stand in the open part. */
export function orderMembers(batch: Batch): JsonObject {
  return {
    base_batch_id: batch.baseBatchId ?? null,
    base_url: batch.baseUrl,
    chunk_subjects: batch.chunkSubjects,
    include_adverse_media: batch.includeAdverseMedia,
    include_pep: batch.includePep,
    kind: batch.kind,
    lists: batch.lists,
    mode: batch.mode,
    monitor: batch.monitor === true,
    policy_version: batch.settings.policyVersion,
    requested_by: batch.requestedBy,
    sandbox: batch.sandbox,
    settings: { ...settingMembers(batch), thresholds: { ...batch.settings.thresholds } },
    since: batch.since ?? null,
    source_bytes: batch.source.bytes,
    source_sha256: batch.source.address,
    source_type: batch.source.type,
    thresholds: thresholdMembers(batch),
  };
}

export function startedEntry(context: EntryContext, batch: Batch): EventDraft {
  return entry(context, {
    action: 'aml.batch.started',
    actor: BATCH_ACTOR,
    target: batch.batchId,
    members: startedMembers(batch),
  });
}

/** By what subjects are scored. */
const settingMembers = ({ settings }: Batch): JsonObject => ({
  boosts: { ...settings.boosts },
  missing_attributes: settings.missingAttributes,
  phonetic_names: settings.phoneticNames,
  ...(settings.policyDigest !== undefined && { policy_digest: settings.policyDigest }),
  policy_version: settings.policyVersion,
  ...modelMembers(settings.rerankerVersion),
  reranker_version: settings.rerankerVersion,
  reranker_weights: { ...settings.weights },
  ...(settings.sourcesOff !== undefined && { sources_off: [...settings.sourcesOff] }),
  top_n: settings.topN,
});

const thresholdMembers = ({ thresholds }: Batch): JsonObject => ({
  auto_clear: thresholds.autoClear,
  auto_match: thresholds.autoMatch,
  review: thresholds.review,
});

/** All that decides what the batch will find, next to its subjects. */
export function startedMembers(batch: Batch): JsonObject {
  return {
    ...settingMembers(batch),
    chunk_subjects: batch.chunkSubjects,
    ...(batch.exclusions !== undefined && { exclusions: batch.exclusions }),
    ...(batch.lineVersion !== undefined && { line_version: batch.lineVersion }),
    include_adverse_media: batch.includeAdverseMedia,
    include_pep: batch.includePep,
    list_version: batch.listVersion ?? '',
    ...(batch.listVersionV && { list_version_v: batch.listVersionV }),
    lists: (batch.listsPinned ?? []).map(({ published_at, since, ...list }) => ({
      ...list,
      published_at: new Date(published_at).toISOString(),
      ...(since !== undefined && { since: { ...since } }),
    })),
    mode: batch.mode,
    ...(batch.resolution !== undefined && { resolution: batch.resolution }),
    source_sha256: batch.source.address,
    thresholds: thresholdMembers(batch),
  };
}

/** Commits to the result of every subject of the chunk. */
export function chunkEntry(
  context: EntryContext,
  batch: Batch,
  chunk: { readonly chunkNo: number; readonly subjects: number; readonly result: ChunkResult },
): EventDraft {
  const { byDecision, byMatchType, hits, merkleRoot, subjectsWithHits } = chunk.result;
  return entry(context, {
    action: 'aml.batch.chunk.screened',
    actor: BATCH_ACTOR,
    target: batch.batchId,
    members: {
      by_decision: { ...byDecision },
      by_match_type: { ...byMatchType },
      chunk_no: chunk.chunkNo,
      first_ordinal: chunk.chunkNo * batch.chunkSubjects,
      hits,
      merkle_root: merkleRoot,
      subjects: chunk.subjects,
      subjects_with_hits: subjectsWithHits,
    },
  });
}

export function completedEntry(
  context: EntryContext,
  batch: Batch,
  { reports, resultsRoot }: { readonly reports: BatchReports; readonly resultsRoot: string },
): EventDraft {
  return entry(context, {
    action: 'aml.batch.completed',
    actor: BATCH_ACTOR,
    target: batch.batchId,
    members: { ...endedMembers({ ...batch, reports, resultsRoot }), rejected: batch.rejectedTotal },
  });
}

/** What a batch has come to, as the entry of its end tells it. */
export const endedMembers = ({ counts, reports, resultsRoot }: Batch): JsonObject => ({
  ...countMembers(counts),
  attestation_sha256: reports?.attestation.address ?? null,
  report_csv_sha256: reports?.csv.address ?? null,
  report_pdf_sha256: reports?.pdf.address ?? null,
  report_xlsx_sha256: reports?.xlsx.address ?? null,
  results_root: resultsRoot ?? null,
});

export function failedEntry(
  context: EntryContext,
  batch: Batch,
  { code, detail }: { readonly code: string; readonly detail: string },
): EventDraft {
  return entry(context, {
    action: 'aml.batch.failed',
    actor: BATCH_ACTOR,
    target: batch.batchId,
    members: { ...countMembers(batch.counts), code },
    open: { detail },
  });
}

const countMembers = ({ chunks, hits, subjects, subjectsWithHits }: BatchCounts): JsonObject => ({
  chunks,
  hits,
  subjects,
  subjects_with_hits: subjectsWithHits,
});
