/** Orders of many replays in a worker: each tenant's in turns, a step at a time. */
import { DomainError, type TenantId } from '#core/kernel';
import {
  LeasedRunner,
  type LeasedWork,
  type RetryPlan,
  Room,
  type RunnerOptions,
} from '#core/work';
import {
  endReplay,
  type ReplayJob,
  type ReplayWorkPorts,
  replayStep,
  replayTable,
} from '#slices/webhooks';

const TENANTS_AT_ONCE = 20;
const LANES_MAX = 500;
const TIMES = { leaseMs: 20_000, renewMs: 5_000 };
const TRANSIENT: ReadonlySet<string> = new Set(['store-unavailable', 'storage-full']);
const PLAN: RetryPlan = {
  kindOf: (code) => (TRANSIENT.has(code) ? 'transient' : 'counted'),
  pausesMs: [0, 1_000, 5_000, 30_000],
  triesMax: 5,
};

type Key = 'replayJobId' | 'tenantId';

/** The runner, and what offers it the waiting orders. */
export function replayRunner(
  ports: ReplayWorkPorts,
  process: Omit<RunnerOptions, 'room' | 'tables'>,
) {
  const { clock, tables } = ports;
  const kind: LeasedWork<ReplayJob, Key> = {
    atOnce: TENANTS_AT_ONCE,
    atOncePerTenant: 1,
    codeOf: (error) => (error instanceof DomainError ? error.code : 'internal'),
    fieldsOf: ({ tenantId }) => ({ tenant_id: tenantId }),
    giveUp: (hold) => endReplay(ports, hold, 'internal'),
    plan: PLAN,
    table: replayTable,
    times: TIMES,
    what: 'an order of replays',
    work: (hold) => replayStep(ports, hold),
  };
  const runner = new LeasedRunner(kind, { ...process, room: new Room(), tables });
  return {
    async look(): Promise<void> {
      const lanes = await tables.lanes(replayTable, { limit: LANES_MAX, now: clock.now() });
      runner.offer(
        lanes.map((lane) => {
          const tenantId = lane[0] as TenantId;
          return { lane, name: tenantId, tenantId };
        }),
      );
    },
    runner,
  };
}
