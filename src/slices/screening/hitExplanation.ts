/** The score of a hit, taken apart, and the thread that takes it apart. */
import type { EntryCaller } from '#slices/lists';
import type { NormalizedQuery, RawQuery } from './ports.ts';

/** The engine's side is src/engine/reranker2/explain.ts. */
export interface HitExplanation {
  readonly query: string;
  readonly entry: string;
  readonly words: readonly {
    readonly query: string;
    readonly entry: string;
    readonly reason: string;
    readonly similarity: number;
  }[];
  readonly left_over: { readonly query: readonly string[]; readonly entry: readonly string[] };
  readonly bits: number;
  readonly terms: readonly { readonly term: string; readonly z: number }[];
  readonly z: number;
  readonly score: number;
}

/** One query, which is prepared once, and the entries that are explained by it. */
export interface ExplainAsk {
  readonly query: RawQuery | NormalizedQuery;
  /** Texts of the entries, as their versions have them. */
  readonly lines: readonly Uint8Array[];
}

/** Undefined for a formula, and where either side has no name. */
export type Explained = readonly (HitExplanation | undefined)[];

/**
 * The thread that reads names to say why a hit has its score. Callers take turns, a query each.
 * Rejects with `deadline-exceeded`, `engine-queue-full` or `body-aborted`.
 */
export interface HitExplainer {
  explain(
    version: string,
    asks: readonly ExplainAsk[],
    by: EntryCaller & { readonly deadlineMs: number },
  ): Promise<readonly Explained[]>;
  close(): Promise<void>;
}
