/**
 * The engine's surface: a data plane that knows names, numbers and bytes, never a customer.
 * domain/screening/ports.ts declares what screening needs; this fits it structurally.
 */

/** Bits of `categories`. */
export const CATEGORY_BIT = { SAN: 1, PEP: 2, RCA: 4, SI: 8, DI: 16 } as const;

/** What a list entity is to the engine, when an index is built. */
export interface IndexEntity {
  /** Sorted ascending by code units over the whole input; unique. */
  readonly id: string;
  readonly schema: 'Person' | 'Company' | 'Other';
  /** As published, the primary name first; native-script and romanised forms alike. */
  readonly names: readonly string[];
  /** YYYY, YYYY-MM, YYYY-MM-DD or `from/to` of such. */
  readonly datesOfBirth: readonly string[];
  /** ISO 3166 alpha-2. */
  readonly nationalities: readonly string[];
  /** CATEGORY_BIT set. */
  readonly categories: number;
  /** Opaque to the engine: given back with a candidate. */
  readonly card: string;
}

/** The five components of interface.md 4.8, rule 2. */
export interface ComponentWeights {
  readonly name: number;
  readonly phonetic: number;
  readonly dob: number;
  readonly nationality: number;
  readonly alias: number;
}

/** Everything that decides a score; stored with every event, so that it can be replayed. */
export interface ScorerSettings {
  /** SemVer of the re-ranker; an unknown one is refused. */
  readonly version: string;
  readonly weights: ComponentWeights;
  readonly missingAttributes: 'rescale' | 'zero';
  readonly phoneticNames: 'all' | 'primary';
  readonly boosts: {
    readonly SAN: number;
    readonly PEP: number;
    readonly RCA: number;
    readonly SI: number;
    readonly DI: number;
  };
  /** 1..50 */
  readonly topN: number;
  /**
   * The lowest threshold that the caller decides by; retrieval holds every entity whose directScore
   * reaches it. Absent: 0.70, the lowest default.
   */
  readonly directScoreMin?: number;
  /** Candidates under this directScore are left out of the answer. Absent: 0. */
  readonly answerScoreMin?: number;
}

/** A query as given. */
export interface RawQuery {
  readonly name: string;
  readonly transliterations: readonly string[];
  /** YYYY, YYYY-MM, YYYY-MM-DD */
  readonly dob?: string;
  /** `YYYY-MM:YYYY-MM` */
  readonly dobRange?: string;
  readonly nationality?: string;
  /** Absent: both Person and Company are sought. */
  readonly schema?: 'Person' | 'Company';
}

/**
 * A query made ready: deterministic, plain JSON (it is the event's `query_normalized`), and all
 * that scoring reads, so that a replay needs nothing else.
 */
export interface NormalizedQuery {
  readonly names: readonly string[];
  /** Arabic transliteration variants (generated or given) that aliasUnfoldScore compares. */
  readonly variants: readonly string[];
  readonly dob?: string;
  readonly dob_range?: string;
  readonly nationality?: string;
  readonly schema?: 'Person' | 'Company';
}

/** One entity with its scores and what they were made of. */
export interface Candidate {
  /** Position in `indexes` of the call. */
  readonly index: number;
  readonly id: string;
  readonly card: string;
  /** The list name (as published) that gave nameScore. */
  readonly matchedName: string;
  readonly finalScore: number;
  readonly directScore: number;
  readonly nameScore: number;
  /** null: the component was absent and left out (decisions 2.2). */
  readonly phoneticScore: number | null;
  readonly dobScore: number | null;
  readonly nationalityScore: number | null;
  readonly aliasUnfoldScore: number | null;
  readonly sourceTypeBoost: number;
  readonly effectiveWeights: ComponentWeights;
}

/** What a screening gets. */
export interface EngineAnswer {
  /**
   * At most `topN`. Entities whose directScore reaches directScoreMin are kept before all others;
   * the order is finalScore descending, then id ascending by code units.
   */
  readonly candidates: readonly Candidate[];
  /**
   * An entity whose directScore reaches directScoreMin was left out: more than `topN` do. Also
   * where one under it was left out that has the finalScore of the last one kept.
   */
  readonly truncated: boolean;
}

/** One loaded, immutable index of one list version. */
export interface LoadedIndex {
  readonly entityCount: number;
  readonly nameCount: number;
  /** Shared by all threads of the process. */
  readonly bytes: number;
  /** Drops it once no query uses it. */
  release(): void;
}

/** Loads indexes into the memory of this process. */
export interface IndexHolder {
  /** Bytes of all distinct snapshots behind the indexes in use. */
  readonly bytesHeld: number;
  /** A buffer of at least `bytes` to read a snapshot into: loading it copies nothing. */
  allocate(bytes: number): SharedArrayBuffer;
  /**
   * One index of a snapshot, or of a snapshot and an overlay of it: both are screened as one list.
   * `base` is a snapshot, or an index in use whose snapshot is shared. Checks magic, version and
   * checksum, of what is in use already only once; throws Error naming what is wrong.
   */
  load(base: SharedArrayBuffer | LoadedIndex, overlay?: SharedArrayBuffer): LoadedIndex;
  /** The same while queries go on: no step holds the event loop for more than a millisecond. */
  loadInSteps(
    base: SharedArrayBuffer | LoadedIndex,
    overlay?: SharedArrayBuffer,
  ): Promise<LoadedIndex>;
}

/** What a query is made ready and screened by; `Index` is as the caller holds one. */
export interface Screener<Index> {
  readonly rerankerVersions: readonly string[];
  normalize(query: RawQuery): NormalizedQuery;
  /**
   * Rejects with DomainError-like `code` 'engine-queue-full' or 'deadline-exceeded'; see errors.ts.
   * `deadlineMs` holds for waiting and running alike: a query that is not done by then ends, and no
   * part of an answer is given.
   */
  screen(call: {
    readonly query: NormalizedQuery;
    readonly indexes: readonly Index[];
    readonly settings: ScorerSettings;
    readonly deadlineMs: number;
  }): Promise<EngineAnswer>;
}

/** See the head of the file. */
export interface Engine extends IndexHolder, Screener<LoadedIndex> {
  close(): Promise<void>;
}
