/** Risk in a worker: backtests are worked off, and policies come into force on their day. */
import type { TenantId } from '#core/kernel';
import { isProcessGone, LeasedRunner, type LeasedWork, Room, startWorkLoop } from '#core/work';
import { BATCH_RETRIES, faultCode } from '#slices/batches';
import {
  activateDue,
  endOverrides,
  failRiskBacktest,
  type RiskBacktest,
  remindApprovers,
  riskBacktestTable,
  runRiskBacktest,
} from '#slices/risk';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { riskPortsOf } from './parts.ts';

export const purposes: JobPurposes = {
  'risk-approvals': 'none',
  'risk-effective': 'none',
  'risk-overrides': 'none',
  start: 'backtest-cohort',
};

const POLL_MS = 1_000;
const LANES_MAX = 200;
const EFFECTIVE_EVERY_MS = 30_000;
const TIMES = { leaseMs: 20_000, renewMs: 5_000 };

export function start(process: WorkerProcess): RunningWork {
  const { clock, holder, log, storage } = process;
  const { tables } = storage;
  const parts = riskPortsOf(process);
  const kind: LeasedWork<RiskBacktest, 'btrId' | 'tenantId'> = {
    atOnce: 1,
    codeOf: faultCode,
    fieldsOf: ({ btrId, tenantId }) => ({ btr_id: btrId, tenant_id: tenantId }),
    giveUp: (hold, { code }) => failRiskBacktest(parts, hold, code),
    plan: BATCH_RETRIES,
    table: riskBacktestTable,
    times: TIMES,
    what: 'a backtest of a risk policy',
    work: (hold) => runRiskBacktest(parts, hold),
  };
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const runner = new LeasedRunner(kind, { clock, holder, isGone, log, room: new Room(), tables });
  const loop = startWorkLoop({
    look: async () => {
      const lanes = await tables.lanes(riskBacktestTable, { limit: LANES_MAX, now: clock.now() });
      runner.offer(
        lanes.map((lane) => {
          const tenantId = lane[0] as TenantId;
          return { lane, name: tenantId, tenantId };
        }),
      );
    },
    onFailure: (error) => log.warn({ error }, 'backtests of risk policies wait for the store'),
    pollMs: POLL_MS,
    runners: [runner],
  });
  return { stop: () => loop.close(), wake: () => loop.wake() };
}

export const scheduled = (process: WorkerProcess): readonly ScheduledJob[] => [
  {
    everyMs: EFFECTIVE_EVERY_MS,
    name: 'risk-effective',
    run: async () => ({ activated: await activateDue(riskPortsOf(process)) }),
  },
  {
    everyMs: EFFECTIVE_EVERY_MS,
    name: 'risk-approvals',
    run: async () => ({ reminded: await remindApprovers(riskPortsOf(process)) }),
  },
  {
    everyMs: EFFECTIVE_EVERY_MS,
    name: 'risk-overrides',
    run: async () => ({ ended: await endOverrides(riskPortsOf(process)) }),
  },
];
