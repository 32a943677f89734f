/** Vitals in a worker: it beats, and one worker at a time looks out for what is wrong. */
import type { Subscriber } from '#core/reactions';
import {
  clusterTroubles,
  Heartbeat,
  listTroubles,
  lookAtCluster,
  reconcile,
  type TroubleCode,
  tenantTroubles,
} from '#slices/vitals';
import manifest from '../../../../package.json' with { type: 'json' };
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { figuresOf, watchPortsOf } from './parts.ts';

export const purposes: JobPurposes = { start: 'none', vitals: 'none', 'vitals-tenants': 'none' };

const LOOK_EVERY_MS = 15_000;
const TENANTS_EVERY_MS = 5 * 60_000;

const OF_INSTALLATION: ReadonlySet<TroubleCode> = new Set<TroubleCode>([
  'CHECKPOINT_LATE',
  'CLOCK_SKEW',
  'CLUSTER_DEGRADED',
  'DISK_LOW',
  'INDEX_MISSING',
  'LIST_RUN_FAILED',
  'LIST_SHRUNK',
  'LIST_STALE',
  'OUTBOX_LAG',
  'SOURCE_DISABLED',
]);
const OF_TENANTS: ReadonlySet<TroubleCode> = new Set<TroubleCode>([
  'CERTIFICATE_EXPIRING',
  'KEY_EXPIRING',
  'POLICY_LOCKED',
  'REVIEW_OVERDUE',
]);

export function start(process: WorkerProcess): RunningWork {
  const { clock, holder, log, metrics, storage } = process;
  const heartbeat = new Heartbeat({
    clock,
    figures: () => figuresOf(metrics),
    nodeId: holder,
    onFailure: (error) => log.debug({ error }, 'this process could not say that it lives'),
    release: manifest.version,
    role: 'worker',
    tables: storage.tables,
  });
  heartbeat.start();
  return { stop: () => heartbeat.stop() };
}

export const subscribers = (process: WorkerProcess): readonly Subscriber[] => [
  {
    from: 'now',
    name: 'vitals',
    sweep: {
      after: ['service.sanctions.lists.updated', 'service.sanctions.schedule.updated'],
      everyMs: LOOK_EVERY_MS,
      retryMs: LOOK_EVERY_MS,
      run: async () => {
        const ports = watchPortsOf(process);
        const looked = await lookAtCluster(ports);
        const seen = [...clusterTroubles(looked), ...(await listTroubles(ports))];
        await reconcile(ports, seen, OF_INSTALLATION);
      },
    },
  },
  {
    from: 'now',
    name: 'vitals-tenants',
    sweep: {
      after: ['sanctions.chain.acknowledged', 'sanctions.chain.broken'],
      everyMs: TENANTS_EVERY_MS,
      retryMs: LOOK_EVERY_MS,
      run: async (signal) => {
        const ports = watchPortsOf(process);
        await reconcile(ports, await tenantTroubles(ports, signal), OF_TENANTS);
      },
    },
  },
];
