/** Policies and evaluations as they are shown, over HTTP and by the command line. */
import { signedAuthorOf } from '#core/identity';
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  backtestShare,
  checkContent,
  type Evaluation,
  type PolicyReport,
  policyEtag,
  type RiskBacktest,
  type RiskClient,
  type RiskPolicy,
  type RiskResult,
  riskPublicationSubject,
  shownScore,
} from '#slices/risk';

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

export const presentPolicyRow = (record: RiskPolicy) => ({
  policy_id: record.policyId,
  name: record.name,
  version: record.policyVersion ?? null,
  status: record.status,
  in_force: record.standing === 'in_force',
  content_hash: record.contentHash,
  based_on: record.basedOn,
  author: record.updatedBy,
  created_by: record.createdBy,
  created_at: toTimestamp(record.createdAt),
  updated_at: toTimestamp(record.updatedAt),
  effective_at: time(record.effectiveAt),
  published_at: time(record.publishedAt),
  archived_at: time(record.archivedAt),
});

const presentReport = (report: PolicyReport | undefined) =>
  report === undefined
    ? null
    : {
        at: toTimestamp(report.at),
        content_hash: report.contentHash,
        report_id: report.reportId,
        sha256: report.sha256,
      };

/** With all that is wrong with its content, and what its author should know. */
export const presentPolicy = (record: RiskPolicy) => ({
  ...presentPolicyRow(record),
  etag: policyEtag(record),
  content: record.content,
  ...checkContent(record.content),
  reports: {
    backtest: presentReport(record.backtestReport),
    shadow: presentReport(record.shadowReport),
  },
  shadow_report_id: record.shadow?.shadowReportId ?? null,
  justification: record.submission?.justification ?? null,
  approvals: (record.approvals ?? []).map((approval) => ({
    at: toTimestamp(approval.at),
    comment: approval.comment,
    key_id: approval.keyId,
    person_id: approval.personId,
    role: approval.role,
    signature: approval.signature,
    timestamp: approval.timestamp,
  })),
  signing: record.status === 'PENDING_APPROVAL' ? presentSigning(record) : null,
});

/** The members of the signed bytes that are known before somebody signs. */
function presentSigning(record: RiskPolicy) {
  const { field, newValue, resource } = riskPublicationSubject(record);
  return { author: signedAuthorOf(record), field, new_value: newValue, resource };
}

/** A result as it is shown: scores are 0 to 100. */
export const presentResult = (result: RiskResult) => ({
  level: result.level,
  level_by_score: result.level_by_score,
  score: shownScore(result.score),
  dimensions: result.dimensions.map((dimension) => ({
    ...dimension,
    contribution: shownScore(dimension.contribution),
  })),
  overrides: result.overrides,
  incomplete: result.incomplete,
  missing: result.missing,
});

export const presentEvaluation = ({ at, event, members, open }: Evaluation) => ({
  evaluation_id: members.evaluation_id,
  client_id: members.client_id,
  case_id: members.case_id,
  ...presentResult(members),
  client_level: members.client_level,
  manual: members.manual ?? null,
  previous_level: members.previous_level,
  policy_id: members.policy_id,
  policy_version: members.policy_version,
  policy_hash: members.policy_hash,
  evaluator_version: members.evaluator_version,
  screening: members.screening,
  rescreenings: members.rescreenings ?? [],
  facts: open?.facts ?? null,
  evaluated_at: toTimestamp(at),
  next_review_at: members.next_review_at,
  audit: { event_id: event.eventId, hash: event.hash, seq: event.seq },
});

/** How far a backtest is, or how long it took. */
export const backtestTimes = (backtest: RiskBacktest) =>
  backtest.endedAt === undefined
    ? { progress: backtestShare(backtest) }
    : { took_ms: backtest.endedAt - backtest.requestedAt };

/** Where a client stands now. */
export function presentClient(client: RiskClient, now: EpochMs) {
  const { evaluatedLevel, manual } = client;
  const isOver = manual !== undefined && manual.until <= now;
  return {
    client_id: client.clientId,
    level: isOver ? evaluatedLevel : client.level,
    evaluated_level: evaluatedLevel,
    score: shownScore(client.score),
    incomplete: client.isIncomplete,
    evaluation_id: client.evaluationId,
    policy_version: client.policyVersion,
    policy_hash: client.contentHash,
    evaluated_at: toTimestamp(client.evaluatedAt),
    next_review_at: toTimestamp(client.nextReviewAt),
    manual:
      manual === undefined || isOver
        ? null
        : {
            at: toTimestamp(manual.at),
            by: manual.by,
            confirmed_by: manual.confirmedBy ?? null,
            from: manual.from,
            level: manual.level,
            reason: manual.reason,
            until: toTimestamp(manual.until),
          },
  };
}
