/** What an evaluation says of the cases of its client. */
import type { CaseRisk } from '#slices/customers';
import { shownScore } from './compilePolicy.ts';
import type { EvaluationMembers } from './evaluation.ts';
import type { RiskContent } from './policyContent.ts';
import { TIER_OF } from './words.ts';

/** What a person gave the client counts for the case, too. */
export function caseRiskOf(
  members: EvaluationMembers,
  { on_incomplete }: Pick<RiskContent, 'on_incomplete'>,
): CaseRisk {
  const { client_level, evaluation_id, incomplete, manual, policy_version, score } = members;
  const level = manual === null || manual === undefined ? members.level : client_level;
  return {
    evaluationId: evaluation_id,
    isIncomplete: incomplete && on_incomplete === 'review',
    isProhibited: level === 'PROHIBITED',
    level,
    policyVersion: policy_version,
    score: shownScore(score),
    tier: TIER_OF[level],
  };
}
