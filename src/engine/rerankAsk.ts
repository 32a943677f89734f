/** What every re-ranker is asked, whatever its version: one screening of one or several lists. */
import type { Deadline } from './deadline.ts';
import type { KernelHost } from './kernelHost.ts';
import type { NormalizedQuery, ScorerSettings } from './ports.ts';
import type { PreparedQuery } from './preparedQuery.ts';
import type { Snapshot } from './snapshotFormat.ts';
import type { StageWatch } from './stageWatch.ts';
import type { TopK } from './topK.ts';

/**
 * An opened snapshot, the kernels over it, and the bitmap of its entities that an overlay hides.
 */
export interface OpenList {
  readonly list: Snapshot;
  readonly host: KernelHost;
  readonly removed: Uint8Array | undefined;
}

/** One screening: the lists of a call in its order, the query, and where its candidates go. */
export interface RerankAsk {
  readonly lists: readonly OpenList[];
  /** The scratch of each list that the caller may use. */
  readonly slot: number;
  /** The query as the event has it. */
  readonly normalized: NormalizedQuery;
  /** The same, prepared for the kernels. */
  readonly query: PreparedQuery;
  readonly settings: ScorerSettings;
  readonly directScoreMin: number;
  readonly best: TopK;
  readonly deadline: Deadline;
  readonly exhaustive?: boolean;
  /** Told when scoring begins and ends, where somebody wants to know. */
  readonly watch?: StageWatch | undefined;
}

/**
 * Fills `best`, which the caller has reset; throws EngineError `deadline-exceeded`. One instance
 * per thread, as it may keep scratch.
 */
export type Rerank = (ask: RerankAsk) => void;
