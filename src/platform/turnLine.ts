/**
 * Work of several callers before a few places (a thread): who waits stands in turns of tenants
 * (turnQueue.ts), is told at his deadline, though no place is free, and is dropped once he has
 * left. It knows no work: what runs is a promise, which a thread keeps.
 *
 * Work that runs is not broken off. Its caller is told at his deadline all the same, and the place
 * is free when the work has ended, so what is handed in must be short: long work is handed in piece
 * by piece, and stands in line again for each.
 */
import { TurnQueue } from './turnQueue.ts';

export type LineErrorCode = 'line-full' | 'deadline-exceeded' | 'caller-gone';

/** Why work was not done, or nobody waits for it any more. */
export class LineError extends Error {
  override readonly name = 'LineError';
  readonly code: LineErrorCode;

  constructor(code: LineErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Who asks for work. */
export interface LineAsk {
  /** Whose turn it takes: a tenant. */
  readonly turn: string;
  /** Covers waiting and running alike; absent: as long as it takes. */
  readonly deadlineMs?: number | undefined;
  /** Fires when the answer is not wanted any more. */
  readonly signal?: AbortSignal | undefined;
}

interface Job {
  readonly turn: string;
  begin(): void;
  fail(error: Error): void;
}

export class TurnLine {
  readonly #places: number;
  readonly #waitingMax: number;
  readonly #waiting: TurnQueue<Job>;
  readonly #what: string;
  #running = 0;

  /** `what` names the work in errors, in the plural. */
  constructor(of: { readonly places: number; readonly waitingMax: number; readonly what: string }) {
    this.#places = of.places;
    this.#waitingMax = of.waitingMax;
    this.#waiting = new TurnQueue(of.waitingMax);
    this.#what = of.what;
  }

  /** Work that has not begun. */
  get waiting(): number {
    return this.#waiting.count;
  }

  /** Rejects with LineError, and as `work` does. */
  run<Value>(ask: LineAsk, work: () => Promise<Value>): Promise<Value> {
    const { deadlineMs, signal, turn } = ask;
    if (signal?.aborted === true) return Promise.reject(this.#gone());
    return new Promise<Value>((resolve, reject) => {
      const onGone = (): void => job.fail(this.#gone());
      const onLate = (): void => job.fail(this.#late());
      const late = deadlineMs === undefined ? undefined : setTimeout(onLate, deadlineMs);
      const settle = (): void => {
        clearTimeout(late);
        signal?.removeEventListener('abort', onGone);
      };
      const job: Job = {
        begin: () => void this.#begin(work, settle).then(resolve, reject),
        fail: (error) => {
          this.#waiting.remove(job);
          settle();
          reject(error);
        },
        turn,
      };
      if (!this.#waiting.offer(job)) {
        job.fail(this.#full());
        return;
      }
      signal?.addEventListener('abort', onGone, { once: true });
      this.#goOn();
    });
  }

  /** Tells `error` to all who wait; what runs goes on. */
  refuseAll(error: Error): void {
    for (const job of this.#waiting.removeOver(() => true)) job.fail(error);
  }

  async #begin<Value>(work: () => Promise<Value>, settle: () => void): Promise<Value> {
    try {
      return await work();
    } finally {
      settle();
      this.#running--;
      this.#goOn();
    }
  }

  #goOn(): void {
    while (this.#running < this.#places) {
      const job = this.#waiting.take();
      if (job === undefined) return;
      this.#running++;
      job.begin();
    }
  }

  #full(): LineError {
    const most = `at most ${this.#waitingMax} waiting, of one tenant as many as are free`;
    return new LineError('line-full', `${this.#what}: expected ${most}`);
  }

  #late(): LineError {
    return new LineError('deadline-exceeded', `${this.#what}: the deadline passed`);
  }

  #gone(): LineError {
    return new LineError('caller-gone', `${this.#what}: the caller left before the answer`);
  }
}
