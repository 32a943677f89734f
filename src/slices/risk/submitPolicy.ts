/** A policy is submitted for approval, upon both reports of this very content. */
import { overwrite } from '#core/audit';
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { commitStage, requireStatus } from './changeStage.ts';
import type { ShadowPorts } from './countShadow.ts';
import { type RiskAsk, riskEditorOf } from './draftPolicy.ts';
import { EFFECTIVE_DAYS_MAX } from './limits.ts';
import { type RiskPolicyPlace, requireEtag, requirePolicy } from './policyRecord.ts';
import { awaitedEvent } from './remindApprovers.ts';
import { readRiskReport } from './riskReports.ts';
import { completeMetrics, keepShadowReport, requireSound } from './shadow.ts';
import type { PolicyReport, PolicySubmission, RiskPolicy } from './tables.ts';

/** What somebody wants to have approved. */
export interface SubmitPolicy {
  readonly backtestReportId: string;
  readonly shadowReportId: string;
  readonly justification: string;
  /** RFC 3339; absent: at once. */
  readonly effective_at?: string;
}

/**
 * Waits for two approvals from now on. Throws `report-missing`, `report-stale`, `policy-invalid`,
 * `state-conflict`.
 */
export async function submitPolicy(
  ports: ShadowPorts,
  ask: RiskAsk & RiskPolicyPlace,
  given: SubmitPolicy,
): Promise<RiskPolicy> {
  const by = await riskEditorOf(ports, ask);
  return overwrite(async () => {
    const before = await requirePolicy(ports, ask);
    requireEtag(before, ask.isExpected);
    requireStatus(before, 'draft', 'shadow');
    requireSound(before);
    const at = ports.clock.now();
    requireSoon(given.effective_at, at);
    const backtest = reportNamed(before, before.backtestReport, given.backtestReportId);
    const shadow = await shadowReportOf(ports, ask, {
      policy: before,
      reportId: given.shadowReportId,
    });
    const submission: PolicySubmission = {
      at,
      backtestSha256: backtest.sha256,
      by,
      justification: given.justification,
      shadowSha256: shadow.sha256,
      ...(given.effective_at !== undefined && { effectiveAt: given.effective_at }),
    };
    const change = { approvals: [], shadowReport: shadow, status: 'PENDING_APPROVAL', submission };
    return commitStage(ports, ask, {
      action: 'risk.policy.submitted',
      before,
      bus: (record) => [awaitedEvent(record, 0)],
      by,
      change: change as never,
      open: { justification: given.justification },
    });
  });
}

/** Throws `body-invalid` where the day is further ahead than anybody can vouch for. */
function requireSoon(effectiveAt: string | undefined, now: EpochMs): void {
  if (effectiveAt === undefined) return;
  if (Date.parse(effectiveAt) - now <= EFFECTIVE_DAYS_MAX * DAY_MS) return;
  const detail = `expected a time within ${EFFECTIVE_DAYS_MAX} days`;
  throw new DomainError('body-invalid', {
    violations: [{ code: 'range', detail, pointer: '/effective_at' }],
  });
}

const DAY_MS = 86_400_000;

function reportNamed(
  { contentHash }: RiskPolicy,
  report: PolicyReport | undefined,
  reportId: string,
): PolicyReport {
  if (report?.reportId !== reportId) {
    throw new DomainError('report-missing', { detail: `expected the report ${reportId}` });
  }
  if (report.contentHash !== contentHash) throw new DomainError('report-stale');
  return report;
}

async function shadowReportOf(
  ports: ShadowPorts,
  ask: RiskAsk,
  { policy, reportId }: { readonly policy: RiskPolicy; readonly reportId: string },
): Promise<PolicyReport> {
  if (policy.shadow === undefined) {
    const kept = reportNamed(policy, policy.shadowReport, reportId);
    requireReady((await readRiskReport(ports, kept.sha256)) as { readonly ready?: boolean });
    return kept;
  }
  const metrics = await completeMetrics(ports, policy, ask);
  const report = await keepShadowReport(ports, metrics, ports.clock.now());
  requireReady(metrics);
  return reportNamed(policy, report, reportId);
}

function requireReady({ ready }: { readonly ready?: boolean }): void {
  if (ready === true) return;
  const detail = 'the policy was not long enough in shadow, or not for enough evaluations';
  throw new DomainError('report-missing', { detail });
}
