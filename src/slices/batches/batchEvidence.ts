/**
 * Entries about a batch in its tenant's chain. They hash no personal data: ids, digests, figures
 * and settings. The batch's name is free text, and stands in the part that can be erased.
 */
import { type EntryContext, type EventDraft, entry, type JsonObject } from '#core/audit';
import type { Batch, BatchCounts, BatchReports, ChunkResult } from './batch.ts';

/** Actor of work on batches that no caller requested. */
export const BATCH_ACTOR = 'system:batches';

export function startedEntry(context: EntryContext, batch: Batch): EventDraft {
  return entry(context, {
    action: 'aml.batch.started',
    actor: BATCH_ACTOR,
    target: batch.batchId,
    members: startedMembers(batch),
  });
}

/** All that decides what the batch will find, next to its subjects. */
export function startedMembers(batch: Batch): JsonObject {
  const { settings, thresholds } = batch;
  return {
    boosts: { ...settings.boosts },
    chunk_subjects: batch.chunkSubjects,
    ...(batch.exclusions !== undefined && { exclusions: batch.exclusions }),
    include_adverse_media: batch.includeAdverseMedia,
    include_pep: batch.includePep,
    list_version: batch.listVersion ?? '',
    lists: (batch.listsPinned ?? []).map(({ published_at, since, ...list }) => ({
      ...list,
      published_at: new Date(published_at).toISOString(),
      ...(since !== undefined && { since: { ...since } }),
    })),
    missing_attributes: settings.missingAttributes,
    mode: batch.mode,
    phonetic_names: settings.phoneticNames,
    policy_version: settings.policyVersion,
    reranker_version: settings.rerankerVersion,
    reranker_weights: { ...settings.weights },
    ...(batch.resolution !== undefined && { resolution: batch.resolution }),
    source_sha256: batch.source.address,
    thresholds: {
      auto_clear: thresholds.autoClear,
      auto_match: thresholds.autoMatch,
      review: thresholds.review,
    },
    top_n: settings.topN,
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
    members: {
      ...countMembers(batch.counts),
      attestation_sha256: reports.attestation.address,
      rejected: batch.rejectedTotal,
      report_csv_sha256: reports.csv.address,
      report_pdf_sha256: reports.pdf.address,
      report_xlsx_sha256: reports.xlsx.address,
      results_root: resultsRoot,
    },
  });
}

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
