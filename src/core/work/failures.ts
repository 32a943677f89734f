/**
 * Work that failed in this process and is left alone for a while. The tries that count stand in the
 * store, over all workers; what is remembered here is only when to look at a lane again.
 */
import type { Clock } from '#platform/clock';

/** Pauses of the lanes of one kind of work. */
export class Failures {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #againMs = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** No try of it here for so long. */
  putOff(name: string, pauseMs: number): void {
    this.#againMs.set(name, this.#clock.monotonicMs() + pauseMs);
  }

  /** Its pause is over, or it had none. */
  mayTry(name: string): boolean {
    return (this.#againMs.get(name) ?? Number.NEGATIVE_INFINITY) <= this.#clock.monotonicMs();
  }

  /** What has ended, here or elsewhere, is not tried again. */
  forgetAllBut(names: ReadonlySet<string>): void {
    for (const name of this.#againMs.keys()) if (!names.has(name)) this.#againMs.delete(name);
  }
}
