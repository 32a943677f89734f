/**
 * What screening needs: an engine over the lists in force, and the settings of a tenant. The
 * engine's side is declared again in src/engine/ports.ts; the two fit structurally, so neither
 * imports the other.
 */
import type { ListVersion } from '#slices/lists';
import type { Clusters } from '#slices/resolution';

/** The five components of a score (interface.md 4.8, rule 2). Weights sum to 1.0. */
export interface ComponentWeights {
  readonly name: number;
  readonly phonetic: number;
  readonly dob: number;
  readonly nationality: number;
  readonly alias: number;
}

/** Factor by category: the maximum over a candidate's categories counts, 1.0 without any. */
export interface CategoryBoosts {
  readonly SAN: number;
  readonly PEP: number;
  readonly RCA: number;
  readonly SI: number;
  readonly DI: number;
}

/** Compared with directScore; monotone: rca_2 ≤ rca_1 ≤ pep ≤ direct. */
export interface Thresholds {
  readonly direct: number;
  readonly pep: number;
  readonly rca_1: number;
  readonly rca_2: number;
  readonly adverse_media: number;
}

/** All that decides an answer, beside the lists; every member is stored with every event. */
export interface ScreeningSettings {
  /** Version of the tenant's policy; 1 is the one that ships. */
  readonly policyVersion: number;
  /** SHA-256 hex of the policy's content; absent where settings of a former release decide. */
  readonly policyDigest?: string;
  readonly rerankerVersion: string;
  /** The re-ranker of subjects, in batches and at `/v1/aml/screen`; absent: the same one. */
  readonly batchRerankerVersion?: string;
  readonly weights: ComponentWeights;
  readonly thresholds: Thresholds;
  readonly boosts: CategoryBoosts;
  readonly missingAttributes: 'rescale' | 'zero';
  readonly phoneticNames: 'all' | 'primary';
  /** 1..50 */
  readonly topN: number;
  /** Sources that the tenant does not screen against, by id. */
  readonly sourcesOff?: readonly string[];
  /** How much farther relations count, by their distance; absent: as lists are read. */
  readonly rcaDepthDecay?: RcaDepthDecay;
  /** How long a query's candidates may be taken again; absent: each is scored anew. */
  readonly cacheTtlMs?: number;
}

/** A factor by the distance of a relation, 0 to 1. */
export interface RcaDepthDecay {
  readonly depth_1: number;
  readonly depth_2: number;
}

export interface RawQuery {
  readonly name: string;
  readonly transliterations: readonly string[];
  readonly dob?: string;
  readonly dobRange?: string;
  readonly nationality?: string;
  readonly schema?: 'Person' | 'Company';
  /** Read by re-ranker 2 alone. */
  readonly gender?: string;
  readonly identifiers?: readonly string[];
}

/** Deterministic form of a query: the event's `query_normalized`, and all that scoring reads. */
export interface NormalizedQuery {
  readonly names: readonly string[];
  readonly variants: readonly string[];
  readonly dob?: string;
  readonly dob_range?: string;
  readonly nationality?: string;
  readonly schema?: 'Person' | 'Company';
  /** The query has common words alone: its name does not decide by itself. */
  readonly common_words?: 'one' | 'several';
  /** Names that were given with a comma, in natural order, and with brackets, without them. */
  readonly natural?: readonly string[];
  /** Latin spellings of names in Hangul, Han characters and Hebrew. */
  readonly spelt?: readonly string[];
  readonly gender?: 'f' | 'm';
  readonly identifiers?: readonly string[];
  readonly imo?: true;
}

export interface ScoredCandidate {
  readonly index: number;
  readonly id: string;
  /** JCS of the entity's part of a candidate record (slices/lists, `toIndexEntity`). */
  readonly card: string;
  readonly matchedName: string;
  readonly finalScore: number;
  readonly directScore: number;
  readonly nameScore: number;
  readonly phoneticScore: number | null;
  readonly dobScore: number | null;
  readonly nationalityScore: number | null;
  readonly aliasUnfoldScore: number | null;
  readonly sourceTypeBoost: number;
  readonly effectiveWeights: ComponentWeights;
}

/** A list in force: its version, and its index in this process's memory. */
export interface ListInForce<Index> {
  readonly version: ListVersion;
  readonly index: Index;
}

export interface ListsState<Index> {
  /** Ordered by source id. */
  readonly lists: readonly ListInForce<Index>[];
  /** Published sources of which no version could be loaded here. */
  readonly unloaded: readonly string[];
  /** Which entries of these lists are one; without it every entry stands alone. */
  readonly clusters?: Clusters | undefined;
}

/** What an engine answers; a query without names had nothing to compare. */
export interface EngineAnswer {
  readonly query: NormalizedQuery;
  readonly candidates: readonly ScoredCandidate[];
  readonly truncated: boolean;
  /** Where the call asked for it, on the monotonic clock. */
  readonly stages?: {
    readonly startMs: number;
    readonly readMs: number;
    readonly endMs: number;
    readonly rerankMs: number;
  };
}

export interface CandidateEngine<Index> {
  /** Normalises a raw query where it is scored, and says in the answer what came of it. */
  screen(call: {
    readonly query: RawQuery | NormalizedQuery;
    readonly indexes: readonly Index[];
    readonly settings: {
      readonly version: string;
      readonly weights: ComponentWeights;
      readonly missingAttributes: 'rescale' | 'zero';
      readonly phoneticNames: 'all' | 'primary';
      readonly boosts: CategoryBoosts;
      readonly topN: number;
      /** The lowest threshold: every entity at or above it must be among the candidates. */
      readonly directScoreMin: number;
      /** Candidates below it are neither answered nor stored. */
      readonly answerScoreMin: number;
    };
    readonly deadlineMs: number;
    /** A tenant: tenants are served in turns, where several wait for one engine. */
    readonly turn?: string | undefined;
    /** Fires when nobody waits for the answer any more; the query then ends as `caller-gone`. */
    readonly signal?: AbortSignal | undefined;
    /** The answer tells how long its stages took. */
    readonly isTimed?: boolean;
  }): Promise<EngineAnswer>;
}

/** The lists of this process. A value that `current` returned never changes. */
export interface ListsInForce<Index> {
  current(): ListsState<Index>;
}
