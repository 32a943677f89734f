/**
 * When a worker looks for work: every so often, and at once when it is woken up. What is to be done
 * stands in the store alone, so a wake-up that is lost costs no more than the time until the next
 * look.
 */

/** Work under way in this process. */
export interface WorkLoop {
  /** Something may have come in. Neither throws nor waits. */
  wake(): void;
  /** No more looks; gives back what is under way, for other workers. */
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
  /** Reads what waits, and offers it to the runners. */
  readonly look: () => Promise<void>;
  /** A look has failed: the store is away, for one. The next one comes by itself. */
  readonly onFailure: (error: unknown) => void;
}

/** The first look is after `pollMs`, or with the first wake-up. */
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

/** One look at a time: a slow store is not asked twice at once. */
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

  /** During a look it asks for another one: the one under way may be past what has come in. */
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
