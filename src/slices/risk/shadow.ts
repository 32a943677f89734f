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
import { addCase, leaveOut, newTally, type RiskTally } from './tally.ts';

const DAY_MS = 86_400_000;
const US_PER_MS = 1_000;
const P50 = 0.5;
const P95 = 0.95;

/** What counting a shadow needs. */
export type ShadowPorts = RiskPorts & {
  readonly mayProcess: MayProcess;
  readonly shadows: ShadowCounts;
};

/** Metrics of a shadow, as they are shown and kept. */
export type ShadowMetrics = Awaited<ReturnType<typeof shadowMetrics>>;

/** What was counted of one shadow so far. */
export interface ShadowCount {
  /** Where the next look goes on. */
  afterSeq: number;
  isComplete: boolean;
  readonly tally: RiskTally;
  /** Times of the last evaluations that were compared. */
  readonly tookUs: number[];
}

const COUNTS_MAX = 300;
const TIMES_MAX = 10_000;

/**
 * Counts of one process: a look compares what came since the last one. They are only what the
 * signed entries say, so that another process comes to the same; looks at one shadow take turns,
 * and one that failed is counted anew.
 */
export class ShadowCounts {
  readonly #counts = new Map<string, Promise<ShadowCount>>();

  async next(
    key: string,
    afterSeq: number,
    look: (count: ShadowCount) => Promise<ShadowCount>,
  ): Promise<ShadowCount> {
    const fresh = (): ShadowCount => ({
      afterSeq,
      isComplete: false,
      tally: newTally(),
      tookUs: [],
    });
    const before = this.#counts.get(key) ?? Promise.resolve(fresh());
    const after = before.then(look, () => look(fresh()));
    this.#counts.delete(key);
    this.#counts.set(key, after);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > COUNTS_MAX && oldest !== undefined) this.#counts.delete(oldest);
    return after;
  }
}

async function countOn(
  ports: ShadowPorts,
  {
    count,
    of,
    policy,
  }: {
    readonly count: ShadowCount;
    readonly of: 'all' | 'one look';
    readonly policy: RiskPolicy;
  },
): Promise<ShadowCount> {
  const { tenantId } = policy;
  const { tally, tookUs } = count;
  const evaluate = compilePolicy(policy.content);
  const former = new FormerPolicies(ports);
  const throughSeq = (await ports.audit.head(chainOf(tenantId))).seq;
  const timed = (facts: Parameters<typeof evaluate>[0]) => {
    const begunMs = ports.clock.monotonicMs();
    const result = evaluate(facts);
    tookUs.push((ports.clock.monotonicMs() - begunMs) * US_PER_MS);
    if (tookUs.length > TIMES_MAX) tookUs.splice(0, tookUs.length - TIMES_MAX / 2);
    return result;
  };
  let looked = 0;
  const range = { afterSeq: count.afterSeq, tenantId, throughSeq };
  for await (const evaluation of evaluationsIn(ports, range)) {
    if (of === 'one look' && looked === SHADOW_STEP_MAX) return { ...count, isComplete: false };
    const purpose = 'shadow-evaluation';
    const why = await mayCompare(ports, { evaluation, purpose, tenantId });
    const compared = why === undefined ? await compareCase(former, evaluation, timed) : undefined;
    if (compared === undefined) leaveOut(tally, why ?? 'erased');
    else addCase(tally, compared);
    count.afterSeq = evaluation.event.seq;
    looked += 1;
  }
  return { ...count, afterSeq: throughSeq, isComplete: true };
}

/**
 * Counts on, up to SHADOW_STEP_MAX evaluations or all that there are. Throws `state-conflict` where
 * the policy is in no shadow.
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
  const key = `${tenantId} ${policy.policyId} ${shadowReportId}`;
  const { isComplete, tally, tookUs } = await ports.shadows.next(key, shadow.afterSeq, (count) =>
    countOn(ports, { count, of, policy }),
  );
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
