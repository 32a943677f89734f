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
import type { MayProcessEach } from '#core/privacy';
import { type Hold, WorkLost } from '#core/work';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { type Signer, sha256Hex } from '#platform/crypto';
import { LOCALES, type Locale } from '#platform/locales';
import { uuidV7 } from '#platform/random';
import type { SubjectRecord } from '#slices/customers';
import { type BacktestReport, reportedOf, reportOf } from './backtestReport.ts';
import { requireStatus } from './changeStage.ts';
import { ClientQuarters, QUARTERS_MAX } from './clientQuarters.ts';
import { compilePolicy } from './compilePolicy.ts';
import { type RiskAsk, riskEditorOf } from './draftPolicy.ts';
import type { Evaluation } from './evaluation.ts';
import { comparedSubjects, type LeftOut } from './leftOut.ts';
import { BACKTEST_CHUNK } from './limits.ts';
import type { Outcomes, ReadOutcomes } from './outcomes.ts';
import { nextPolicy, putPolicy, type RiskPolicyPlace, requirePolicy } from './policyRecord.ts';
import type { RiskDeskPorts, RiskPorts } from './ports.ts';
import { compareCase, evaluationsBack, FormerPolicies } from './readEvaluations.ts';
import { isOfSegments, segmentsOf } from './segments.ts';
import { requireSound } from './shadow.ts';
import {
  backtestWork,
  populationMembers,
  requireAsEnded,
  requireAsRequested,
} from './signedBacktest.ts';
import { openProgress, parsed, sealProgress } from './signedProgress.ts';
import { heldPolicies, policyTarget } from './signedRisk.ts';
import { type RiskBacktest, type RiskPolicy, riskBacktestTable } from './tables.ts';
import { addCase, type ComparedCase, leaveOut, newTally, type RiskTally } from './tally.ts';

/** What works backtests off. */
export type BacktestPorts = RiskPorts & {
  readonly drawBacktest: (report: BacktestReport, lang: Locale, at: Date) => Promise<Uint8Array>;
  readonly mayProcessEach: MayProcessEach;
  readonly outcomes: ReadOutcomes;
  readonly signer: Signer;
};
export type BacktestHold = Hold<RiskBacktest, 'btrId' | 'tenantId'>;

/** Whose evaluations of which time count. */
export interface Population {
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** As `country:TN`; absent: everybody’s. */
  readonly segments?: readonly string[];
}

/** How far a backtest is. */
interface Progress {
  /** Everything from this place of the chain on is counted. */
  readonly fromSeq: number;
  readonly tally: RiskTally;
}

/** Queued. Throws `policy-invalid`, and `state-conflict` where one of the policy is open. */
export async function requestRiskBacktest(
  ports: RiskDeskPorts,
  ask: Omit<RiskAsk, 'idempotency'> &
    RiskPolicyPlace & { readonly idempotency?: (backtest: RiskBacktest) => IdempotencyRecord },
  { from, segments, to }: Population,
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
    ...(segments !== undefined && { segments }),
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
  const told = parsed(progress).progress as Partial<Progress> | undefined;
  const { fromSeq = throughSeq + 1 } = told ?? {};
  return Math.min(1, Math.max(0, 1 - fromSeq / (throughSeq + 1)));
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
  const reported = canonicalJson(reportedOf(ports, hold.record, tally) as never);
  await ports.blobs.put(Buffer.from(reported));
  const reportedSha256 = sha256Hex(reported);
  await endBacktest(ports, hold, { pdfs, reportedSha256, reportSha256: sha256Hex(text) });
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
  const { record } = hold;
  const { from, tenantId, throughSeq, to } = record;
  const begun = openProgress<Progress>(ports.signer, backtestWork(record), record.progress);
  const tally = begun?.tally ?? newTally();
  const { signal } = hold;
  const until = record.requestedAt;
  const outcomes = await ports.outcomes({ signal, tenantId, throughSeq, until });
  tally.unread = outcomes.unread;
  const compare = comparer(ports, record, { outcomes, policy });
  const seen = new ClientQuarters();
  const lastQuarter = quarterNumber((to - 1) as EpochMs);
  const isNew = ({ at, event, members }: Evaluation): boolean => {
    if (at < from || at >= to) return false;
    if (!seen.add(members.client_id, lastQuarter - quarterNumber(at))) return false;
    return begun === undefined || event.seq < begun.fromSeq;
  };
  let cases = 0;
  for await (const page of evaluationsBack(ports, { afterSeq: 0, tenantId, throughSeq })) {
    signal.throwIfAborted();
    const counted = page.filter(isNew);
    const purpose = 'backtest-cohort';
    const subjects = await comparedSubjects(ports, { evaluations: counted, purpose, tenantId });
    for (const [place, evaluation] of counted.entries()) {
      const compared = await compare(evaluation, subjects[place] ?? 'erased');
      if (typeof compared === 'string') leaveOut(tally, compared);
      else addCase(tally, compared);
      cases += 1;
      if (cases % chunk !== 0) continue;
      const progress: Progress = { fromSeq: evaluation.event.seq, tally };
      hold.tell({ progress: sealProgress(ports.signer, backtestWork(record), progress) });
      await hold.saveNow();
      signal.throwIfAborted();
    }
  }
  return tally;
}

/** Compares one evaluation, or says why it is left out. */
function comparer(
  ports: BacktestPorts,
  { segments }: RiskBacktest,
  { outcomes, policy }: { readonly outcomes: Outcomes; readonly policy: RiskPolicy },
) {
  const evaluate = compilePolicy(policy.content);
  const former = new FormerPolicies(ports);
  return async (
    evaluation: Evaluation,
    subject: LeftOut | SubjectRecord,
  ): Promise<ComparedCase | LeftOut | 'other_segment'> => {
    if (typeof subject === 'string') return subject;
    const compared = await compareCase(former, evaluation, evaluate);
    if (compared === undefined) return 'erased';
    if (!isOfSegments(segmentsOf(compared.facts), segments)) return 'other_segment';
    return { ...compared, outcomes: outcomes.after(subject.externalRef, evaluation.at) };
  };
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
        readonly reportedSha256: string;
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
                ? {
                    pdf_sha256: { ...ended.pdfs },
                    report_sha256: ended.reportSha256,
                    reported_sha256: ended.reportedSha256,
                  }
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
