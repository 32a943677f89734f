/** Answers of risk to questions of the slices on its left. */
import type { RiskOfCase } from '#slices/customers';
import { caseRiskOf, evaluateClient } from '#slices/risk';
import type { SliceProcess } from '../../processes.ts';
import { riskPortsOf } from './parts.ts';

/** Evaluates the client by this case; where nothing has changed since, the last one stands. */
export const riskOfCase = (process: SliceProcess): RiskOfCase => {
  const ports = riskPortsOf(process);
  return async ({ caseId, screening, tenantId }) => {
    const ask = { actor: 'system:risk', caseId, isAsked: false, screening, tenantId } as const;
    const { evaluation } = await evaluateClient(ports, ask);
    const { content } = await ports.inForce.of(tenantId);
    return caseRiskOf(evaluation.members, content);
  };
};
