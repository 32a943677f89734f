/**
 * A version upon the tenant's stored history, beside the version in force: how many alerts it would
 * have raised, of whom, and how they differ. Asked for, worked off by a worker, and kept.
 */
import { type Actor, entry, type IdempotencyRecord, overwrite } from '#core/audit';
import { chainOf, DomainError, type TableChange } from '#core/kernel';
import type { Hold } from '#core/work';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import { exponentOf, ratesInForce } from '#slices/monitoring';
import { editorOf, type RuleAsk } from './changeRule.ts';
import { planRules } from './compileRule.ts';
import type { EvaluatePorts } from './evaluateLog.ts';
import { BACKTEST_DAYS_MAX } from './limits.ts';
import type { RuleDeskPorts, RuleWritePorts } from './ports.ts';
import { EntryReader } from './readEntries.ts';
import { alertName, gravityOf, type RuleAlert } from './ruleAlert.ts';
import { RuleEngine, TOO_LATE_MS } from './ruleEngine.ts';
import type { Rule } from './ruleLanguage.ts';
import {
  findRule,
  heldMembers,
  nextRecord,
  putNext,
  type RulePlace,
  requireOpen,
  targetOf,
  versionsOf,
} from './ruleRecord.ts';
import { backtestDigest } from './signedBacktests.ts';
import { signedRule } from './signedRules.ts';
import { subjectKeysOf } from './subjectKeys.ts';
import { type Backtest, type BacktestReport, backtestTable, type RuleRecord } from './tables.ts';

const DAY_MS = 86_400_000;
const EXAMPLES_MAX = 20;
const EXAMPLE_TX_MAX = 10;

/** What somebody wants to know. */
export interface WantedBacktest {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** Queued. Throws `rule-unknown`, `rule-immutable`, `body-invalid`. */
export async function requestBacktest(
  ports: RuleDeskPorts,
  ask: Omit<RuleAsk, 'idempotency'> &
    RulePlace & { readonly idempotency?: (backtest: Backtest) => IdempotencyRecord },
  { from, to }: WantedBacktest,
): Promise<Backtest> {
  const { idempotency, ip, ruleId, ruleVersion, tenantId } = ask;
  const by = await editorOf(ports, ask);
  if (from >= to || to - from > BACKTEST_DAYS_MAX * DAY_MS) {
    const detail = `expected a time after from, and within ${BACKTEST_DAYS_MAX} days of it`;
    const violations = [{ code: 'range', detail, pointer: '/to' }];
    throw new DomainError('body-invalid', { detail, violations });
  }
  const record = await signedRule(ports, tenantId, () => findRule(ports, ask));
  const now = ports.clock.now();
  const backtest: Backtest = {
    backtestId: uuidV7(now, ports.random),
    contentHash: record.contentHash,
    from,
    requestedAt: now,
    requestedBy: by,
    ruleId,
    ruleVersion,
    status: 'queued',
    tenantId,
    to,
    version: 1,
  };
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [backtestTable.insert(backtest)],
    events: [
      entry(ports, {
        action: 'aml.rule.backtest_requested',
        actor: by,
        ...(ip !== undefined && { ip }),
        members: { backtest_id: backtest.backtestId, content_hash: record.contentHash },
        target: targetOf(record),
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(backtest) }),
  });
  return backtest;
}

type BacktestHold = Hold<Backtest, 'tenantId' | 'backtestId'>;

/** Works one off, and commits its report; a draft counts as backtested from then on. */
export async function runBacktest(
  ports: EvaluatePorts & RuleWritePorts,
  hold: BacktestHold,
): Promise<void> {
  const { ruleId, tenantId } = hold.record;
  const record = await signedRule(ports, tenantId, () => findRule(ports, hold.record));
  const base = (await versionsOf(ports, { ruleId, tenantId })).find(
    ({ ruleVersion, status }) => status === 'published' && ruleVersion !== record.ruleVersion,
  );
  const report = await reportOf(ports, hold, { base, record });
  await overwrite(() => commitReport(ports, hold, report));
}

/** A backtest that cannot be worked off has ended. */
export async function failBacktest(
  ports: RuleWritePorts,
  hold: BacktestHold,
  code: string,
): Promise<void> {
  const now = ports.clock.now();
  const { version } = hold.record;
  const failed = {
    ...hold.record,
    endedAt: now,
    failure: code,
    status: 'failed',
    version: version + 1,
  } as const;
  await ports.commit(chainOf(failed.tenantId), {
    bus: [],
    changes: [hold.expected, backtestTable.put(failed, version)],
    events: [
      entry(ports, {
        action: 'aml.rule.backtested',
        actor: 'system:rules',
        members: {
          backtest_digest: backtestDigest(failed),
          backtest_id: failed.backtestId,
          failure: code,
        },
        target: `rule:${failed.ruleId}/${failed.ruleVersion}`,
      }),
    ],
  });
}

async function reportOf(
  ports: EvaluatePorts,
  hold: BacktestHold,
  { base, record }: { readonly base: RuleRecord | undefined; readonly record: RuleRecord },
): Promise<BacktestReport> {
  const { from, tenantId, to } = hold.record;
  const by = await ports.settingsOf(tenantId);
  const keys = await subjectKeysOf(ports.dataKeys, tenantId);
  const engineOf = (rule: Rule, version: number) =>
    new RuleEngine({
      baseCurrency: by.baseCurrency,
      heldMax: ports.heldMax,
      keyOf: keys.keyOf,
      plan: planRules([{ mode: 'live', rule, version }], exponentOf(by.baseCurrency) ?? 2),
      zone: by.zone,
    });
  const engine = engineOf(record.content, record.ruleVersion);
  const former = base && engineOf(base.content, base.ruleVersion);
  const reader = new EntryReader(ports, { base: by.baseCurrency, tenantId });
  const rates = await ratesInForce(ports, tenantId);
  let evaluated = 0;
  let unknown = 0;
  for await (const segment of ports.log.read({ from: 1, tenantId })) {
    hold.signal.throwIfAborted();
    const entries = (await reader.read(segment, rates)).filter(
      ({ at }) => at < to && at >= from - TOO_LATE_MS,
    );
    const step = engine.take(entries);
    former?.take(entries.map((one) => ({ ...one, series: {} })));
    // What does not fit into memory is counted as not evaluated. Alerts stay: they are the report.
    for (const one of former === undefined ? [engine] : [engine, former]) {
      if (one.isOver) one.catchUp(Number.MAX_SAFE_INTEGER);
      one.prune();
    }
    evaluated += entries.filter(({ at }) => at >= from).length;
    unknown += step.notEvaluated.reduce((sum, { count }) => sum + count, 0);
  }
  engine.catchUp(Number.MAX_SAFE_INTEGER);
  former?.catchUp(Number.MAX_SAFE_INTEGER);
  const found = within(engine, from);
  const before = former === undefined ? new Map<string, RuleAlert>() : within(former, from);
  const both = [...found.keys()].filter((name) => before.has(name)).length;
  const days = (to - from) / DAY_MS;
  const matched = [...found.values()].reduce(
    (sum, alert) => sum + triggersSince(alert, from).length,
    0,
  );
  return {
    alerts: found.size,
    alerts_per_day: Math.round((found.size / days) * 100) / 100,
    days: Math.round(days * 100) / 100,
    difference: {
      base_version: base?.ruleVersion ?? null,
      both,
      only_new: found.size - both,
      only_old: before.size - both,
    },
    evaluated,
    examples: [...found.values()].slice(0, EXAMPLES_MAX).map((alert) => ({
      severity: gravityOf(alert).severity,
      subject_key: alert.subject.key,
      tseqs: triggersSince(alert, from)
        .slice(0, EXAMPLE_TX_MAX)
        .map(({ tseq }) => tseq),
    })),
    matched,
    not_evaluated: unknown,
    subjects: new Set([...found.values()].map(({ subject }) => subject.key)).size,
  };
}

const triggersSince = ({ triggers }: RuleAlert, from: number) =>
  triggers.filter(({ at }) => at >= from);

/** Alerts with a trigger since then, by name. */
const within = (engine: RuleEngine, from: number): Map<string, RuleAlert> =>
  new Map(
    [...engine.alerts.values()]
      .filter((alert) => alert.holds && triggersSince(alert, from).length > 0)
      .map((alert) => [alertName(alert), alert]),
  );

async function commitReport(
  ports: EvaluatePorts & RuleWritePorts,
  hold: BacktestHold,
  report: BacktestReport,
): Promise<void> {
  const now = ports.clock.now();
  const { record: backtest } = hold;
  const { tenantId } = backtest;
  const done = {
    ...backtest,
    endedAt: now,
    report,
    status: 'completed',
    version: backtest.version + 1,
  } as const;
  const rule = await signedRule(ports, tenantId, () => findRule(ports, backtest));
  const isTested = rule.status === 'draft' && rule.contentHash === backtest.contentHash;
  if (isTested) requireOpen(rule);
  const next = isTested ? nextRecord(rule, { status: 'backtested' }) : undefined;
  const changes: TableChange[] = [
    hold.expected,
    backtestTable.put(done, backtest.version),
    ...(next === undefined ? [] : [putNext(rule, next)]),
  ];
  const actor: Actor = 'system:rules';
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes,
    events: [
      entry(ports, {
        action: 'aml.rule.backtested',
        actor,
        members: {
          ...(next !== undefined && heldMembers(next)),
          alerts: report.alerts,
          backtest_digest: backtestDigest(done),
          backtest_id: backtest.backtestId,
          content_hash: backtest.contentHash,
          evaluated: report.evaluated,
          matched: report.matched,
        },
        target: targetOf(rule),
      }),
    ],
  });
  hold.replace(done);
}
