/**
 * A policy in shadow: what it would have made of the evaluations since, beside what they were. It
 * is counted from the signed entries, by workers (countShadow.ts), so that nothing is added to a
 * live evaluation and nothing decides by it. A look goes on from what they have counted. The report
 * is kept when the policy leaves the shadow or is submitted.
 */
import { chainOf, DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { checkContent } from './checkContent.ts';
import { countOn, type ShadowPorts, savedCount } from './countShadow.ts';
import { figuresOf, matrixOf, movementOf } from './figures.ts';
import { SHADOW_STEP_MAX } from './limits.ts';
import type { RiskPorts } from './ports.ts';
import type { PolicyReport, RiskPolicy } from './tables.ts';

const DAY_MS = 86_400_000;
const P50 = 0.5;
const P95 = 0.95;

/** Metrics of a shadow, as they are shown and kept. */
export type ShadowMetrics = Awaited<ReturnType<typeof shadowMetrics>>;

/**
 * What was counted, and up to SHADOW_STEP_MAX evaluations behind that, or all that there are.
 * Throws `state-conflict` where the policy is in no shadow.
 */
export async function shadowMetrics(
  ports: ShadowPorts,
  policy: RiskPolicy,
  of: 'all' | 'one look' = 'one look',
) {
  const { shadow, tenantId } = policy;
  if (shadow === undefined) {
    throw new DomainError('state-conflict', { detail: 'the policy is not in shadow' });
  }
  const { shadowReportId, since } = shadow;
  const throughSeq = (await ports.audit.head(chainOf(tenantId))).seq;
  const most = of === 'all' ? Number.POSITIVE_INFINITY : SHADOW_STEP_MAX;
  const { afterSeq, tally, tookUs } = await countOn(ports, {
    count: await savedCount(ports, policy, shadow),
    most,
    policy,
    throughSeq,
  });
  const { shadowDays, shadowEvaluations } = await ports.settingsOf(tenantId);
  const { agreement, psi_levels: psi } = figuresOf(tally);
  const isLongEnough = ports.clock.now() - since >= shadowDays * DAY_MS;
  return {
    agreement,
    complete: afterSeq === throughSeq,
    confusion: matrixOf(tally.confusion),
    content_hash: policy.contentHash,
    counted: afterSeq - shadow.afterSeq,
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
    to_count: throughSeq - shadow.afterSeq,
  };
}

/**
 * Metrics that a report is made of: all evaluations are in them. At the command line they are
 * counted now. Throws `state-conflict` where workers are behind, and says how far they are.
 */
export async function completeMetrics(
  ports: ShadowPorts,
  policy: RiskPolicy,
  { principal }: { readonly principal: { readonly kind: string } },
): Promise<ShadowMetrics> {
  const metrics = await shadowMetrics(ports, policy, principal.kind === 'cli' ? 'all' : 'one look');
  if (metrics.complete) return metrics;
  const { counted, to_count: toCount } = metrics;
  const detail =
    `workers count the shadow still: ${counted} of ${toCount} entries of the chain; ` +
    'ask again once shadow-metrics says complete';
  throw new DomainError('state-conflict', { detail });
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
