/**
 * Work that failed in this process and is left alone for a while. The store has the tries that
 * count, over all workers; here is only when to look at a lane again.
 */
import type { Clock } from '#platform/clock';

/** Pauses of the lanes of one kind of work. */
export class Failures {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #againMs = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Not to be tried here for this many milliseconds. */
  putOff(name: string, pauseMs: number): void {
    this.#againMs.set(name, this.#clock.monotonicMs() + pauseMs);
  }

  /** Whether its pause is over, or it had none. */
  mayTry(name: string): boolean {
    return (this.#againMs.get(name) ?? Number.NEGATIVE_INFINITY) <= this.#clock.monotonicMs();
  }

  /** Forgets work that has ended, here or elsewhere. */
  forgetAllBut(names: ReadonlySet<string>): void {
    for (const name of this.#againMs.keys()) if (!names.has(name)) this.#againMs.delete(name);
  }
}
