/** What the policy says of a customer at the time, and what a case keeps of it. */
import type { CaseRisk } from './asks.ts';
import { RISK_PROHIBITED } from './caseChecks.ts';
import type { CaseChange } from './caseRecord.ts';
import type { CasePorts } from './ports.ts';
import type { CaseRecord } from './tables.ts';

/** A case as it is rated now. */
export interface RatedNow {
  /** What is written with the step that rests on it. */
  readonly change: CaseChange;
  /** The case with that: whose tier says who decides, and how many. */
  readonly record: CaseRecord;
  readonly isProhibited: boolean;
}

/** Without a policy the case stays as its checks left it. */
export async function rateNow(
  ports: Pick<CasePorts, 'riskOf'>,
  record: CaseRecord,
): Promise<RatedNow> {
  const risk = await ports.riskOf(record);
  if (risk === undefined) {
    const isProhibited = record.checks.some(({ reasonCodes }) =>
      reasonCodes.includes(RISK_PROHIBITED),
    );
    return { change: {}, isProhibited, record };
  }
  const change = ratingOf(risk);
  return { change, isProhibited: risk.isProhibited, record: { ...record, ...change } };
}

/** What a case keeps of it. */
export const ratingOf = ({
  evaluationId,
  level,
  policyVersion,
  score,
  tier,
}: Pick<CaseRisk, 'evaluationId' | 'level' | 'policyVersion' | 'score' | 'tier'>) =>
  ({
    risk: { evaluationId, level, policyVersion, score },
    riskTier: tier,
  }) satisfies CaseChange;
