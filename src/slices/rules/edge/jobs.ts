/**
 * Rules in a worker: one worker holds a tenant and keeps its windows in memory; backtests are
 * worked off beside, and lone signatures lapse.
 */

import { everyRecord, type TenantId } from '#core/kernel';
import {
  isProcessGone,
  LeasedRunner,
  type LeasedWork,
  type LeaseTimes,
  Room,
  startWorkLoop,
} from '#core/work';
import { BATCH_RETRIES, faultCode } from '#slices/batches';
import { transactionLogHeadTable } from '#slices/monitoring';
import {
  type Backtest,
  backtestTable,
  failBacktest,
  firstPosition,
  lapseRules,
  type RulePosition,
  rulePositionTable,
  runBacktest,
  TenantEvaluator,
} from '#slices/rules';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { type RuleParts, rulePartsOf } from './parts.ts';

export const purposes: JobPurposes = { 'rule-signatures': 'none', start: 'monitoring' };

const POLL_MS = 500;
const AT_ONCE = 4;
const BACKTESTS_AT_ONCE = 1;
const OPEN_MAX = 200;
const LAPSE_EVERY_MS = 60_000;
const LEASE: LeaseTimes = { leaseMs: 10_000, renewMs: 3_000 };
/** Tenants whose windows a worker keeps; the one evaluated longest ago leaves first. */
const KEPT_MAX = 64;

/** Evaluators by tenant: their windows are worth keeping between two segments. */
class Evaluators {
  readonly #parts: RuleParts;
  readonly #known = new Map<TenantId, TenantEvaluator>();

  constructor(parts: RuleParts) {
    this.#parts = parts;
  }

  of(tenantId: TenantId): TenantEvaluator {
    const known = this.#known.get(tenantId) ?? new TenantEvaluator(this.#parts, tenantId);
    this.#known.delete(tenantId);
    this.#known.set(tenantId, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT_MAX && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }

  /** Tenants whose rules do not know all that they reach. */
  cut(): number {
    return [...this.#known.values()].filter(({ isCut }) => isCut).length;
  }

  held(): number {
    return [...this.#known.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

/** Works off what is behind. */
export function start(process: WorkerProcess): RunningWork {
  const { clock, holder, log, storage, tracer } = process;
  const { tables } = storage;
  const parts = rulePartsOf(process);
  const evaluators = new Evaluators({ ...parts, ...registerFigures(process) });
  process.metrics.gauge({
    help: 'Transactions that rules hold in memory in this worker',
    name: 'rules_transactions_held',
    collect: () => evaluators.held(),
  });
  process.metrics.gauge({
    help: 'Tenants with more transactions than rules hold in memory: the oldest are not known',
    name: 'rules_tenants_beyond_memory',
    collect: () => evaluators.cut(),
  });
  const options = {
    clock,
    holder,
    isGone: (other: string): boolean => isProcessGone(other, holder),
    log,
    room: new Room(),
    tables,
    tracer,
  };
  const rules = new LeasedRunner(evaluating(evaluators), options);
  const backtests = new LeasedRunner(backtesting(parts), options);
  const loop = startWorkLoop({
    look: async () => {
      rules.offer(
        (await tenantsBehind(process)).map((tenantId) => ({
          key: { shard: 0, tenantId },
          name: tenantId,
          tenantId,
        })),
      );
      const { records } = await tables.page(backtestTable, {
        equal: { isOpen: true },
        index: 'open',
        limit: OPEN_MAX,
      });
      backtests.offer(
        records.map(({ backtestId, tenantId }) => ({
          key: { backtestId, tenantId },
          name: backtestId,
          tenantId,
        })),
      );
    },
    onFailure: (error) => log.warn({ error }, 'rules wait for the store'),
    pollMs: POLL_MS,
    runners: [rules, backtests],
  });
  return { stop: () => loop.close(), wake: () => loop.wake() };
}

/** Counts what rules could say nothing of, and logs that were read whole. */
function registerFigures({
  metrics,
}: WorkerProcess): Required<Pick<RuleParts, 'onNotEvaluated' | 'onWindowsUnread'>> {
  const unread = metrics.counter({
    help: 'Times that a log was read whole though windows were kept of it, and why',
    labels: ['code'],
    name: 'rules_windows_unread_total',
  });
  const counter = metrics.counter({
    help: 'Evaluations that came to nothing: what is missing, or which bound is reached',
    labels: ['code'],
    name: 'rules_not_evaluated_total',
  });
  return {
    onNotEvaluated: (all) => {
      for (const { count, reason } of all) counter.labels(reason).inc(count);
    },
    onWindowsUnread: (why) => unread.labels(why).inc(),
  };
}

/** Tenants whose log or rates go beyond their position, or who have something to evaluate again. */
async function tenantsBehind({ storage: { tables } }: WorkerProcess): Promise<TenantId[]> {
  const positions = new Map<TenantId, RulePosition>();
  for await (const one of everyRecord(tables, rulePositionTable, { index: 'key' })) {
    positions.set(one.tenantId, one);
  }
  const behind: TenantId[] = [];
  const fresh: RulePosition[] = [];
  for await (const { log, tenantId, tseq } of everyRecord(tables, transactionLogHeadTable, {
    index: 'key',
  })) {
    const known = positions.get(tenantId);
    // Rates that have come since: what had none is evaluated again.
    if (log === 'rates' && known !== undefined && (known.ratesVersion ?? 0) < tseq) {
      behind.push(tenantId);
    }
    if (log !== 'transactions') continue;
    if (known === undefined) fresh.push(firstPosition(tenantId));
    if (known === undefined || known.tseq < tseq || known.late.length > 0) behind.push(tenantId);
  }
  if (fresh.length > 0) await tables.insertMissing(rulePositionTable, fresh);
  return [...new Set(behind)];
}

const evaluating = (evaluators: Evaluators): LeasedWork<RulePosition, 'tenantId' | 'shard'> => ({
  atOnce: AT_ONCE,
  atOncePerTenant: 1,
  codeOf: faultCode,
  fieldsOf: ({ tenantId }) => ({ tenant_id: tenantId }),
  // A log that cannot be evaluated is tried again and again: nothing of it may be left out.
  giveUp: async () => undefined,
  plan: BATCH_RETRIES,
  table: rulePositionTable,
  times: LEASE,
  what: 'the evaluation of a log',
  work: async (hold) => {
    await evaluators.of(hold.record.tenantId).evaluate(hold);
    await hold.giveBack({ hasGotOn: true, isTried: false });
  },
});

const backtesting = (parts: RuleParts): LeasedWork<Backtest, 'tenantId' | 'backtestId'> => ({
  atOnce: BACKTESTS_AT_ONCE,
  atOncePerTenant: 1,
  codeOf: faultCode,
  fieldsOf: ({ tenantId }) => ({ tenant_id: tenantId }),
  giveUp: (hold, { code }) => failBacktest(parts, hold, code),
  plan: BATCH_RETRIES,
  table: backtestTable,
  times: LEASE,
  what: 'a backtest',
  work: (hold) => runBacktest(parts, hold),
});

export function scheduled(process: WorkerProcess): readonly ScheduledJob[] {
  return [
    {
      everyMs: LAPSE_EVERY_MS,
      name: 'rule-signatures',
      run: async () => ({ lapsed: await lapseRules(rulePartsOf(process)) }),
    },
  ];
}
