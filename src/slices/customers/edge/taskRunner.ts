/**
 * The tasks of cases in a worker: a runner for each kind, all over one table and one loop. A row
 * says when it is due; a kind waits in lines of tenants.
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
import { type CaseTask, type TaskHold, taskTable } from '#slices/customers';
import type { RunningWork, WorkerProcess } from '../../processes.ts';

/** What is done with the tasks of one kind. */
export interface TaskKind {
  readonly kind: CaseTask['kind'];
  readonly atOnce: number;
  readonly atOncePerTenant: number;
  readonly plan: RetryPlan;
  /** The task has ended, or was given back, when it resolves. */
  readonly work: (hold: TaskHold) => Promise<void>;
  /** Ends a task that is not tried again. */
  readonly giveUp: (hold: TaskHold, fault: { readonly code: string }) => Promise<void>;
}

const LANES_MAX = 500;
const POLL_MS = 1_000;
const TIMES = { leaseMs: 20_000, renewMs: 5_000 };

/** Starts all kinds. */
export function startTasks(
  process: Pick<WorkerProcess, 'clock' | 'holder' | 'log'> & {
    readonly storage: Pick<WorkerProcess['storage'], 'tables'>;
    readonly pollMs?: number;
  },
  kinds: readonly TaskKind[],
): RunningWork {
  const { clock, holder, log, pollMs = POLL_MS, storage } = process;
  const { tables } = storage;
  const room = new Room();
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const runners = new Map(
    kinds.map((one) => [
      one.kind,
      new LeasedRunner(workOf(one), { clock, holder, isGone, log, room, tables }),
    ]),
  );
  const loop = startWorkLoop({
    look: async () => {
      const lanes = await tables.lanes(taskTable, { limit: LANES_MAX, now: clock.now() });
      for (const [kind, runner] of runners) {
        runner.offer(
          lanes
            .filter(([of]) => of === kind)
            .map((lane) => ({ lane, name: lane.join('/'), tenantId: lane[1] as TenantId })),
        );
      }
    },
    onFailure: (error) => log.warn({ error }, 'work on cases waits for the store'),
    pollMs,
    runners: [...runners.values()],
  });
  return { stop: () => loop.close(), wake: () => loop.wake() };
}

const workOf = (of: TaskKind): LeasedWork<CaseTask, 'taskId' | 'tenantId'> => ({
  atOnce: of.atOnce,
  atOncePerTenant: of.atOncePerTenant,
  codeOf: (error) => (error instanceof DomainError ? error.code : 'internal'),
  fieldsOf: ({ taskId, tenantId }) => ({ task_id: taskId, tenant_id: tenantId }),
  giveUp: of.giveUp,
  plan: of.plan,
  table: taskTable,
  times: TIMES,
  what: 'work on a case',
  work: of.work,
});
