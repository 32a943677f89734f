/**
 * A client was rated anew beside their cases: their tier follows, by which batches choose customers
 * and cases find who decides. A case that is being checked rates itself.
 */
import { DomainError, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { CaseRisk } from './asks.ts';
import type { CaseChange } from './caseRecord.ts';
import { type CaseStep, changeCase } from './changeCase.ts';
import { BY_SYSTEM, type CasePorts } from './ports.ts';
import { ratingOf } from './riskNow.ts';
import { casesOfSubject } from './subjects.ts';
import type { CaseRecord } from './tables.ts';
import { type CaseStatus, RISK_TIERS } from './words.ts';

/** Where a client stands. */
export interface StandingRisk
  extends Pick<CaseRisk, 'evaluationId' | 'level' | 'policyVersion' | 'score' | 'tier'> {
  readonly nextReviewAt: EpochMs;
}

const FOLLOWING: ReadonlySet<CaseStatus> = new Set([
  'open',
  'awaiting_customer',
  'manual_review',
  'approved',
  'rejected',
]);

/** Harmless to repeat; answers how many cases follow. Throws `state-altered`. */
export async function followRating(
  ports: CasePorts,
  client: { readonly subjectId: string; readonly tenantId: TenantId },
  risk: StandingRisk,
): Promise<number> {
  let followed = 0;
  for (const record of await casesOfSubject(ports, client)) {
    if (!isBehind(record, risk)) continue;
    const { caseId, tenantId } = record;
    const ask = { actor: BY_SYSTEM, caseId, tenantId } as const;
    try {
      await changeCase(ports, ask, ({ record: seen }) => stepOf(seen, risk));
      followed += 1;
    } catch (error) {
      if (!(error instanceof DomainError) || !OVERTAKEN.has(error.code)) throw error;
    }
  }
  return followed;
}

/** The case was ended, checked or erased meanwhile. */
const OVERTAKEN: ReadonlySet<string> = new Set(['state-conflict', 'subject-erased']);

function isBehind(
  { erasedAt, risk, riskTier, status, supersededBy }: CaseRecord,
  { level, tier }: StandingRisk,
): boolean {
  if (!FOLLOWING.has(status) || erasedAt !== undefined || supersededBy !== undefined) return false;
  return riskTier !== tier || risk?.level !== level;
}

function stepOf(record: CaseRecord, risk: StandingRisk): CaseStep {
  if (!isBehind(record, risk)) {
    throw new DomainError('state-conflict', { detail: 'the case follows already, or has ended' });
  }
  const former = record.riskTier;
  // An approval that waits was proposed for a customer of a lower tier.
  const isAgainst = former !== undefined && rank(risk.tier) > rank(former);
  return {
    change: { ...ratingOf(risk), ...reviewedBy(record, risk) },
    entry: {
      action: 'kyc.case.rated',
      members: {
        evaluation_id: risk.evaluationId,
        former_tier: former ?? null,
        level: risk.level,
        risk_tier: risk.tier,
      },
    },
    isAgainst,
  };
}

const rank = (tier: (typeof RISK_TIERS)[number]): number => RISK_TIERS.indexOf(tier);

/** More care is due earlier; less care puts no review off that was promised. */
const reviewedBy = (
  { nextReviewAt, status }: CaseRecord,
  risk: Pick<StandingRisk, 'nextReviewAt'>,
): CaseChange =>
  status === 'approved' && nextReviewAt !== undefined && risk.nextReviewAt < nextReviewAt
    ? { nextReviewAt: risk.nextReviewAt }
    : {};
