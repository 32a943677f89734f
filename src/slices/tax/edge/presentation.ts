/** Classifications as they are shown. */
import { toTimestamp } from '#platform/clock';
import type { Classified, TaxClassification } from '#slices/tax';

export const presentRow = (record: TaxClassification) => ({
  classification_id: record.classificationId,
  created_by: record.createdBy,
  kind: record.kind,
  result_digest: record.resultDigest,
  review_at: record.dueAt === undefined ? null : toTimestamp(record.dueAt).slice(0, 10),
  status: record.status,
  subject_ref: record.subjectRef,
  supersedes: record.supersedes ?? null,
  table_version: record.tableVersion,
  valid_from: toTimestamp(record.createdAt),
});

/** The state is that of the record: a result does not know that it was superseded. */
export const presentClassified = ({ content, record }: Classified) => ({
  ...presentRow(record),
  crs: content.result.crs,
  documents_required: content.result.documents_required,
  fatca: content.result.fatca,
  indicia: content.result.indicia,
  inputs: content.inputs,
  notes: content.notes,
  trace: content.result.trace,
});
