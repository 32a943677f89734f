/**
 * A policy in shadow: what it would have made of the evaluations since, beside what they were. It
 * is counted from the signed entries when somebody asks, so that nothing is added to a live
 * evaluation and nothing decides by it. The report is kept when the policy leaves the shadow or is
 * submitted.
 */

import { chainOf, DomainError } from '#core/kernel';
import type { MayProcess } from '#core/privacy';
import { canonicalJson } from '#platform/canonicalJson';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { checkContent } from './checkContent.ts';
import { compilePolicy } from './compilePolicy.ts';
import { figuresOf, matrixOf, movementOf } from './figures.ts';
import { mayCompare } from './leftOut.ts';
import { SHADOW_STEP_MAX } from './limits.ts';
import type { RiskPorts } from './ports.ts';
import { compareCase, evaluationsIn, FormerPolicies } from './readEvaluations.ts';
import type { PolicyReport, RiskPolicy } from './tables.ts';
import { addCase, leaveOut, newTally } from './tally.ts';

const DAY_MS = 86_400_000;
const US_PER_MS = 1_000;
const P50 = 0.5;
const P95 = 0.95;

/** What counting a shadow needs. */
export type ShadowPorts = RiskPorts & { readonly mayProcess: MayProcess };

/** Metrics of a shadow, as they are shown and kept. */
export type ShadowMetrics = Awaited<ReturnType<typeof shadowMetrics>>;

/** Throws `state-conflict` where the policy is in no shadow. */
export async function shadowMetrics(ports: ShadowPorts, policy: RiskPolicy) {
  const { shadow, tenantId } = policy;
  if (shadow === undefined) {
    throw new DomainError('state-conflict', { detail: 'the policy is not in shadow' });
  }
  const { afterSeq, shadowReportId, since } = shadow;
  const evaluate = compilePolicy(policy.content);
  const former = new FormerPolicies(ports);
  const tally = newTally();
  const tookUs: number[] = [];
  const throughSeq = (await ports.audit.head(chainOf(tenantId))).seq;
  let isComplete = true;
  for await (const one of evaluationsIn(ports, { afterSeq, tenantId, throughSeq })) {
    if (tally.cases === SHADOW_STEP_MAX) {
      isComplete = false;
      break;
    }
    const why = await mayCompare(ports, {
      evaluation: one,
      purpose: 'shadow-evaluation',
      tenantId,
    });
    if (why !== undefined) {
      leaveOut(tally, why);
      continue;
    }
    const compared = await compareCase(former, one, (facts) => {
      const begunMs = ports.clock.monotonicMs();
      const result = evaluate(facts);
      tookUs.push((ports.clock.monotonicMs() - begunMs) * US_PER_MS);
      return result;
    });
    if (compared === undefined) leaveOut(tally, 'erased');
    else addCase(tally, compared);
  }
  const { shadowDays, shadowEvaluations } = await ports.settingsOf(tenantId);
  const { agreement, psi_levels: psi } = figuresOf(tally);
  const isLongEnough = ports.clock.now() - since >= shadowDays * DAY_MS;
  return {
    agreement,
    complete: isComplete,
    confusion: matrixOf(tally.confusion),
    content_hash: policy.contentHash,
    errors: tally.mismatches,
    evaluations: tally.cases,
    latency_us: { p50: quantile(tookUs, P50), p95: quantile(tookUs, P95) },
    left_out: tally.leftOut,
    movement: movementOf(tally),
    needed: { days: shadowDays, evaluations: shadowEvaluations },
    overrides: Object.entries(tally.overrides).map(([id, count]) => ({ count, id })),
    policy_id: policy.policyId,
    psi,
    ready: isLongEnough && tally.cases >= shadowEvaluations,
    shadowReportId,
    since: toTimestamp(since),
  };
}

function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0);
}

/** Keeps the metrics as a report. */
export async function keepShadowReport(
  { blobs }: Pick<RiskPorts, 'blobs'>,
  metrics: ShadowMetrics,
  at: EpochMs,
): Promise<PolicyReport> {
  const text = canonicalJson(metrics as never);
  await blobs.put(Buffer.from(text));
  return {
    at,
    contentHash: metrics.content_hash,
    reportId: metrics.shadowReportId,
    sha256: sha256Hex(text),
  };
}

/** Throws `policy-invalid` with every violation. */
export function requireSound({ content }: Pick<RiskPolicy, 'content'>): void {
  const { violations } = checkContent(content);
  if (violations.length === 0) return;
  const detail = violations.map((one) => `${one.pointer}: ${one.detail}`).join('; ');
  throw new DomainError('policy-invalid', { detail, violations });
}
