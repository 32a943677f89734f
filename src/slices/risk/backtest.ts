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
import type { EpochMs } from '#platform/clock';
import { type Signer, sha256Hex } from '#platform/crypto';
import { LOCALES, type Locale } from '#platform/locales';
import { uuidV7 } from '#platform/random';
import { type BacktestReport, reportOf } from './backtestReport.ts';
import { requireStatus } from './changeStage.ts';
import { ClientQuarters, QUARTERS_MAX } from './clientQuarters.ts';
import { compilePolicy } from './compilePolicy.ts';
import { type RiskAsk, riskEditorOf } from './draftPolicy.ts';
import { mayCompare } from './leftOut.ts';
import { BACKTEST_CHUNK } from './limits.ts';
import { nextPolicy, putPolicy, type RiskPolicyPlace, requirePolicy } from './policyRecord.ts';
import type { RiskDeskPorts, RiskPorts } from './ports.ts';
import { compareCase, evaluationsBack, FormerPolicies } from './readEvaluations.ts';
import { requireSound, type ShadowCounts } from './shadow.ts';
import {
  openProgress,
  type Progress,
  populationMembers,
  requireAsEnded,
  requireAsRequested,
  sealProgress,
} from './signedBacktest.ts';
import { heldPolicies, policyTarget } from './signedRisk.ts';
import { type RiskBacktest, type RiskPolicy, riskBacktestTable } from './tables.ts';
import { addCase, leaveOut, newTally, type RiskTally } from './tally.ts';

/** What works backtests off. */
export type BacktestPorts = RiskPorts & {
  readonly drawBacktest: (report: BacktestReport, lang: Locale, at: Date) => Promise<Uint8Array>;
  readonly mayProcess: MayProcess;
  readonly shadows: ShadowCounts;
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
    from: Math.max(from, earliest(to)) as EpochMs,
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
        members: { btr_id: backtest.btrId, ...populationMembers(backtest) },
        target: policyTarget(policy),
        ...(ip !== undefined && { ip }),
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(backtest) }),
  });
  return backtest;
}

/** Throws `backtest-unknown`, also for one of another policy, and `state-altered`. */
export async function findRiskBacktest(
  { tables, ...ports }: Pick<RiskPorts, 'audit' | 'keyRing' | 'tables'>,
  { btrId, policyId, tenantId }: Pick<RiskBacktest, 'btrId' | 'policyId' | 'tenantId'>,
): Promise<RiskBacktest> {
  const found = await tables.find(riskBacktestTable, { btrId, tenantId });
  if (found?.policyId !== policyId) throw new DomainError('backtest-unknown');
  await requireAsEnded(ports, found);
  return found;
}

/** 0 to 1. */
export function backtestShare({ progress, status, throughSeq }: RiskBacktest): number {
  if (status !== 'queued') return 1;
  if (progress === undefined) return 0;
  return 1 - (JSON.parse(progress) as Progress).fromSeq / (throughSeq + 1);
}

/**
 * Works one off, and keeps its report; the policy names it from then on. Throws `state-altered`.
 */
export async function runRiskBacktest(
  ports: BacktestPorts,
  hold: BacktestHold,
  chunk = BACKTEST_CHUNK,
): Promise<void> {
  const { contentHash, policyId, tenantId } = hold.record;
  await requireAsRequested(ports, hold.record);
  const policy = await requirePolicy(ports, { policyId, tenantId });
  if (policy.contentHash !== contentHash) {
    await endBacktest(ports, hold, { failure: 'report-stale' });
    return;
  }
  const tally = await tallyOf(ports, hold, { chunk, policy });
  hold.signal.throwIfAborted();
  const report = reportOf(ports, hold.record, { policy, tally });
  const text = canonicalJson(report as never);
  await ports.blobs.put(Buffer.from(text));
  const pdfs = await keepPdfs(ports, report, new Date(hold.record.requestedAt));
  await endBacktest(ports, hold, { pdfs, reportSha256: sha256Hex(text) });
}

/** In each language; the entry of the end names their digests. */
async function keepPdfs(
  { blobs, drawBacktest }: Pick<BacktestPorts, 'blobs' | 'drawBacktest'>,
  report: BacktestReport,
  at: Date,
): Promise<NonNullable<RiskBacktest['pdfs']>> {
  const kept: Record<string, string> = {};
  for (const lang of LOCALES) {
    const { address } = await blobs.put(await drawBacktest(report, lang, at));
    kept[lang] = address;
  }
  return kept;
}

/** `2026Q4`, in UTC. */
export function quarterOf(at: EpochMs): string {
  const day = new Date(at);
  return `${day.getUTCFullYear()}Q${Math.floor(day.getUTCMonth() / 3) + 1}`;
}

/**
 * The chain is read once, backwards: the first evaluation of a client and quarter that is met is
 * the last one of it. Whoever goes on with the work of another reads what was counted for the names
 * of the clients alone.
 */
async function tallyOf(
  ports: BacktestPorts,
  hold: BacktestHold,
  { chunk, policy }: { readonly chunk: number; readonly policy: RiskPolicy },
): Promise<RiskTally> {
  const { from, tenantId, throughSeq, to } = hold.record;
  const begun = openProgress(ports.signer, hold.record);
  const tally = begun?.tally ?? newTally();
  const evaluate = compilePolicy(policy.content);
  const former = new FormerPolicies(ports);
  const seen = new ClientQuarters();
  const lastQuarter = quarterNumber((to - 1) as EpochMs);
  let cases = 0;
  for await (const evaluation of evaluationsBack(ports, { afterSeq: 0, tenantId, throughSeq })) {
    hold.signal.throwIfAborted();
    const { at, event, members } = evaluation;
    if (at < from || at >= to) continue;
    if (!seen.add(members.client_id, lastQuarter - quarterNumber(at))) continue;
    if (begun !== undefined && event.seq >= begun.fromSeq) continue;
    const purpose = 'backtest-cohort';
    const why = await mayCompare(ports, { evaluation, purpose, tenantId });
    const compared =
      why === undefined ? await compareCase(former, evaluation, evaluate) : undefined;
    if (compared === undefined) leaveOut(tally, why ?? 'erased');
    else addCase(tally, compared);
    cases += 1;
    if (cases % chunk === 0) {
      const progress = { fromSeq: event.seq, tally };
      hold.tell({ progress: sealProgress(ports.signer, hold.record, progress) });
      await hold.saveNow();
    }
  }
  return tally;
}

/** Quarters since the year 0, in UTC. */
function quarterNumber(at: EpochMs): number {
  const day = new Date(at);
  return day.getUTCFullYear() * QUARTERS_A_YEAR + Math.floor(day.getUTCMonth() / MONTHS_A_QUARTER);
}

const QUARTERS_A_YEAR = 4;
const MONTHS_A_QUARTER = 3;

/** A backtest tells QUARTERS_MAX quarters apart; what is older is not looked at. */
const earliest = (to: EpochMs): EpochMs => {
  const day = new Date(to);
  day.setUTCMonth(day.getUTCMonth() - (QUARTERS_MAX - 1) * MONTHS_A_QUARTER);
  return day.getTime() as EpochMs;
};

/** It is not tried again. */
export const failRiskBacktest = (
  ports: RiskDeskPorts,
  hold: BacktestHold,
  failure: string,
): Promise<void> => endBacktest(ports, hold, { failure });

async function endBacktest(
  ports: RiskDeskPorts,
  hold: BacktestHold,
  ended:
    | { readonly failure: string }
    | {
        readonly pdfs: NonNullable<RiskBacktest['pdfs']>;
        readonly reportSha256: string;
      },
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
              ...(isReady
                ? { pdf_sha256: { ...ended.pdfs }, report_sha256: ended.reportSha256 }
                : { failure: ended.failure }),
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
