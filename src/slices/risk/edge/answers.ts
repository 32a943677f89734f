/** Answers of risk to questions of the slices on its left. */
import type { RiskOfCase } from '#slices/customers';
import { evaluateClient, shownScore, TIER_OF } from '#slices/risk';
import type { SliceProcess } from '../../processes.ts';
import { riskPortsOf } from './parts.ts';

/** Evaluates the client by this case; where nothing has changed since, the last one stands. */
export const riskOfCase = (process: SliceProcess): RiskOfCase => {
  const ports = riskPortsOf(process);
  return async ({ caseId, screening, tenantId }) => {
    const ask = { actor: 'system:risk', caseId, isAsked: false, screening, tenantId } as const;
    const { evaluation } = await evaluateClient(ports, ask);
    const { content } = await ports.inForce.of(tenantId);
    const { client_level, evaluation_id, incomplete, manual, policy_version, score } =
      evaluation.members;
    // What a person gave the client counts for the case, too.
    const level = manual === null || manual === undefined ? evaluation.members.level : client_level;
    return {
      evaluationId: evaluation_id,
      isIncomplete: incomplete && content.on_incomplete === 'review',
      isProhibited: level === 'PROHIBITED',
      level,
      policyVersion: policy_version,
      score: shownScore(score),
      tier: TIER_OF[level],
    };
  };
};
