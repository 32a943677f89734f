/**
 * The canonical transaction: what every format is read into, and what is stored, screened and
 * judged. Its members are spelt as on the wire, so that a record is its own presentation.
 */

/** As seen from the account: money out, money in, or a payment between others. */
export const DIRECTIONS = ['debit', 'credit', 'transit'] as const;
/** One of DIRECTIONS. */
export type Direction = (typeof DIRECTIONS)[number];

/** How far a transaction has come. */
export const TRANSACTION_STATUSES = ['pending', 'settled', 'rejected', 'reversed'] as const;
/** By what means the money moved. */
export const CHANNELS = [
  'cash',
  'wire',
  'instant',
  'card',
  'cheque',
  'internal',
  'atm',
  'crypto',
  'other',
] as const;
/** Who pays the charges, in the codes of ISO 20022. */
export const CHARGE_BEARERS = ['DEBT', 'CRED', 'SHAR', 'SLEV'] as const;
/** Whether a party is a natural person. */
export const PARTY_TYPES = ['person', 'organisation'] as const;

/** An amount as a decimal string, with its ISO 4217 code. */
export interface Money {
  readonly amount: string;
  readonly currency: string;
}

/** Members of parties, in the order of the documents. */
export interface Party {
  readonly name?: string;
  readonly type?: (typeof PARTY_TYPES)[number];
  readonly account?: PartyAccount;
  readonly bic?: string;
  readonly lei?: string;
  readonly ids?: readonly PartyId[];
  readonly address?: PostalAddress;
  readonly country_of_residence?: string;
  readonly dob?: string;
  readonly birth_place?: string;
}

export interface PartyAccount {
  readonly iban?: string;
  readonly other?: string;
  readonly scheme?: string;
  readonly proxy?: string;
}

export interface PartyId {
  readonly scheme?: string;
  readonly id: string;
  readonly issuer?: string;
  readonly country?: string;
}

export interface PostalAddress {
  readonly lines?: readonly string[];
  readonly street?: string;
  readonly building?: string;
  readonly post_code?: string;
  readonly town?: string;
  readonly subdivision?: string;
  readonly country?: string;
}

/** A bank on the way of the payment. */
export interface Agent {
  readonly bic?: string;
  readonly name?: string;
  readonly clearing?: { readonly system?: string; readonly member?: string };
  readonly lei?: string;
  readonly account?: string;
  readonly country?: string;
}

/** Roles of parties in a transaction. */
export const PARTY_ROLES = [
  'debtor',
  'creditor',
  'ultimate_debtor',
  'ultimate_creditor',
  'initiating',
  'instructing',
] as const;
/** Roles that one agent has. */
export const AGENT_ROLES = [
  'debtor_agent',
  'creditor_agent',
  'instructing_agent',
  'instructed_agent',
] as const;
/** Roles that several agents have, in their order. */
export const AGENT_LISTS = ['intermediaries', 'previous', 'reimbursement'] as const;
/** Members of free text, in which listed names are sought. */
export const TEXT_ROLES = ['remittance', 'instructions', 'regulatory'] as const;
/** Agents of one list: the messages know no more. */
export const AGENTS_MAX = 3;

/** A transaction as it is stored. */
export interface Transaction
  extends Readonly<Partial<Record<(typeof PARTY_ROLES)[number], Party>>>,
    Readonly<Partial<Record<(typeof AGENT_ROLES)[number], Agent>>>,
    Readonly<Partial<Record<(typeof AGENT_LISTS)[number], readonly Agent[]>>> {
  readonly tx_id: string;
  /** RFC 3339, UTC, with milliseconds. */
  readonly occurred_at: string;
  /** `day`: only the date is known, and `occurred_at` is noon in the tenant's zone. */
  readonly precision: 'ms' | 'day';
  readonly amount: string;
  readonly currency: string;
  readonly direction: Direction;
  readonly account_id: string;
  readonly booked_at?: string;
  readonly value_date?: string;
  readonly status?: (typeof TRANSACTION_STATUSES)[number];
  readonly revision?: number;
  readonly reverses?: string;
  readonly customer_id?: string;
  readonly instructed?: Money;
  readonly exchange_rate?: string;
  readonly channel?: (typeof CHANNELS)[number];
  readonly product?: string;
  readonly purpose?: string;
  readonly category_purpose?: string;
  readonly remittance?: readonly string[];
  readonly instructions?: readonly string[];
  readonly regulatory?: readonly string[];
  readonly charges?: {
    readonly bearer?: (typeof CHARGE_BEARERS)[number];
    readonly items?: readonly Money[];
  };
  readonly end_to_end_id?: string;
  readonly instruction_id?: string;
  readonly uetr?: string;
  readonly references?: Readonly<Record<string, string>>;
  readonly device?: { readonly ip?: string; readonly country?: string };
  /** What the sender left out or wrote badly, as codes: nothing is refused for it. */
  readonly quality?: readonly string[];
}

/** Formats of the ingest. */
export const FORMATS = ['json_service', 'iso20022_pacs008', 'swift_mt103', 'csv_service'] as const;
/** One of FORMATS. */
export type Format = (typeof FORMATS)[number];

/** Why one transaction was not taken. */
export interface Refusal {
  /** Place of the transaction in its message, from 0. */
  readonly index: number;
  /** RFC 6901 into the transaction, message or row. */
  readonly pointer: string;
  readonly code: string;
  /** What was expected; never the value that came. */
  readonly detail: string;
  /** In the file, from 1, where the format has lines. */
  readonly line?: number;
}

/** What a message was read into. */
export interface ReadTransactions {
  readonly transactions: readonly {
    readonly index: number;
    /** In the file, from 1, of formats that have a line for each. */
    readonly line?: number;
    readonly transaction: Transaction;
  }[];
  readonly refusals: readonly Refusal[];
}

/** What a message does not say itself. */
export interface ReadingContext {
  /** IANA name: times without an offset, and dates without a time, are of it. */
  readonly zone: string;
  /** The first eight characters of the tenant's own BICs. */
  readonly ownBics: ReadonlySet<string>;
  /** The tenant's own IBANs or their beginnings, as of its customers. */
  readonly ownIbans: readonly string[];
}
