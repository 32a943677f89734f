/**
 * Runs of lists in a worker: fires schedules, does the runs that wait, and those of a dead worker.
 * Publishers are waited for in parallel, since a slow one must hold up no other list. Imports are
 * one at a time, because one may use all the memory that a worker has. A worker that imports takes
 * no run: another may be free.
 *
 * It reads the store every second, and at once after a wake-up. State is in the store alone, so a
 * lost Redis delays nothing, and a changed schedule takes effect within a second, sooner than the
 * 60 s of interface.md 4.9. Any number of workers do the same over one store; every step is a lease
 * or a compare-and-set there.
 */
import type { Tables } from '#core/kernel';
import {
  type Fault,
  heldRows,
  isProcessGone,
  LeasedRunner,
  type LeasedWork,
  Room,
  startWorkLoop,
  type WorkLoop,
} from '#core/work';
import type { Log } from '#platform/log';
import type { Tracer } from '#platform/tracing/tracer';
import {
  abandonRun,
  type ExecuteRunPorts,
  executeRun,
  FILE_LOST,
  failureReason,
  fireSchedules,
  type ListRun,
  RUN_LEASE,
  RUN_RETRIES,
  type RunHold,
  type RunOutcome,
  type RunProgress,
  type RunStore,
  runFaultCode,
  runTable,
  type SchedulerPorts,
  WaitingRuns,
} from '#slices/ingestion';
import type { ListStore } from '#slices/lists';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { cadences } from '../asks.ts';
import { runPartsOf } from './runParts.ts';

export { subscribers } from './reactions.ts';

export const purposes: JobPurposes = { indexes: 'none', start: 'none' };

const POLL_MS = 1_000;
/** One per source at the most. */
const RUNNING_MAX = 200;

export interface ListRunnerOptions {
  /** Fires that tenants have added; absent: none. */
  readonly cadences?: SchedulerPorts['cadences'];
  readonly ports: ExecuteRunPorts & {
    readonly lists: Pick<ListStore, 'findSource' | 'listSources'>;
    readonly runs: Pick<RunStore, 'findRun' | 'listRuns' | 'listScheduleAudit'>;
    readonly tables: Tables;
  };
  /** Unique to this process and start. */
  readonly holder: string;
  readonly isGone: (holder: string) => boolean;
  readonly log: Log;
  readonly tracer?: Tracer;
  readonly pollMs?: number;
  readonly renewMs?: number;
}

export function startListRunner(options: ListRunnerOptions): WorkLoop {
  const { isGone, log, pollMs = POLL_MS, ports } = options;
  const { clock, runs, tables } = ports;
  const work = new RunWork(options, () => loop.wake());
  const runner = new LeasedRunner(work.kind(), { ...options, clock, room: new Room(), tables });
  const waiting = new WaitingRuns({ clock, isGone });
  const loop = startWorkLoop({
    look: async () => {
      await fire(options);
      const running = await runs.listRuns({ limit: RUNNING_MAX, status: 'running' });
      const held = await heldRows(tables, runTable);
      const unheld = running.filter(({ runId }) => !held.some((one) => one.record.runId === runId));
      // Oldest first.
      runner.offer(waiting.of(unheld.toReversed()).map(asRow));
    },
    onFailure: (error) => log.warn({ error }, 'runs of lists wait for the store'),
    pollMs,
    runners: [runner],
  });
  return loop;
}

/** Starts the work as workers do it. */
export async function start(process: WorkerProcess): Promise<RunningWork> {
  const { holder, log, tracer } = process;
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const runner = startListRunner({
    cadences: process.ask(cadences),
    holder,
    isGone,
    log,
    ports: await runPartsOf(process),
    tracer,
  });
  return { stop: () => runner.close(), wake: () => runner.wake() };
}

/** Runs are the platform's, and each is its own turn. */
const asRow = ({ runId }: ListRun) => ({ key: { runId }, name: runId, tenantId: '' });

async function fire({ cadences: added, log, ports }: ListRunnerOptions): Promise<void> {
  const onProblem = (source_id: string, error: unknown): void =>
    log.error({ error, source_id }, 'a schedule could not be fired');
  const { disabled } = await fireSchedules({
    ...ports,
    onProblem,
    ...(added !== undefined && { cadences: added }),
  });
  for (const source_id of disabled) {
    log.error({ source_id }, 'a source was disabled: it fired three times in under a minute');
  }
}

/** The runs of this process. */
class RunWork {
  readonly #options: ListRunnerOptions;
  readonly #wake: () => void;
  readonly #progress = new Map<RunHold, RunProgress>();
  /** Imports that run or wait, each for the one before. */
  #imports = 0;
  #lastImport: Promise<unknown> = Promise.resolve();

  constructor(options: ListRunnerOptions, wake: () => void) {
    this.#options = options;
    this.#wake = wake;
  }

  kind(): LeasedWork<ListRun, 'runId'> {
    const { ports, renewMs = RUN_LEASE.renewMs } = this.#options;
    return {
      atOnce: RUNNING_MAX,
      codeOf: runFaultCode,
      fieldsOf,
      giveUp: async (hold, fault) => {
        await abandonRun(ports, hold, reasonOf(hold, fault));
      },
      handedOn: (hold) => this.#progress.get(hold)?.handedOn() ?? {},
      mayTake: () => this.#imports === 0,
      plan: RUN_RETRIES,
      settled: this.#wake,
      table: runTable,
      times: { ...RUN_LEASE, renewMs },
      what: 'a run',
      work: (hold) => this.#work(hold),
    };
  }

  async #work(hold: RunHold): Promise<void> {
    const { log, ports } = this.#options;
    const { record: run } = hold;
    if (run.kind === 'manual') {
      await abandonRun(ports, hold, FILE_LOST);
      return;
    }
    log.info(fieldsOf(run), 'a list is being fetched');
    try {
      const outcome = await executeRun(ports, hold, {
        alone: (work) => this.#alone(work),
        onBegin: (progress) => this.#progress.set(hold, progress),
      });
      this.#tell(run, outcome);
    } finally {
      this.#progress.delete(hold);
    }
  }

  async #alone<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#imports++;
    const done = this.#lastImport.then(work);
    this.#lastImport = done.catch(() => undefined); // its own run reports the error
    try {
      return await done;
    } finally {
      this.#imports--;
    }
  }

  #tell(run: ListRun, outcome: RunOutcome): void {
    const { log } = this.#options;
    const fields = fieldsOf(run);
    if (outcome.status === 'failed') {
      // As `list show-run` says it.
      const { code, detail: reason } = failureReason(outcome.error);
      log.error({ ...fields, code, error: outcome.error, reason }, 'a run of a list failed');
    } else if (outcome.status === 'lost') {
      log.warn({ ...fields, error: outcome.error }, 'a run of a list went to another worker');
    } else log.info({ ...fields, status: outcome.run.status }, 'a run of a list ended');
  }
}

function reasonOf({ lease, record }: RunHold, { code, error }: Fault): string {
  if (record.kind === 'manual') return FILE_LOST;
  if (error !== undefined) return `its end could not be stored: ${code}`;
  return `${lease.tries - 1} workers fell silent in stage ${record.stage ?? 'start'}`;
}

const fieldsOf = ({ runId, sourceId }: ListRun) => ({ run_id: runId, source_id: sourceId });
