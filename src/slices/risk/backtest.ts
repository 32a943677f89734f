/**
 * A policy upon the tenant's past: the last evaluation of each client and quarter, evaluated again
 * by the policy of then and by this one. The facts of an evaluation are those of its time, its
 * screening's included, so the lists are those of then without another screening.
 *
 * How far it is is saved every BACKTEST_CHUNK cases, so that a worker that dies costs no more, and
 * the report is the same bytes however often that happens.
 */
import { type Actor, entry, type IdempotencyRecord, overwrite } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import type { MayProcess } from '#core/privacy';
import { type Hold, WorkLost } from '#core/work';
import { canonicalJson } from '#platform/canonicalJson';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { type Signer, sha256Hex } from '#platform/crypto';
import { uuidV7 } from '#platform/random';
import { requireStatus } from './changeStage.ts';
import { compilePolicy } from './compilePolicy.ts';
import { type RiskAsk, riskEditorOf } from './draftPolicy.ts';
import { readEvaluation } from './evaluation.ts';
import { figuresOf, matrixOf, movementOf, segmentsOfTally } from './figures.ts';
import { mayCompare } from './leftOut.ts';
import { BACKTEST_CHUNK, REPRESENTATIVE_MIN } from './limits.ts';
import { nextPolicy, putPolicy, type RiskPolicyPlace, requirePolicy } from './policyRecord.ts';
import type { RiskDeskPorts, RiskPorts } from './ports.ts';
import { compareCase, evaluationsIn, FormerPolicies } from './readEvaluations.ts';
import { requireSound } from './shadow.ts';
import { heldPolicies, policyTarget } from './signedRisk.ts';
import { type RiskBacktest, type RiskPolicy, riskBacktestTable } from './tables.ts';
import { addCase, leaveOut, newTally, type RiskTally } from './tally.ts';

/** What works backtests off. */
export type BacktestPorts = RiskPorts & {
  readonly mayProcess: MayProcess;
  readonly signer: Signer;
};
export type BacktestHold = Hold<RiskBacktest, 'btrId' | 'tenantId'>;

/** The time whose evaluations count. */
export interface Population {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** Queued. Throws `policy-invalid`, and `state-conflict` where one of the policy is open. */
export async function requestRiskBacktest(
  ports: RiskDeskPorts,
  ask: Omit<RiskAsk, 'idempotency'> &
    RiskPolicyPlace & { readonly idempotency?: (backtest: RiskBacktest) => IdempotencyRecord },
  { from, to }: Population,
): Promise<RiskBacktest> {
  const { idempotency, ip, policyId, tenantId } = ask;
  const by = await riskEditorOf(ports, ask);
  const policy = await requirePolicy(ports, ask);
  requireStatus(policy, 'draft', 'shadow');
  requireSound(policy);
  const open = { isOpen: true, policyId, tenantId };
  if (await ports.tables.findUnique(riskBacktestTable, 'open', open)) {
    throw new DomainError('state-conflict', { detail: 'a backtest of the policy is under way' });
  }
  const now = ports.clock.now();
  const backtest: RiskBacktest = {
    btrId: uuidV7(now, ports.random),
    contentHash: policy.contentHash,
    from,
    policyId,
    requestedAt: now,
    requestedBy: by,
    status: 'queued',
    tenantId,
    throughSeq: (await ports.audit.head(chainOf(tenantId))).seq,
    to,
    version: 1,
  };
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [riskBacktestTable.insert(backtest)],
    events: [
      entry(ports, {
        action: 'risk.backtest.requested',
        actor: by,
        members: { btr_id: backtest.btrId, content_hash: policy.contentHash },
        target: policyTarget(policy),
        ...(ip !== undefined && { ip }),
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(backtest) }),
  });
  return backtest;
}

/** Throws `backtest-unknown`, also for one of another policy. */
export async function findRiskBacktest(
  { tables }: Pick<RiskPorts, 'tables'>,
  { btrId, policyId, tenantId }: Pick<RiskBacktest, 'btrId' | 'policyId' | 'tenantId'>,
): Promise<RiskBacktest> {
  const found = await tables.find(riskBacktestTable, { btrId, tenantId });
  if (found?.policyId !== policyId) throw new DomainError('backtest-unknown');
  return found;
}

interface Progress {
  readonly done: number;
  readonly tally: RiskTally;
}

/** Works one off, and keeps its report; the policy names it from then on. */
export async function runRiskBacktest(ports: BacktestPorts, hold: BacktestHold): Promise<void> {
  const { contentHash, policyId, tenantId } = hold.record;
  const policy = await requirePolicy(ports, { policyId, tenantId });
  if (policy.contentHash !== contentHash) {
    await endBacktest(ports, hold, { failure: 'report-stale' });
    return;
  }
  const seqs = await casesOf(ports, hold);
  const tally = await tallyOf(ports, hold, { policy, seqs });
  hold.signal.throwIfAborted();
  const text = canonicalJson(reportOf(ports, hold.record, { policy, tally }) as never);
  await ports.blobs.put(Buffer.from(text));
  await endBacktest(ports, hold, { reportSha256: sha256Hex(text) });
}

/** Places of the cases in the chain: of each client the last evaluation of each quarter. */
async function casesOf(ports: BacktestPorts, { record, signal }: BacktestHold) {
  const { from, tenantId, throughSeq, to } = record;
  const last = new Map<string, number>();
  for await (const { at, event, members } of evaluationsIn(ports, {
    afterSeq: 0,
    tenantId,
    throughSeq,
  })) {
    signal.throwIfAborted();
    if (at >= from && at < to) last.set(`${members.client_id} ${quarterOf(at)}`, event.seq);
  }
  return [...last.values()].sort((one, other) => one - other);
}

/** `2026Q4`, in UTC. */
export function quarterOf(at: EpochMs): string {
  const day = new Date(at);
  return `${day.getUTCFullYear()}Q${Math.floor(day.getUTCMonth() / 3) + 1}`;
}

async function tallyOf(
  ports: BacktestPorts,
  hold: BacktestHold,
  { policy, seqs }: { readonly policy: RiskPolicy; readonly seqs: readonly number[] },
): Promise<RiskTally> {
  const { progress, tenantId } = hold.record;
  const begun = progress === undefined ? undefined : (JSON.parse(progress) as Progress);
  const tally = begun?.tally ?? newTally();
  const evaluate = compilePolicy(policy.content);
  const former = new FormerPolicies(ports);
  for (let done = begun?.done ?? 0; done < seqs.length; done++) {
    hold.signal.throwIfAborted();
    const event = await ports.audit.findBySeq(chainOf(tenantId), seqs[done] ?? 0);
    if (event === undefined) throw new DomainError('evidence-altered');
    const evaluation = await readEvaluation(ports, tenantId, event);
    const purpose = 'backtest-cohort';
    const why = await mayCompare(ports, { evaluation, purpose, tenantId });
    const compared =
      why === undefined ? await compareCase(former, evaluation, evaluate) : undefined;
    if (compared === undefined) leaveOut(tally, why ?? 'erased');
    else addCase(tally, compared);
    if ((done + 1) % BACKTEST_CHUNK === 0) {
      hold.tell({ progress: JSON.stringify({ done: done + 1, tally }) });
      await hold.saveNow();
    }
  }
  return tally;
}

/** What was found, signed. It says nothing of when or how often it was worked on. */
function reportOf(
  { signer }: BacktestPorts,
  backtest: RiskBacktest,
  { policy, tally }: { readonly policy: RiskPolicy; readonly tally: RiskTally },
) {
  const unrepresentative = tally.cases < REPRESENTATIVE_MIN ? ['unrepresentative'] : [];
  const report = {
    btr_id: backtest.btrId,
    confusion: matrixOf(tally.confusion),
    contributions: Object.entries(tally.contributions).map(([factor, sum]) => ({
      factor,
      mean: tally.cases === 0 ? 0 : sum / tally.cases,
    })),
    facts: { missing: tally.missing, rescreened: 0, stored: tally.cases },
    metrics: { ...figuresOf(tally), baseline_mismatch: tally.mismatches },
    movement: movementOf(tally),
    overrides: Object.entries(tally.overrides).map(([id, count]) => ({ count, id })),
    policy: { content_hash: policy.contentHash, policy_id: policy.policyId },
    population: {
      cases: tally.cases,
      from: toTimestamp(backtest.from),
      left_out: tally.leftOut,
      through_seq: backtest.throughSeq,
      to: toTimestamp(backtest.to),
    },
    segments: segmentsOfTally(tally),
    warnings: unrepresentative,
  };
  const signature = signer.sign(reportMessage(report));
  return { ...report, key_id: signer.keyId, signature: Buffer.from(signature).toString('base64') };
}

/** The bytes that are signed. */
export const reportMessage = (report: object): Uint8Array =>
  Buffer.from(`risk-backtest-v1\0${canonicalJson(report as never)}`);

/** It is not tried again. */
export const failRiskBacktest = (
  ports: RiskDeskPorts,
  hold: BacktestHold,
  failure: string,
): Promise<void> => endBacktest(ports, hold, { failure });

async function endBacktest(
  ports: RiskDeskPorts,
  hold: BacktestHold,
  ended: { readonly failure: string } | { readonly reportSha256: string },
): Promise<void> {
  await overwrite(
    async () => {
      const { progress: _, ...record } = hold.record;
      const { policyId, tenantId, version } = record;
      const now = ports.clock.now();
      const isReady = 'reportSha256' in ended;
      const policy = await ports.signed.findPolicy({ policyId, tenantId });
      const isNamed = isReady && policy?.contentHash === record.contentHash && isTried(policy);
      const named = isNamed ? policy : undefined;
      const next = named && withReport(named, record, { at: now, sha256: sha256Of(ended) });
      await ports.commit(chainOf(tenantId), {
        bus: [],
        changes: [
          hold.expected,
          riskBacktestTable.put(
            {
              ...record,
              ...ended,
              endedAt: now,
              status: isReady ? 'ready' : 'failed',
              version: version + 1,
            },
            version,
          ),
          ...(named && next ? [putPolicy(named, next)] : []),
        ],
        events: [
          entry(ports, {
            action: 'risk.backtest.ended',
            actor: 'system:risk' satisfies Actor,
            at: now,
            members: {
              ...(next && heldPolicies(next)),
              ...(isReady ? { report_sha256: ended.reportSha256 } : { failure: ended.failure }),
              btr_id: record.btrId,
              content_hash: record.contentHash,
            },
            target: policyTarget({ policyId }),
          }),
        ],
      });
    },
    { mayRepeat: ({ changeIndex }) => requireHeld(changeIndex) },
  );
}

/** What was submitted or published is not touched any more. */
const isTried = ({ status }: RiskPolicy): boolean => status === 'draft' || status === 'shadow';

const sha256Of = (ended: object): string =>
  (ended as { readonly reportSha256: string }).reportSha256;

/** The first two changes are of the backtest itself: another worker has it, or has ended it. */
function requireHeld(changeIndex: number): true {
  if (changeIndex < 2) throw new WorkLost('another worker has ended the backtest');
  return true;
}

const withReport = (
  policy: RiskPolicy,
  { btrId, contentHash }: Pick<RiskBacktest, 'btrId' | 'contentHash'>,
  { at, sha256 }: { readonly at: EpochMs; readonly sha256: string },
): RiskPolicy =>
  nextPolicy(policy, {
    backtestReport: { at, contentHash, reportId: btrId, sha256 },
    updatedAt: at,
  });
