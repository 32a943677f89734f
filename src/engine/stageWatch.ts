/**
 * How long the stages of one query took, where its caller wants to know: for traces. Retrieval and
 * re-ranking take turns within a list, so what is measured is the sum of the re-ranking; all else
 * behind the reading of the query is retrieval. Not read otherwise: the clock costs as much as a
 * comparison.
 */
import { systemClock } from '#platform/clock';

/** Stages of a query, on the monotonic clock of the process that asked. */
export interface QueryStages {
  /** A thread began with it. */
  readonly startMs: number;
  /** It was read and prepared. */
  readonly readMs: number;
  readonly endMs: number;
  /** Milliseconds spent on scores, within the time between the last two. */
  readonly rerankMs: number;
}

/** Sums the turns of re-ranking; one per query. */
export class StageWatch {
  rerankMs = 0;
  #sinceMs = 0;

  begin(): void {
    this.#sinceMs = systemClock.monotonicMs();
  }

  end(): void {
    this.rerankMs += systemClock.monotonicMs() - this.#sinceMs;
  }
}
