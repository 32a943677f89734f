/** Policies as they are shown, over HTTP and by the command line. */
import { presentSignature, signedAuthorOf } from '#core/identity';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { etagOf, lapse, type PolicyRecord, publicationSubject } from '#slices/policies';

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

export function presentPolicy(stored: PolicyRecord, now: EpochMs) {
  const record = lapse(stored, now);
  const isOpen = record.status === 'DRAFT' || record.status === 'PENDING_SIGNATURE';
  return {
    version: record.policyVersion,
    status: record.status,
    base_version: record.baseVersion,
    content: record.content,
    content_hash: record.contentHash,
    change_summary: record.changeSummary,
    justification: record.justification,
    created_by: record.createdBy,
    created_at: toTimestamp(record.createdAt),
    updated_by: record.updatedBy,
    updated_at: toTimestamp(record.updatedAt),
    etag: etagOf(record),
    signatures: record.signatures.map(presentSignature),
    signed_until: time(record.signedUntil),
    published_at: time(record.publishedAt),
    archived_at: time(record.archivedAt),
    signing: isOpen ? presentSigning(record) : null,
  };
}

/** The members of the signed bytes that are known before somebody signs. */
function presentSigning(record: PolicyRecord) {
  const { field, newValue, resource } = publicationSubject(record);
  return { author: signedAuthorOf(record), field, new_value: newValue, resource };
}
