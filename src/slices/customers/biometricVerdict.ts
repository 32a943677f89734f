/**
 * A verdict of the tenant's provider of biometrics, as it is posted: a check of the case. No image
 * and no template is taken, and nothing of the kind is computed here.
 */
import { DomainError } from '#core/kernel';
import { type MayProcess, requireProcessing } from '#core/privacy';
import { uuidV7 } from '#platform/random';
import type { CaseAsk } from './caseRecord.ts';
import { changeCase, type SeenCase } from './changeCase.ts';
import { withChecks } from './documentChecks.ts';
import { VERDICTS_MAX } from './limits.ts';
import { consentInForce } from './missing.ts';
import { requireUndecided } from './patchCase.ts';
import type { CasePorts } from './ports.ts';
import type { CaseRecord, Check } from './tables.ts';
import type { CheckStatus } from './words.ts';

/** What a provider says. */
export const VERDICTS = ['PASS', 'FAIL', 'INCONCLUSIVE'] as const;
/** One of VERDICTS. */
export type Verdict = (typeof VERDICTS)[number];

/** A verdict as it comes. */
export interface GivenVerdict {
  /** The provider's own id. */
  readonly verificationId: string;
  readonly verdict: Verdict;
  /** 0 to 1. */
  readonly scoreConsolidated: number;
  /** 0 to 1 each: liveness, face_match and others that the provider has. */
  readonly subscores: Readonly<Record<string, number>>;
  readonly provider: string;
}

/** What takes verdicts. */
export interface VerdictPorts extends CasePorts {
  readonly mayProcess: MayProcess;
}

const STATUS_OF: Readonly<Record<Verdict, CheckStatus>> = {
  FAIL: 'fail',
  INCONCLUSIVE: 'review',
  PASS: 'pass',
};

/**
 * Throws `state-conflict` where the case is decided, names no such provider, has no consent to it,
 * or has this verdict already; `processing-restricted`.
 */
export function takeVerdict(
  ports: VerdictPorts,
  ask: CaseAsk,
  given: GivenVerdict,
): Promise<CaseRecord> {
  return changeCase(ports, ask, async (seen) => {
    const { externalRef: subjectRef, tenantId } = seen.record;
    await requireProcessing(ports.mayProcess, { subjectRef, tenantId }, 'biometrics');
    requireExpected(ports, seen, given);
    const known = knownIds(seen.record);
    requireNew(known, given);
    return {
      beside: (next) => ({ bus: [publishedEvent(next, given)] }),
      change: {
        checks: withChecks(seen.record.checks, [checkOf(ports, given)]),
        verificationIds: [...known, given.verificationId],
      },
      entry: {
        action: 'kyc.biometric.liveness_score',
        members: {
          provider: given.provider,
          score_consolidated: given.scoreConsolidated,
          subscores: { ...given.subscores },
          verdict: given.verdict,
          verification_id: given.verificationId,
        },
      },
      isAgainst: given.verdict !== 'PASS',
    };
  });
}

function requireExpected(
  { clock }: Pick<CasePorts, 'clock'>,
  { record, workflow }: SeenCase,
  { provider }: GivenVerdict,
): void {
  requireUndecided(record);
  const { biometric_provider: expected } = workflow.content;
  if (expected !== provider) {
    const detail =
      expected === undefined
        ? 'the workflow of the case names no provider of biometrics'
        : `provider: expected ${expected}, as the workflow of the case has it`;
    throw new DomainError('state-conflict', { detail });
  }
  if (consentInForce(record.consents, 'biometric_processing', clock.now()) === undefined) {
    const detail = 'the case has no consent to biometric_processing that is in force';
    throw new DomainError('state-conflict', { detail });
  }
}

/** Ids that it has had; a case from before they were kept has the one of its check. */
function knownIds({ checks, verificationIds }: CaseRecord): readonly string[] {
  if (verificationIds !== undefined) return verificationIds;
  return checks.flatMap(({ evidence, type }) =>
    type === 'biometric' ? [String(evidence.verification_id)] : [],
  );
}

function requireNew(known: readonly string[], { verificationId }: GivenVerdict): void {
  if (known.includes(verificationId)) {
    throw new DomainError('state-conflict', {
      detail: 'the verdict of this verification is there',
    });
  }
  if (known.length < VERDICTS_MAX) return;
  const detail = `expected at most ${VERDICTS_MAX} verdicts of biometrics in a case`;
  throw new DomainError('state-conflict', { detail });
}

function checkOf(
  { clock, random }: Pick<CasePorts, 'clock' | 'random'>,
  { provider, scoreConsolidated, subscores, verdict, verificationId }: GivenVerdict,
): Check {
  const at = clock.now();
  const parts = Object.entries(subscores).map(([name, value]) => [`subscore_${name}`, value]);
  const status = STATUS_OF[verdict];
  return {
    at,
    checkId: uuidV7(at, random),
    evidence: {
      ...Object.fromEntries(parts),
      provider,
      score_consolidated: scoreConsolidated,
      verification_id: verificationId,
    },
    reasonCodes: status === 'pass' ? [] : [`biometric_${verdict.toLowerCase()}`],
    status,
    type: 'biometric',
  };
}

const publishedEvent = ({ caseId, tenantId }: CaseRecord, given: GivenVerdict) => ({
  partition: tenantId,
  payload: {
    case_id: caseId,
    verdict: given.verdict,
    verification_id: given.verificationId,
  },
  topic: 'bio.verdict.published' as const,
});
