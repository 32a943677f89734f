/** Policies and evaluations as they are shown, over HTTP and by the command line. */
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  checkContent,
  type Evaluation,
  policyEtag,
  type RiskPolicy,
  type RiskResult,
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

/** With all that is wrong with its content, and what its author should know. */
export const presentPolicy = (record: RiskPolicy) => ({
  ...presentPolicyRow(record),
  etag: policyEtag(record),
  content: record.content,
  ...checkContent(record.content),
});

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
  previous_level: members.previous_level,
  policy_id: members.policy_id,
  policy_version: members.policy_version,
  policy_hash: members.policy_hash,
  evaluator_version: members.evaluator_version,
  screening: members.screening,
  facts: open?.facts ?? null,
  evaluated_at: toTimestamp(at),
  next_review_at: members.next_review_at,
  audit: { event_id: event.eventId, hash: event.hash, seq: event.seq },
});
