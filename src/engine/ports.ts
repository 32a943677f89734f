/**
 * The engine's surface: a data plane that knows names, numbers and bytes, never a customer.
 * slices/screening/ports.ts declares what screening needs, and these types fit it structurally.
 */
import type { QueryStages } from './stageWatch.ts';

/**
 * Bits of IndexEntity.categories, one per type of source; ScorerSettings.boosts has a factor for
 * each.
 */
export const CATEGORY_BIT = { SAN: 1, PEP: 2, RCA: 4, SI: 8, DI: 16 } as const;

/** A list entity as the engine indexes it. */
export interface IndexEntity {
  /** Unique; the whole input is ascending by code units of the id. */
  readonly id: string;
  readonly schema: 'Person' | 'Company' | 'Other';
  /** As published, the primary name first; native-script and romanised forms alike. */
  readonly names: readonly string[];
  /** YYYY, YYYY-MM, YYYY-MM-DD or `from/to` of such. */
  readonly datesOfBirth: readonly string[];
  /** ISO 3166 alpha-2. */
  readonly nationalities: readonly string[];
  /** Where the publisher gives one, and one alone. */
  readonly gender?: 'f' | 'm';
  /** Numbers of passports, registrations and the like, as published. */
  readonly identifiers?: readonly string[];
  /** BICs, as published: no re-ranker reads them, and a bank is found by its own. */
  readonly bics?: readonly string[];
  /** Bits of CATEGORY_BIT. */
  readonly categories: number;
  /** Opaque to the engine; returned with a candidate. */
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

/** All settings that decide a score; stored with every event, so that it can be replayed. */
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
  /** 1..150 */
  readonly topN: number;
  /**
   * The lowest threshold that the caller decides by; retrieval finds every entity whose directScore
   * reaches it. Absent: 0.70, the lowest default.
   */
  readonly directScoreMin?: number;
  /** Candidates under this directScore are left out of the answer. Absent: 0. */
  readonly answerScoreMin?: number;
}

/** A query as given, before folding; dates that cannot be read count as absent. */
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
  /** Any word for it; what is neither male nor female counts as absent. Re-ranker 2 alone. */
  readonly gender?: string;
  /** Numbers of documents, as given. Re-ranker 2 alone. */
  readonly identifiers?: readonly string[];
}

/**
 * A normalised query: deterministic, plain JSON (it is the event's `query_normalized`), and all
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
  /**
   * The query has common words alone (re-ranker 1.1): one, which decides nothing by itself, or
   * several, of which only a name of the very same words does.
   */
  readonly common_words?: 'one' | 'several';
  /**
   * Names of a person that were given with a comma (`Patrushev, Nikolai`), in natural order, or
   * with something in brackets, without it; re-ranker 2 compares them, too.
   */
  readonly natural?: readonly string[];
  /**
   * Latin spellings of names in Hangul, Han characters and Hebrew; re-ranker 2 searches for them
   * and compares them, too.
   */
  readonly spelt?: readonly string[];
  readonly gender?: 'f' | 'm';
  /** Numbers of documents, and IMO numbers in a name, by their letters and digits. */
  readonly identifiers?: readonly string[];
  /** An IMO number is among them: another one of a vessel's own is another vessel. */
  readonly imo?: true;
}

/** One entity with its scores, rounded to 9 decimals, and how they came about. */
export interface Candidate {
  /** Position of its index in the call's `indexes`. */
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

/** The answer to one screening. */
export interface EngineAnswer {
  /** Where the call asked for it. */
  readonly stages?: QueryStages;
  /** The query as it was compared; without names there was nothing to compare. */
  readonly query: NormalizedQuery;
  /**
   * At most `topN`. Entities whose directScore reaches directScoreMin are kept before all others;
   * the order is finalScore descending, then (by re-ranker 2) information descending, then id
   * ascending by code units.
   */
  readonly candidates: readonly Candidate[];
  /**
   * An entity whose directScore reaches directScoreMin was left out, since more than `topN` do.
   * Also true where an entity under it was left out that has the finalScore of the last one kept.
   */
  readonly truncated: boolean;
}

/** One loaded, immutable index of one list version. */
export interface LoadedIndex {
  readonly entityCount: number;
  readonly nameCount: number;
  /** Shared by all threads of the process. */
  readonly bytes: number;
  /** Frees the index once no query uses it; it must not be used for new queries. */
  release(): void;
}

/** Loads indexes into the memory of this process. */
export interface IndexHolder {
  /** Bytes of all distinct snapshots of the loaded indexes. */
  readonly bytesHeld: number;
  /** A buffer of at least `bytes` to read a snapshot into, so that loading it copies nothing. */
  allocate(bytes: number): SharedArrayBuffer;
  /**
   * Loads one snapshot, or a snapshot and its overlay: both are then screened as one list. `base`
   * is a snapshot, or a loaded index whose snapshot is shared. Magic, version and checksum are
   * checked, once per loaded snapshot; throws an Error naming what is wrong.
   */
  load(base: SharedArrayBuffer | LoadedIndex, overlay?: SharedArrayBuffer): LoadedIndex;
  /**
   * Does the same in steps, while queries go on: no step holds the event loop for more than a
   * millisecond.
   */
  loadInSteps(
    base: SharedArrayBuffer | LoadedIndex,
    overlay?: SharedArrayBuffer,
  ): Promise<LoadedIndex>;
}

/** Screens names. `Index` is the caller's handle of a loaded index. */
export interface Screener<Index> {
  readonly rerankerVersions: readonly string[];
  /**
   * Normalises a raw query where it is compared, which for long ones costs more than the comparison
   * of others; a replay gives the normalised one. Rejects with an EngineError whose `code` is
   * 'engine-queue-full', 'deadline-exceeded' or 'caller-gone' (errors.ts). `deadlineMs` covers
   * waiting and running alike: a query that is not done by then ends without any part of an answer.
   */
  screen(call: {
    readonly query: RawQuery | NormalizedQuery;
    readonly indexes: readonly Index[];
    readonly settings: ScorerSettings;
    readonly deadlineMs: number;
    /** Callers of several turns (tenants) are served in turns; absent: all of those share one. */
    readonly turn?: string | undefined;
    /** Fires when the caller has left: its query never begins, or ends. */
    readonly signal?: AbortSignal | undefined;
    /** The answer tells how long its stages took. */
    readonly isTimed?: boolean;
  }): Promise<EngineAnswer>;
}

/** The place of a row: the next page begins after it. */
export interface LookupPlace {
  readonly rank: number;
  readonly id: string;
  readonly index: number;
}

/** What was typed, and which page of the answer is wanted. */
export interface LookupAsk {
  readonly text: string;
  readonly limit: number;
  readonly after?: LookupPlace | undefined;
}

/** Who looks something up. */
export interface LookupCaller {
  /** Callers of several turns (tenants) are served in turns; absent: all of those share one. */
  readonly turn?: string | undefined;
  /** Fires when the caller has left: its look-up never begins. */
  readonly signal?: AbortSignal | undefined;
}

/** An entry that was found. */
export interface LookupRow extends LookupPlace {
  readonly card: string;
  /** The name on the list that has the words. */
  readonly matchedName: string;
}

/** Rows by rank, then id, then place of the index. */
export interface LookupAnswer {
  readonly rows: readonly LookupRow[];
  readonly hasMore: boolean;
  /** Entries were left out: a word has more than are gone through. */
  readonly isTruncated: boolean;
  /** What was typed has no letter and no digit. */
  readonly isEmpty: boolean;
}

/** Words of a text that follow each other, as they are written. */
export interface SpotRun {
  readonly words: readonly string[];
  /** Places of words before which something says that a name follows: `MV`, `/INS/`. */
  readonly cued: readonly number[];
}

/** Texts in which listed names are sought, and numbers that may be those of listed parties. */
export interface SpotAsk {
  readonly runs: readonly SpotRun[];
  readonly numbers: readonly string[];
}

/** Where a listed name may stand. It is no hit: a comparison says whether it is one. */
export interface SpottedName {
  /** Place of its run among those of the question. */
  readonly run: number;
  /** Places of its first and its last word. */
  readonly from: number;
  readonly to: number;
  /** Its words; what is broken, run together or misspelt by one slip as the list has it. */
  readonly name: string;
  /** Words that differ from the list's by a slip. */
  readonly slips: number;
}

/** A number of a listed party, or a BIC of any of its branches, with the party's primary name. */
export interface SpottedNumber {
  readonly number: string;
  readonly name: string;
}

/** All that was spotted; of one run those that tell most, in the order of the text. */
export interface SpotAnswer {
  readonly names: readonly SpottedName[];
  readonly numbers: readonly SpottedNumber[];
}

/**
 * The engine of one process: loads indexes and screens against them. `close` ends its threads;
 * queries under way reject.
 */
export interface Engine extends IndexHolder, Screener<LoadedIndex> {
  /**
   * Looks entries up by what a person types, in a thread of its own, which starts with the first
   * one. It is no screening. Rejects with an EngineError `engine-queue-full`, `deadline-exceeded`
   * or `caller-gone`.
   */
  lookUp(of: readonly LoadedIndex[], ask: LookupAsk, by?: LookupCaller): Promise<LookupAnswer>;
  /**
   * Says where in texts listed names may stand, in a thread of its own, which starts with the first
   * text. Rejects as `lookUp` does.
   */
  spot(of: readonly LoadedIndex[], ask: SpotAsk, by?: LookupCaller): Promise<SpotAnswer>;
  close(): Promise<void>;
}
