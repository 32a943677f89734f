/**
 * Runs of lists in a worker: fires schedules, claims waiting runs, takes over the runs of a dead
 * worker. Publishers are waited for in parallel, since a slow one must hold up no other list.
 * Imports are one at a time, because one may use all the memory that a worker has. A worker that
 * imports claims nothing: another may be free.
 *
 * It reads the store every second instead of waiting for a wake-up by a queue. State is in the
 * store alone, so a lost Redis delays nothing, and a changed schedule takes effect within a second,
 * sooner than the 60 s of interface.md 4.9. Any number of workers do the same over one store; every
 * step is a compare-and-set there.
 */
import { isProcessGone } from '#core/work';
import type { Log } from '#platform/log';
import {
  claimRun,
  type ExecuteRunPorts,
  executeRun,
  fireSchedules,
  type ListRun,
  type RunOutcome,
  type RunStore,
  RunWatch,
  takeOverRun,
} from '#slices/ingestion';
import type { ListStore } from '#slices/lists';
import type { RunningWork, WorkerProcess } from '../../processes.ts';
import { runPartsOf } from './runParts.ts';

export { subscribers } from './reactions.ts';
export { scheduled } from './scheduledJobs.ts';

const POLL_MS = 1_000;
/** One per source at the most. */
const RUNNING_MAX = 200;

export interface ListRunnerOptions {
  readonly ports: ExecuteRunPorts & {
    readonly lists: Pick<ListStore, 'findSource' | 'listSources'>;
    readonly runs: Pick<RunStore, 'findRun' | 'saveRun' | 'listRuns' | 'listScheduleAudit'>;
  };
  /** Unique to this process and start. */
  readonly holder: string;
  readonly isGone: (holder: string) => boolean;
  readonly log: Log;
  readonly pollMs?: number;
  readonly renewMs?: number;
}

export interface ListRunner {
  /** Hands the current run on to another worker. */
  close(): Promise<void>;
}

export function startListRunner(options: ListRunnerOptions): ListRunner {
  const runner = new Runner(options);
  const timer = setInterval(() => runner.look(), options.pollMs ?? POLL_MS);
  return {
    close: async () => {
      clearInterval(timer);
      await runner.close();
    },
  };
}

/** Starts the work as workers do it. */
export async function start(process: WorkerProcess): Promise<RunningWork> {
  const { holder, log } = process;
  const isGone = (other: string): boolean => isProcessGone(other, holder);
  const runner = startListRunner({ holder, isGone, log, ports: await runPartsOf(process) });
  return { stop: () => runner.close() };
}

class Runner {
  readonly #options: ListRunnerOptions;
  readonly #watch: RunWatch;
  readonly #stop = new AbortController();
  readonly #runs = new Map<string, Promise<void>>();
  #looking: Promise<void> | undefined;
  /** Imports that run or wait, each for the one before. */
  #imports = 0;
  #lastImport: Promise<unknown> = Promise.resolve();

  constructor(options: ListRunnerOptions) {
    this.#options = options;
    this.#watch = new RunWatch({ clock: options.ports.clock, isGone: options.isGone });
  }

  /** One look at a time: a slow store is not asked twice at once. */
  look(): void {
    this.#looking ??= this.#look()
      .catch((error) => this.#options.log.warn({ error }, 'runs of lists wait for the store'))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#looking;
    await Promise.all(this.#runs.values());
  }

  async #look(): Promise<void> {
    const { log, ports } = this.#options;
    const onProblem = (source_id: string, error: unknown): void =>
      log.error({ error, source_id }, 'a schedule could not be fired');
    const { disabled } = await fireSchedules({ ...ports, onProblem });
    for (const source_id of disabled) {
      log.error({ source_id }, 'a source was disabled: it fired three times in under a minute');
    }
    const running = await ports.runs.listRuns({ limit: RUNNING_MAX, status: 'running' });
    const silent = new Set(this.#watch.silent(running));
    // Oldest first.
    for (const run of running.reverse()) await this.#consider(run, silent.has(run));
  }

  async #consider(run: ListRun, isSilent: boolean): Promise<void> {
    if (this.#imports > 0 || this.#stop.signal.aborted || this.#runs.has(run.runId)) return;
    const { holder, log, ports } = this.#options;
    if (run.leaseHolder !== undefined && !isSilent) return;
    if (isSilent) log.warn(fieldsOf(run), 'a run has lost its worker');
    const ask = { holder, run };
    const claimed = await (isSilent ? takeOverRun(ports, ask) : claimRun(ports, ask));
    if (claimed === undefined) return;
    const working = this.#execute(claimed).finally(() => {
      this.#runs.delete(run.runId);
      this.look();
    });
    this.#runs.set(run.runId, working);
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

  async #execute(run: ListRun): Promise<void> {
    const { log, ports, renewMs } = this.#options;
    log.info(fieldsOf(run), 'a list is being fetched');
    try {
      const outcome = await executeRun(ports, run, {
        alone: (work) => this.#alone(work),
        signal: this.#stop.signal,
        ...(renewMs !== undefined && { renewMs }),
      });
      this.#tell(run, outcome);
    } catch (error) {
      log.error({ ...fieldsOf(run), error }, 'the end of a run could not be stored');
    }
  }

  #tell(run: ListRun, outcome: RunOutcome): void {
    const { log } = this.#options;
    const fields = fieldsOf(run);
    if (outcome.status === 'failed') {
      log.error({ ...fields, error: outcome.error }, 'a run of a list failed');
    } else if (outcome.status === 'lost') {
      log.warn({ ...fields, error: outcome.error }, 'a run of a list went to another worker');
    } else log.info({ ...fields, status: outcome.run.status }, 'a run of a list ended');
  }
}

const fieldsOf = ({ runId, sourceId }: ListRun) => ({ run_id: runId, source_id: sourceId });
