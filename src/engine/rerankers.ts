/**
 * Re-ranker versions, side by side over one index format. An old version stays here as long as an
 * event names it, so that its screening can be replayed. A better scorer is a new major version
 * with a file of its own (decisions 2.11).
 *
 * The fold is part of a version. Version 1.0.0 folds by the tables of Unicode UNICODE_VERSION in
 * config/tables and by the host's normalize and toLowerCase, which agree for all assigned
 * characters of names since Unicode 13.
 */
import type { Deadline } from './deadline.ts';
import { Formula } from './formula.ts';
import type { KernelHost } from './kernelHost.ts';
import type { ScorerSettings } from './ports.ts';
import type { PreparedQuery } from './preparedQuery.ts';
import { ListScreener } from './screenList.ts';
import type { Snapshot } from './snapshotFormat.ts';
import { CANDIDATES_MAX, type TopK } from './topK.ts';

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
  readonly query: PreparedQuery;
  readonly settings: ScorerSettings;
  readonly directScoreMin: number;
  readonly best: TopK;
  readonly deadline: Deadline;
  readonly exhaustive?: boolean;
}

/**
 * Fills `best`, which the caller has reset; throws EngineError `deadline-exceeded`. One instance
 * per thread, as it may keep scratch.
 */
export type Rerank = (ask: RerankAsk) => void;

function rerankerOne(): Rerank {
  const screener = new ListScreener();
  return ({ lists, slot, query, settings, directScoreMin, best, deadline, exhaustive }) => {
    const formula = new Formula(settings);
    const matchesOnly = (settings.answerScoreMin ?? 0) >= directScoreMin;
    lists.forEach(({ list, host, removed }, index) => {
      host.open(slot, removed);
      screener.screen({
        list,
        host,
        index,
        query,
        formula,
        best,
        primaryOnly: settings.phoneticNames === 'primary',
        directScoreMin,
        deadline,
        matchesOnly,
        exhaustive: exhaustive ?? false,
      });
    });
  };
}

const MAKERS: Readonly<Record<string, () => Rerank>> = { '1.0.0': rerankerOne };

/** SemVer of the versions that can be run, ascending. */
export const RERANKER_VERSIONS: readonly string[] = Object.keys(MAKERS);

/** A thread's own instance of a version; throws an Error for an unknown one. */
export function makeReranker(version: string): Rerank {
  const make = Object.hasOwn(MAKERS, version) ? MAKERS[version] : undefined;
  if (make === undefined) {
    throw new Error(`re-ranker: expected one of ${RERANKER_VERSIONS.join(', ')}, got '${version}'`);
  }
  return make();
}

/**
 * Checks a caller's settings: throws an Error for an unknown version and for a topN outside 1..50.
 */
export function checkSettings({ topN, version }: ScorerSettings): void {
  if (!RERANKER_VERSIONS.includes(version)) {
    throw new Error(`re-ranker: unknown version '${version}'`);
  }
  if (!Number.isInteger(topN) || topN < 1 || topN > CANDIDATES_MAX) {
    throw new Error(`topN: expected 1..${CANDIDATES_MAX}, got ${topN}`);
  }
}
