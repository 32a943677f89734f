/**
 * Risk in a worker: clients are evaluated because something happened, policies are tried upon the
 * past and in shadow, and come into force on their day.
 */
import type { AnyTable, TenantId } from '#core/kernel';
import type { Subscriber } from '#core/reactions';
import { isProcessGone, LeasedRunner, type LeasedWork, Room, startWorkLoop } from '#core/work';
import { BATCH_RETRIES, faultCode } from '#slices/batches';
import { casePartsOf } from '#slices/customers';
import {
  activateDue,
  countShadow,
  endOverrides,
  failRiskBacktest,
  onAlertCreated,
  onCaseCreated,
  onCaseDecided,
  onEvaluated,
  putShadowOff,
  type RiskBacktest,
  type RiskShadow,
  remindApprovers,
  riskBacktestTable,
  riskShadowTable,
  runRiskBacktest,
} from '#slices/risk';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { riskPortsOf } from './parts.ts';

export const purposes: JobPurposes = {
  risk: 'risk-evaluation',
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
  const backtests: LeasedWork<RiskBacktest, 'btrId' | 'tenantId'> = {
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
  const shadows: LeasedWork<RiskShadow, 'shadowReportId' | 'tenantId'> = {
    atOnce: 1,
    codeOf: faultCode,
    fieldsOf: ({ shadowReportId, tenantId }) => ({
      shadow_report_id: shadowReportId,
      tenant_id: tenantId,
    }),
    giveUp: (hold) => putShadowOff(parts, hold),
    plan: BATCH_RETRIES,
    table: riskShadowTable,
    times: TIMES,
    what: 'a risk policy in shadow',
    work: (hold) => countShadow(parts, hold),
  };
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const options = { clock, holder, isGone, log, tables };
  const backtester = new LeasedRunner(backtests, { ...options, room: new Room() });
  const counter = new LeasedRunner(shadows, { ...options, room: new Room() });
  const waiting = async (table: AnyTable) => {
    const lanes = await tables.lanes(table, { limit: LANES_MAX, now: clock.now() });
    return lanes.map((lane) => {
      const tenantId = lane[0] as TenantId;
      return { lane, name: tenantId, tenantId };
    });
  };
  const loop = startWorkLoop({
    look: async () => {
      backtester.offer(await waiting(riskBacktestTable));
      counter.offer(await waiting(riskShadowTable));
    },
    onFailure: (error) => log.warn({ error }, 'trials of risk policies wait for the store'),
    pollMs: POLL_MS,
    runners: [backtester, counter],
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

export function subscribers(process: WorkerProcess): readonly Subscriber[] {
  const ports = { ...riskPortsOf(process), casePorts: casePartsOf(process) };
  return [
    {
      from: 'now',
      name: 'risk',
      on: {
        'aml.alert.created': (event) => onAlertCreated(ports, event),
        'kyc.case.created': (event) => onCaseCreated(ports, event),
        'kyc.case.decided': (event) => onCaseDecided(ports, event),
        'risk.evaluation.published': (event) => onEvaluated(ports, event),
      },
    },
  ];
}
