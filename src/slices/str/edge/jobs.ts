/** The work of reports in a worker: packages on their way, and the end of their time. */
import { DomainError, type TenantId } from '#core/kernel';
import {
  isProcessGone,
  LeasedRunner,
  type LeasedWork,
  type RetryPlan,
  Room,
  startWorkLoop,
} from '#core/work';
import {
  dispatchStep,
  eraseReports,
  FiuFault,
  type StrDispatch,
  strDispatchTable,
} from '#slices/str';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { deskOf, dispatchPortsOf } from './parts.ts';

export const purposes: JobPurposes = { start: 'reporting', 'str-retention': 'retention' };

const AT_ONCE = 8;
const AT_ONCE_PER_TENANT = 2;
const LANES_MAX = 500;
const POLL_MS = 1_000;
const TIMES = { leaseMs: 20_000, renewMs: 5_000 };
const ERASE_EVERY_MS = 24 * 3_600_000;

/** The authority's systems are away for days: a package waits as long as that takes. */
const PLAN: RetryPlan = {
  kindOf: () => 'transient',
  pausesMs: [0, 60_000, 5 * 60_000, 15 * 60_000, 3_600_000],
  triesMax: Number.POSITIVE_INFINITY,
};

export function start(process: WorkerProcess): RunningWork {
  const { clock, holder, log, storage } = process;
  const { tables } = storage;
  const ports = dispatchPortsOf(process);
  const kind: LeasedWork<StrDispatch, 'number' | 'strId' | 'tenantId'> = {
    atOnce: AT_ONCE,
    atOncePerTenant: AT_ONCE_PER_TENANT,
    codeOf: (error) =>
      error instanceof DomainError || error instanceof FiuFault ? error.code : 'internal',
    // A log is read by people who may not know of reports: it says no more than this.
    fieldsOf: () => ({}),
    giveUp: async (hold) => {
      await hold.giveBack({ isTried: false });
    },
    plan: PLAN,
    table: strDispatchTable,
    times: TIMES,
    what: 'confidential work',
    work: (hold) => dispatchStep(ports, hold),
  };
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const runner = new LeasedRunner(kind, { clock, holder, isGone, log, room: new Room(), tables });
  const loop = startWorkLoop({
    look: async () => {
      const lanes = await tables.lanes(strDispatchTable, { limit: LANES_MAX, now: clock.now() });
      runner.offer(
        lanes.map((lane) => ({
          lane,
          name: lane.join('/'),
          tenantId: lane[0] as TenantId,
        })),
      );
    },
    onFailure: (error) => log.warn({ error }, 'confidential work waits for the store'),
    pollMs: POLL_MS,
    runners: [runner],
  });
  return { stop: () => loop.close(), wake: () => loop.wake() };
}

export function scheduled(process: WorkerProcess): readonly ScheduledJob[] {
  return [
    {
      everyMs: ERASE_EVERY_MS,
      name: 'str-retention',
      run: async () => {
        await eraseReports(deskOf(process));
        return {};
      },
    },
  ];
}
