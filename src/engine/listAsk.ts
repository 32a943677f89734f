/** What one screening of one list is given, and where its results go. */
import type { Deadline } from './deadline.ts';
import type { Formula } from './formula.ts';
import type { KernelHost } from './kernelHost.ts';
import type { PreparedQuery } from './preparedQuery.ts';
import type { Snapshot } from './snapshotFormat.ts';
import type { StageWatch } from './stageWatch.ts';

/** Receives scored entities; TopK is the usual one. */
export interface Offers {
  /** Offers a row (topK.ts), which is copied; returns whether it is kept. */
  offer(row: Float64Array): boolean;
  /** Least directScore with which an entity of this boost can change the answer. */
  directRequired(boost: number): number;
}

/** One screening of one list. */
export interface ListAsk {
  readonly list: Snapshot;
  /** The kernels over this list, opened for the thread that asks. */
  readonly host: KernelHost;
  /** Position in the call's indexes. */
  readonly index: number;
  readonly query: PreparedQuery;
  readonly formula: Formula;
  readonly primaryOnly: boolean;
  readonly directScoreMin: number;
  readonly best: Offers;
  readonly deadline: Deadline;
  /** Only entities at or over directScoreMin are wanted: nothing has to fill the answer up. */
  readonly matchesOnly?: boolean;
  /** Rules of re-ranker 1.1 (1) or 1.0 (0, and where absent). */
  readonly rules?: 0 | 1;
  /** Scores every entity and skips nothing: the truth that tests and benches measure against. */
  readonly exhaustive?: boolean;
  readonly watch?: StageWatch | undefined;
}
