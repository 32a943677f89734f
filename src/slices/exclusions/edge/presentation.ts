/** How exclusions are shown, over HTTP and by the command line. */
import { type EpochMs, toTimestamp } from '#platform/clock';
import { type ExclusionRecord, type ExclusionUse, stateAt } from '#slices/exclusions';

/** Its ETag: an exclusion changes by revisions alone. */
export const etagOf = ({ version }: Pick<ExclusionRecord, 'version'>): string => `"v${version}"`;

/** `now`: one is expired from its time on, before the job has written it. */
export function presentExclusion(
  record: ExclusionRecord,
  { now, use }: { readonly now: EpochMs; readonly use?: ExclusionUse | undefined },
) {
  const endedAt = record.endedAt ?? (stateAt(record, now) === 'expired' ? record.expiresAt : null);
  return {
    exclusion_id: record.exclusionId,
    status: stateAt(record, now),
    subject_key: record.subjectKey,
    subject_ref: record.subjectRef ?? null,
    subject_digest: record.subjectDigest,
    screening_id: record.screeningId,
    ftm_id: record.ftmId,
    source: record.source,
    typology: record.typology,
    entity_digest: record.entityDigest,
    reason_code: record.reasonCode,
    reason: record.reason,
    created_by: record.createdBy,
    created_at: toTimestamp(record.createdAt),
    approved_by: record.approvedBy ?? null,
    expires_at: toTimestamp(record.expiresAt),
    ended_at: endedAt === null ? null : toTimestamp(endedAt),
    ended_by: record.endedBy ?? null,
    applied_count: use?.count ?? 0,
    last_applied_at: use?.lastAppliedAt === undefined ? null : toTimestamp(use.lastAppliedAt),
    etag: etagOf(record),
  };
}
