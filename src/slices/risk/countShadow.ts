/**
 * Shadows are counted by workers: leased work, a row for each, looked at now and then. What was
 * counted is saved under a signature every BACKTEST_CHUNK evaluations, so that a worker that dies
 * costs no more, and a gateway goes on from there.
 */
import { chainOf } from '#core/kernel';
import type { MayProcessEach } from '#core/privacy';
import type { Hold } from '#core/work';
import type { EpochMs } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import { compilePolicy } from './compilePolicy.ts';
import { comparedSubjects } from './leftOut.ts';
import { BACKTEST_CHUNK } from './limits.ts';
import type { RiskDeskPorts, RiskPorts } from './ports.ts';
import { compareCase, evaluationsIn, FormerPolicies } from './readEvaluations.ts';
import { openProgress, sealProgress, type WorkNamed } from './signedProgress.ts';
import { type PolicyShadow, type RiskPolicy, type RiskShadow, riskShadowTable } from './tables.ts';
import { addCase, leaveOut, newTally, type RiskTally } from './tally.ts';

/** Between two looks of workers at a shadow. */
export const SHADOW_EVERY_MS = 10_000;
/** A row whose shadow is over is looked at no more; the policy that it was of may be gone. */
const NEVER_MS = 365 * 86_400_000;
const US_PER_MS = 1_000;
/** Times of evaluations that are kept: half of them, once there are so many. */
const TIMES_MAX = 2_000;

/** What counting a shadow needs. */
export type ShadowPorts = RiskPorts & {
  readonly mayProcessEach: MayProcessEach;
  readonly signer: Signer;
};
export type ShadowHold = Hold<RiskShadow, 'shadowReportId' | 'tenantId'>;

/** What was counted of one shadow. */
export interface ShadowCount {
  /** Everything up to this place of the chain is counted. */
  readonly afterSeq: number;
  readonly tally: RiskTally;
  /** Times of the last evaluations that were compared. */
  readonly tookUs: readonly number[];
}

const shadowWork = ({ contentHash, policyId }: RiskPolicy, shadow: PolicyShadow): WorkNamed => ({
  kind: 'risk-shadow',
  of: {
    after_seq: shadow.afterSeq,
    content_hash: contentHash,
    policy_id: policyId,
    shadow_report_id: shadow.shadowReportId,
  },
});

/** The row by which workers find the shadow; one that a former release began gets its own now. */
export async function countedByWorkers(
  { clock, tables }: Pick<RiskDeskPorts, 'clock' | 'tables'>,
  { policyId, shadow, tenantId }: RiskPolicy,
): Promise<void> {
  if (shadow === undefined) return;
  const { shadowReportId } = shadow;
  const row = { dueAt: clock.now(), policyId, shadowReportId, tenantId, version: 1 };
  await tables.insertMissing(riskShadowTable, [row]);
}

/** What workers have counted; what none of them signed is nothing. */
export async function savedCount(
  ports: Pick<ShadowPorts, 'clock' | 'signer' | 'tables'>,
  policy: RiskPolicy,
  shadow: PolicyShadow,
): Promise<ShadowCount> {
  const { shadowReportId } = shadow;
  const row = await ports.tables.find(riskShadowTable, {
    shadowReportId,
    tenantId: policy.tenantId,
  });
  if (row === undefined) await countedByWorkers(ports, policy);
  return countIn(ports.signer, { policy, row, shadow });
}

const countIn = (
  signer: Signer,
  of: {
    readonly policy: RiskPolicy;
    readonly row: RiskShadow | undefined;
    readonly shadow: PolicyShadow;
  },
): ShadowCount =>
  openProgress<ShadowCount>(signer, shadowWork(of.policy, of.shadow), of.row?.progress) ?? {
    afterSeq: of.shadow.afterSeq,
    tally: newTally(),
    tookUs: [],
  };

/** Counts on, up to `most` evaluations. Throws `evidence-altered`, `blob-damaged`. */
export async function countOn(
  ports: ShadowPorts,
  of: {
    readonly count: ShadowCount;
    readonly most: number;
    readonly policy: RiskPolicy;
    readonly throughSeq: number;
    readonly onChunk?: (count: ShadowCount) => Promise<void>;
  },
): Promise<ShadowCount> {
  const { count, most, onChunk, policy, throughSeq } = of;
  const { tenantId } = policy;
  const { tally } = count;
  const tookUs = [...count.tookUs];
  const evaluate = compilePolicy(policy.content);
  const former = new FormerPolicies(ports);
  const timed = (facts: Parameters<typeof evaluate>[0]) => {
    const begunMs = ports.clock.monotonicMs();
    const result = evaluate(facts);
    tookUs.push(Math.round((ports.clock.monotonicMs() - begunMs) * US_PER_MS));
    if (tookUs.length > TIMES_MAX) tookUs.splice(0, TIMES_MAX / 2);
    return result;
  };
  let looked = 0;
  let { afterSeq } = count;
  for await (const evaluations of evaluationsIn(ports, { afterSeq, tenantId, throughSeq })) {
    const purpose = 'shadow-evaluation';
    const subjects = await comparedSubjects(ports, { evaluations, purpose, tenantId });
    for (const [place, evaluation] of evaluations.entries()) {
      if (looked === most) return { afterSeq, tally, tookUs };
      const subject = subjects[place];
      const why = typeof subject === 'string' ? subject : undefined;
      const compared = why === undefined ? await compareCase(former, evaluation, timed) : undefined;
      if (compared === undefined) leaveOut(tally, why ?? 'erased');
      else addCase(tally, compared);
      afterSeq = evaluation.event.seq;
      looked += 1;
      if (looked % BACKTEST_CHUNK === 0) await onChunk?.({ afterSeq, tally, tookUs });
    }
  }
  return { afterSeq: throughSeq, tally, tookUs };
}

/** Counts what has come since the last look, and gives the row back until the next one. */
export async function countShadow(ports: ShadowPorts, hold: ShadowHold): Promise<void> {
  const { record: row } = hold;
  const { policyId, shadowReportId, tenantId } = row;
  const policy = await ports.signed.findPolicy({ policyId, tenantId });
  const next = (inMs: number) => (ports.clock.now() + inMs) as EpochMs;
  if (policy?.shadow?.shadowReportId !== shadowReportId) {
    await hold.giveBack({ isTried: false, work: { dueAt: next(NEVER_MS), progress: undefined } });
    return;
  }
  const { shadow } = policy;
  const seal = (count: ShadowCount) => ({
    progress: sealProgress(ports.signer, shadowWork(policy, shadow), count),
  });
  const count = countIn(ports.signer, { policy, row, shadow });
  const throughSeq = (await ports.audit.head(chainOf(tenantId))).seq;
  const counted = await countOn(ports, {
    count,
    most: Number.POSITIVE_INFINITY,
    async onChunk(so) {
      hold.signal.throwIfAborted();
      hold.tell(seal(so));
      await hold.saveNow();
    },
    policy,
    throughSeq,
  });
  hold.signal.throwIfAborted();
  await hold.giveBack({
    hasGotOn: true,
    isTried: false,
    work: { dueAt: next(SHADOW_EVERY_MS), ...seal(counted) },
  });
}

/** It failed too often: the next look is much later, and looks at the policy say why. */
export async function putShadowOff(
  { clock }: Pick<ShadowPorts, 'clock'>,
  hold: ShadowHold,
): Promise<void> {
  const dueAt = (clock.now() + FAILED_MS) as EpochMs;
  await hold.giveBack({ hasGotOn: true, isTried: false, work: { dueAt } });
}

const FAILED_MS = 3_600_000;
