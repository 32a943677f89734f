/**
 * Which of the runs under way wait for a worker: those that no one holds, but for a run that its
 * own process is about to begin. That one waits once its process is gone, or left it alone for a
 * lease's length by this process's own clock.
 */
import { Standstill } from '#core/work';
import type { Clock } from '#platform/clock';
import type { ListRun } from './ports.ts';
import { RUN_LEASE } from './runLease.ts';

export interface WaitingRunsOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Whether the process of a holder is known to have ended. */
  readonly isGone: (holder: string) => boolean;
}

export class WaitingRuns {
  readonly #isGone: WaitingRunsOptions['isGone'];
  readonly #still: Standstill;

  constructor({ clock, isGone }: WaitingRunsOptions) {
    this.#isGone = isGone;
    this.#still = new Standstill(clock);
  }

  /** To be called at every look, with the runs that nobody holds. */
  of(unheld: readonly ListRun[]): ListRun[] {
    const stillMs = this.#still.look(
      unheld.map(({ runId, version }) => ({ name: runId, pulse: String(version) })),
    );
    return unheld.filter((run, place) => {
      const owner = ownerOf(run);
      return owner === undefined || this.#isGone(owner) || isLong(stillMs[place]);
    });
  }
}

const isLong = (stillMs = 0): boolean => stillMs >= RUN_LEASE.leaseMs;

/** One of a former release named its worker. */
function ownerOf({ leaseHolder, reservedFor, tries = 0 }: ListRun): string | undefined {
  return tries > 0 ? leaseHolder : reservedFor;
}
