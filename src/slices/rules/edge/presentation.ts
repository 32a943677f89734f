/** Rules, backtests and suppressions as they are shown, over HTTP and by the command line. */
import { presentSignature, signedAuthorOf } from '#core/identity';
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  type Backtest,
  etagOf,
  isOpen,
  lapse,
  publicationSubject,
  type RuleRecord,
  type Suppression,
  suppressionEtag,
} from '#slices/rules';

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

export function presentRule(stored: RuleRecord, now: EpochMs) {
  const record = lapse(stored, now);
  return {
    rule_id: record.ruleId,
    version: record.ruleVersion,
    status: record.status,
    base_version: record.baseVersion,
    content: record.content,
    content_hash: record.contentHash,
    justification: record.justification,
    of_pack: record.version === 0,
    created_by: record.createdBy,
    created_at: toTimestamp(record.createdAt),
    updated_by: record.updatedBy,
    updated_at: toTimestamp(record.updatedAt),
    etag: etagOf(record),
    signatures: record.signatures.map(presentSignature),
    signed_until: time(record.signedUntil),
    published_at: time(record.publishedAt),
    archived_at: time(record.archivedAt),
    from_tseq: record.fromTseq ?? null,
    to_tseq: record.toTseq ?? null,
    signing: isOpen(record) ? presentSigning(record) : null,
  };
}

/** The members of the signed bytes that are known before somebody signs. */
function presentSigning(record: RuleRecord) {
  const { field, newValue, resource } = publicationSubject(record);
  return { author: signedAuthorOf(record), field, new_value: newValue, resource };
}

export const presentBacktest = (backtest: Backtest) => ({
  backtest_id: backtest.backtestId,
  rule_id: backtest.ruleId,
  version: backtest.ruleVersion,
  content_hash: backtest.contentHash,
  from: toTimestamp(backtest.from),
  to: toTimestamp(backtest.to),
  status: backtest.status,
  failure: backtest.failure ?? null,
  requested_by: backtest.requestedBy,
  requested_at: toTimestamp(backtest.requestedAt),
  ended_at: time(backtest.endedAt),
  report: backtest.report ?? null,
});

export const presentSuppression = (record: Suppression, now: EpochMs) => ({
  suppression_id: record.suppressionId,
  rule_id: record.ruleId,
  subject_kind: record.subjectKind,
  subject_key: record.subjectKey,
  reason: record.reason,
  status: record.status !== 'ended' && record.expiresAt <= now ? 'expired' : record.status,
  created_by: record.createdBy,
  created_at: toTimestamp(record.createdAt),
  approved_by: record.approvedBy ?? null,
  expires_at: toTimestamp(record.expiresAt),
  ended_at: time(record.endedAt),
  etag: suppressionEtag(record),
});
