/**
 * When a worker looks for work: at intervals, and at once after a wake-up. Only the store says what
 * is to be done, so a lost wake-up costs no more than the time until the next look.
 */

/** The running loop of this process. */
export interface WorkLoop {
  /** A wake-up: work may have come in. Neither throws nor waits. */
  wake(): void;
  /** Ends the looks; gives back running work, for other workers. */
  close(): Promise<void>;
}

/** The part of a runner (runner.ts) that a loop needs. */
export interface Runner {
  freeSilent(): Promise<void>;
  close(): Promise<void>;
}

/** What a loop looks after. */
export interface WorkLoopOptions {
  readonly pollMs: number;
  /** Before each look their silent rows are freed; they are closed with the loop. */
  readonly runners: readonly Runner[];
  /** Reads the waiting work, and offers it to the runners. */
  readonly look: () => Promise<void>;
  /**
   * Called when a look has failed, for example while the store is away. The next one comes by
   * itself.
   */
  readonly onFailure: (error: unknown) => void;
}

/** Starts the loop. The first look is after `pollMs`, or with the first wake-up. */
export function startWorkLoop(options: WorkLoopOptions): WorkLoop {
  const looks = new Looks(options);
  const timer = setInterval(() => looks.poll(), options.pollMs);
  return {
    close: async () => {
      clearInterval(timer);
      await looks.close();
      await Promise.all(options.runners.map((runner) => runner.close()));
    },
    wake: () => looks.wake(),
  };
}

/** Looks, one at a time: a slow store is not asked twice at once. */
class Looks {
  readonly #options: WorkLoopOptions;
  #looking: Promise<void> | undefined;
  #isWoken = false;
  #isClosed = false;

  constructor(options: WorkLoopOptions) {
    this.#options = options;
  }

  poll(): void {
    if (this.#looking === undefined) this.wake();
  }

  /**
   * A wake-up during a look causes another one: the current look may already be past the new work.
   */
  wake(): void {
    if (this.#isClosed) return;
    this.#isWoken = this.#looking !== undefined;
    this.#looking ??= this.#look()
      .catch(this.#options.onFailure)
      .finally(() => {
        this.#looking = undefined;
        if (this.#isWoken) this.wake();
      });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#looking;
  }

  async #look(): Promise<void> {
    for (const runner of this.#options.runners) await runner.freeSilent();
    await this.#options.look();
  }
}
