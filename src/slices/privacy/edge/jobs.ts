/**
 * What privacy does by itself: reminders, archives and plans of requests that are proven, erasures
 * that were approved, and the end of archives.
 */
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
  buildArchives,
  buildPlans,
  carryOutErasure,
  ERASURE_LEASE,
  type ErasureWork,
  erasureWorkTable,
  privacyDeskOf,
  privacyPartsOf,
  removeArchives,
  sendReminders,
} from '#slices/privacy';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';

export const purposes: JobPurposes = {
  'privacy-archives': 'privacy',
  'privacy-plans': 'privacy',
  'privacy-reminders': 'privacy',
  start: 'privacy',
};

const EVERY_MS = 60_000;
const ARCHIVES_EVERY_MS = 10_000;

const LANES_MAX = 500;
const POLL_MS = 2_000;

/** Nothing gives an erasure up: what fails is tried again, and the log says so each time. */
const PLAN: RetryPlan = {
  kindOf: () => 'transient',
  pausesMs: [0, 5_000, 60_000, 15 * 60_000, 3_600_000],
  triesMax: Number.POSITIVE_INFINITY,
};

export function start(process: WorkerProcess): RunningWork {
  const { clock, holder, log, storage } = process;
  const { tables } = storage;
  const kind: LeasedWork<ErasureWork, 'requestId' | 'tenantId'> = {
    atOnce: 1,
    codeOf: (error) => (error instanceof DomainError ? error.code : 'internal'),
    fieldsOf: ({ requestId, tenantId }) => ({ request_id: requestId, tenant_id: tenantId }),
    giveUp: async (hold) => {
      await hold.giveBack({ isTried: false });
    },
    plan: PLAN,
    table: erasureWorkTable,
    times: ERASURE_LEASE,
    what: 'an erasure',
    work: (hold) => carryOutErasure(privacyDeskOf(process), hold),
  };
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const runner = new LeasedRunner(kind, { clock, holder, isGone, log, room: new Room(), tables });
  const loop = startWorkLoop({
    look: async () => {
      const lanes = await tables.lanes(erasureWorkTable, { limit: LANES_MAX, now: clock.now() });
      runner.offer(
        lanes.map((lane) => ({ lane, name: lane.join('/'), tenantId: lane[0] as TenantId })),
      );
    },
    onFailure: (error) => log.warn({ error }, 'erasures wait for the store'),
    pollMs: POLL_MS,
    runners: [runner],
  });
  return { stop: () => loop.close(), wake: () => loop.wake() };
}

export const scheduled = (process: WorkerProcess): readonly ScheduledJob[] => [
  {
    everyMs: EVERY_MS,
    name: 'privacy-reminders',
    async run() {
      const done = await sendReminders(privacyPartsOf(process));
      if (done.altered > 0) {
        process.log.error(
          { count: done.altered },
          'privacy requests that nobody signed: see doctor',
        );
      }
      return { ...done };
    },
  },
  {
    everyMs: ARCHIVES_EVERY_MS,
    name: 'privacy-archives',
    async run() {
      const ports = privacyDeskOf(process);
      let failed = 0;
      const built = await buildArchives(ports, ({ requestId }, error) => {
        failed++;
        process.log.error({ error, request_id: requestId }, 'an archive was not built');
      });
      return { built, failed, removed: await removeArchives(ports) };
    },
  },
  {
    everyMs: ARCHIVES_EVERY_MS,
    name: 'privacy-plans',
    async run() {
      let failed = 0;
      const built = await buildPlans(privacyDeskOf(process), ({ requestId }, error) => {
        failed++;
        process.log.error({ error, request_id: requestId }, 'an erasure was not planned');
      });
      return { built, failed };
    },
  },
];
