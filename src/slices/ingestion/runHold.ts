/**
 * A worker's hold on a run: saved every few seconds with the progress. It is given up once another
 * worker has the run, or it could not be saved for the length of the lease. Work on the run stops
 * at `signal`.
 *
 * Saves and the end of the run are one after another: the end is a compare-and-set of the version
 * that the last save left.
 */
import { DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { ListRun, RunStore } from './ports.ts';
import { RUN_LEASE_MS, RUN_RENEW_MS, renewRun } from './runLease.ts';
import { RunLog } from './runLog.ts';

export interface RunHoldPorts {
  readonly runs: Pick<RunStore, 'saveRun'>;
  readonly clock: Clock;
}

export class RunHold {
  readonly log: RunLog;
  readonly #ports: RunHoldPorts;
  readonly #given = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #run: ListRun;
  #stage: string | undefined;
  #bytes: number | undefined;
  #savedMs: number;
  #saving: Promise<void> = Promise.resolve();
  #isEnding = false;

  constructor(ports: RunHoldPorts, run: ListRun, renewMs = RUN_RENEW_MS) {
    this.#ports = ports;
    this.#run = run;
    this.log = new RunLog(ports.clock, run.log);
    this.#savedMs = ports.clock.monotonicMs();
    this.#timer = setInterval(() => this.#save(), renewMs);
  }

  /** Fires once another worker has the run. */
  get signal(): AbortSignal {
    return this.#given.signal;
  }

  /** A new stage is saved at once: a watcher treats some of them differently. */
  enter(stage: string): void {
    if (stage === this.#stage) return;
    this.#stage = stage;
    this.#save();
  }

  bytes(bytes: number): void {
    this.#bytes = bytes;
  }

  /** Ends the saves; returns the run as the store has it. Throws once another worker has it. */
  async end(): Promise<ListRun> {
    this.release();
    await this.#saving;
    this.signal.throwIfAborted();
    return this.#run;
  }

  /** Releases the run for the next claim at once: a worker that stops has not failed. */
  async giveBack(): Promise<void> {
    this.release();
    await this.#saving;
    if (this.signal.aborted) return;
    const { leaseHolder: _holder, leaseUntil: _until, stage: _stage, ...run } = this.#run;
    const tries = Math.max(0, (run.tries ?? 1) - 1);
    this.log.add('info', 'handed on: the worker stops');
    const free: ListRun = { ...run, log: this.log.lines(), tries, version: run.version + 1 };
    await this.#ports.runs.saveRun(free, run.version);
    this.#giveUp('the worker stops');
  }

  /** Lets go without an end: others take the run over. */
  release(): void {
    this.#isEnding = true;
    clearInterval(this.#timer);
  }

  /** One save at a time; progress made meanwhile goes with the next one. */
  #save(): void {
    if (this.#isEnding || this.signal.aborted) return;
    this.#saving = this.#saving.then(() => this.#saveNow());
  }

  async #saveNow(): Promise<void> {
    if (this.#isEnding || this.signal.aborted) return;
    try {
      const renewed = await renewRun(this.#ports, this.#run, {
        log: this.log.lines(),
        ...(this.#stage !== undefined && { stage: this.#stage }),
        ...(this.#bytes !== undefined && { fetchedBytes: this.#bytes }),
      });
      if (renewed === undefined) return this.#giveUp('another worker has taken the run over');
      this.#run = renewed;
      this.#savedMs = this.#ports.clock.monotonicMs();
    } catch (error) {
      // The store may be back before another worker takes us for dead.
      const silentMs = this.#ports.clock.monotonicMs() - this.#savedMs;
      if (silentMs >= RUN_LEASE_MS) this.#giveUp('the run could not be saved', error);
    }
  }

  #giveUp(detail: string, cause?: unknown): void {
    clearInterval(this.#timer);
    this.#given.abort(new DomainError('state-conflict', { cause, detail }));
  }
}
