/**
 * What rules to the right of this slice read and answer: the log as an ordered stream with the
 * verdicts on its parties and what each segment pins, the facts of customers, the exchange rates,
 * and the question that brings new numbers of the log to them.
 */
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Decision } from '#slices/screening';
import type {
  AGENT_LISTS,
  AGENT_ROLES,
  Format,
  PARTY_ROLES,
  TEXT_ROLES,
  Transaction,
} from './transaction.ts';

/** In what a party, an agent or somebody else is named: a member of the transaction. */
export type PartyRole =
  | (typeof PARTY_ROLES)[number]
  | (typeof AGENT_ROLES)[number]
  | (typeof AGENT_LISTS)[number]
  | (typeof TEXT_ROLES)[number];

/** What screening said of one party or agent of a transaction. Part of the leaf of its evidence. */
export interface PartyVerdict {
  readonly role: PartyRole;
  /** Place in its list, of roles that several have; of free text among the names found in it. */
  readonly place?: number;
  /** Which reading of its lines was compared; absent where there is one alone. */
  readonly reading?: number;
  /** `UNSCREENED`: there is no name to compare. */
  readonly decision: Decision | 'UNSCREENED';
  /** Number of the transaction at which this party was compared: its own, or one before it. */
  readonly since?: number;
  /** SHA-256 of its candidates; where `since` is the transaction's own number. */
  readonly candidates?: string;
  /** Where there are hits or excluded ones: the screening whose event has all candidates. */
  readonly screeningId?: string;
}

/** What was read in the free text of a transaction. Part of the leaf of its evidence. */
export interface TextFindings {
  /** Package, version and table that read it. */
  readonly reader: string;
  /** Ids of terms, ascending: `place:crimea`. */
  readonly terms: readonly string[];
}

/** What a segment was taken with; in its signed entry. All that replays need beside the log. */
export interface SegmentPins {
  readonly listVersion: string;
  readonly policyVersion: number;
  /** Version of the tenant's exchange rates; 0: it had none. */
  readonly ratesVersion: number;
  /** The last change of customer facts that was known; 0: there was none. */
  readonly factsSeq: number;
}

/** A transaction as the reader of the log gives it: verified, in the order of `tseq`, no gap. */
export interface StreamedTransaction {
  readonly tenantId: TenantId;
  readonly tseq: number;
  readonly txId: string;
  readonly revision: number;
  /** Whether its id was new; else it is a later revision of a known one. */
  readonly isFirst: boolean;
  readonly format: Format;
  /**
   * The body of which it came, and the version of its key: another one once anything of the body
   * was erased, 0 where there is none. Absent where it is of no log.
   */
  readonly ingest?: { readonly ingestId: string; readonly keyVersion: number };
  readonly receivedAt: EpochMs;
  /** Absent: taken by a release that screened nobody. */
  readonly pins?: SegmentPins;
  readonly parties: readonly PartyVerdict[];
  /** Absent: it has no free text, or nobody read it. */
  readonly text?: TextFindings;
  /** Absent once it was erased. */
  readonly transaction?: Transaction;
}

/** Levels of a customer's risk, the lowest first. */
export const RISK_TIERS = ['low', 'standard', 'high', 'very_high'] as const;
/** One of RISK_TIERS. */
export type RiskTier = (typeof RISK_TIERS)[number];

/** What is known of a customer from a time on, until the next fact of a later time. */
export interface CustomerFacts {
  readonly customerId: string;
  /** Number of the change in the tenant's facts: dense, from 1. */
  readonly factsSeq: number;
  readonly validFrom: EpochMs;
  readonly riskTier?: RiskTier;
  /** A month's, as the customer declared it. */
  readonly expectedTurnover?: { readonly amount: string; readonly currency: string };
  /** Date, YYYY-MM-DD. */
  readonly openedAt?: string;
  /** ISO 3166 alpha-2. */
  readonly residence?: string;
}

/** Rates of one version: how much of the base currency one unit of another is worth. */
export interface RatesTable {
  readonly version: number;
  readonly base: string;
  /** By currency, ordered by date: [YYYY-MM-DD, decimal string]. */
  readonly rates: ReadonlyMap<string, readonly (readonly [date: string, rate: string])[]>;
}

/** Reads the log for rules. */
export interface LogStream {
  /**
   * From `from` on, in whole segments that were compared with the chain, up to the end of the log.
   * Throws `evidence-altered` where a segment is not what was signed.
   */
  read(ask: {
    readonly tenantId: TenantId;
    readonly from: number;
  }): AsyncGenerator<readonly StreamedTransaction[]>;
  /** The last number; 0: there is none. */
  head(tenantId: TenantId): Promise<number>;
}

/** Facts of customers, as they were when a segment was taken. */
export interface FactsReader {
  /** All up to this change, by customer, each ordered by (validFrom, factsSeq). */
  of(ask: {
    readonly tenantId: TenantId;
    readonly customerIds: readonly string[];
    readonly factsSeq: number;
  }): Promise<ReadonlyMap<string, readonly CustomerFacts[]>>;
}

/** Exchange rates by version. */
export interface RatesReader {
  /** Undefined for version 0. */
  of(ask: {
    readonly tenantId: TenantId;
    readonly version: number;
  }): Promise<RatesTable | undefined>;
}

/** What the caller is advised to do; the most severe counts. */
export const ADVICE = ['pass', 'review', 'block'] as const;
/** One of ADVICE. */
export type Advice = (typeof ADVICE)[number];

/** What rules say of one transaction. */
export interface EvaluatedTransaction {
  readonly tseq: number;
  readonly decision: Advice;
  /** Ids of the alerts that it raised or belongs to. */
  readonly alerts: readonly string[];
}

/**
 * Numbers that are durable now, and somebody waits for what rules say of them. Undefined where that
 * is not known in time: the caller is told so, and evaluation goes on by itself. Who does not wait
 * says nothing: `aml.transactions.recorded` tells of every segment.
 */
export type EvaluateTransactions = (ask: {
  readonly tenantId: TenantId;
  readonly tseqFrom: number;
  readonly tseqTo: number;
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}) => Promise<readonly EvaluatedTransaction[] | undefined>;
