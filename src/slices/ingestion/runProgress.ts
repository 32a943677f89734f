/** The progress of a run in hand, as its hold saves it beside commits and its end records it. */
import type { WorkFields } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { NO_TRACER, type PastStep, type Tracer } from '#platform/tracing/tracer';
import type { ListRun } from './ports.ts';
import type { RunHold } from './runLease.ts';
import { RunLog } from './runLog.ts';
import type { EndingRun } from './runs.ts';

export class RunProgress {
  readonly #hold: RunHold;
  readonly #log: RunLog;
  #stage: string | undefined;
  #bytes: number | undefined;
  readonly #clock: Clock;
  /** Takes the stages as steps of the run's trace. */
  readonly #tell: (step: PastStep) => void;
  #enteredMs = 0;

  constructor(hold: RunHold, clock: Clock, tracer: Tracer = NO_TRACER) {
    this.#hold = hold;
    this.#clock = clock;
    this.#tell = tracer.here();
    this.#log = new RunLog(clock, hold.record.log);
    const { tries } = hold.lease;
    if (tries > 1) this.log('warn', `try ${tries}, from the start: the worker before fell silent`);
    hold.tell({ stage: undefined, tries });
  }

  /** A line for a person who follows the run. */
  log(level: ListRun['log'][number]['level'], text: string): void {
    this.#log.add(level, text);
    this.#hold.tell({ log: this.#log.lines() });
  }

  /** Saved at once, for those who look at the run. */
  enter(stage: string): void {
    if (stage === this.#stage) return;
    this.leave();
    this.#stage = stage;
    this.#enteredMs = this.#clock.monotonicMs();
    this.#hold.tell({ stage });
    void this.#hold.saveNow();
  }

  /** The end of the present stage, a step of the run's trace. */
  leave(): void {
    if (this.#stage === undefined) return;
    this.#tell({
      endMs: this.#clock.monotonicMs(),
      name: `list ${this.#stage}`,
      startMs: this.#enteredMs,
    });
    this.#stage = undefined;
  }

  bytes(fetchedBytes: number): void {
    this.#bytes = fetchedBytes;
    this.#hold.tell({ fetchedBytes });
  }

  /** Ends the saves, for a commit that ends the run. Throws WorkLost once another worker has it. */
  async end(): Promise<EndingRun> {
    await this.#hold.end();
    this.#hold.signal.throwIfAborted();
    const { expected, lease, record } = this.#hold;
    const run: ListRun = {
      ...record,
      log: this.#log.lines(),
      tries: lease.tries,
      ...(this.#bytes !== undefined && { fetchedBytes: this.#bytes }),
    };
    return { expected, record: run };
  }

  /** How the run waits for another worker because this one stops: its try does not count. */
  handedOn(): WorkFields<ListRun> {
    this.#log.add('info', 'handed on: the worker stops');
    return { log: this.#log.lines(), stage: undefined, tries: this.#hold.lease.tries - 1 };
  }
}
