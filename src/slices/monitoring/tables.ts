/**
 * What the slice stores: a log of transactions with a dense number, the state of each transaction
 * id, and the messages as they came. What a transaction says stands in the log alone, sealed under
 * a key of its own, so that it can be erased while the log and its evidence stay.
 */
import type { Actor } from '#core/audit';
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { CustomerFacts, PartyVerdict, TextFindings } from './ports.ts';
import type { Format } from './transaction.ts';

/** A body as it came, and what was taken of it. */
export interface TransactionMessage {
  readonly tenantId: TenantId;
  readonly ingestId: string;
  readonly format: Format;
  readonly bytes: number;
  /** Sealed blob of the body, under the data key of the ingest. */
  readonly blob: string;
  readonly accepted: number;
  readonly rejected: number;
  readonly duplicates: number;
  /** Id of the key or of the account that sent it. */
  readonly requestedBy: string;
  readonly receivedAt: EpochMs;
}

/** A transaction, or a later revision of one, in the order in which they were taken. */
export interface LoggedTransaction {
  readonly tenantId: TenantId;
  /** Dense within the tenant, from 1. */
  readonly tseq: number;
  readonly txId: string;
  readonly revision: number;
  /** Whether its id was new. */
  readonly isFirst: boolean;
  readonly format: Format;
  readonly ingestId: string;
  /** Place among those that were taken of the ingest: the leaf of its key. */
  readonly place: number;
  /** The segment that has its evidence: the numbers of its first and last transaction. */
  readonly segment: readonly [first: number, last: number];
  /** Keyed digest of what it says: the same content has the same. */
  readonly contentDigest: string;
  /** SHA-256(salt ‖ JCS(transaction)), hex: in the leaf of its evidence. */
  readonly commitment: string;
  /** The transaction under its own key, base64; erased with the key. */
  readonly sealed: string;
  /** What screening said of its parties; absent in rows of a release that screened nobody. */
  readonly parties?: readonly PartyVerdict[];
  /** Absent: it has no free text, or came by a release that read none. */
  readonly text?: TextFindings;
  readonly receivedAt: EpochMs;
}

/** What is known of a transaction id: where its latest revision is. */
export interface TransactionState {
  readonly tenantId: TenantId;
  readonly txId: string;
  readonly tseq: number;
  readonly revision: number;
  /** That of its latest revision in the log. */
  readonly contentDigest: string;
  readonly format: Format;
  /** The tseq that reversed it. */
  readonly reversedBy?: number;
  /** Ingests that brought the same payment in another format. */
  readonly alsoIn?: readonly { readonly format: Format; readonly ingestId: string }[];
  readonly version: number;
}

/** A transaction in which a party was found on a list, by the screening that says so. */
export interface TransactionMatch {
  readonly tenantId: TenantId;
  readonly screeningId: string;
  readonly tseq: number;
  readonly txId: string;
  /** In rows of a former release; the account stands in the log, from where it can be erased. */
  readonly accountId?: string;
}

/** What has numbers of its own: transactions, changes of customer facts, versions of rates. */
export type NumberedLog = 'transactions' | 'facts' | 'rates';

/** One row a log of a tenant: who changes it first has the next numbers. */
export interface TransactionLogHead {
  readonly tenantId: TenantId;
  readonly log: NumberedLog;
  /** The last number. */
  readonly tseq: number;
  readonly version: number;
}

/** Messages by tenant and ingest. */
export const transactionMessageTable = table<TransactionMessage, 'tenantId' | 'ingestId'>(
  'transaction_message',
  {
    key: ['tenantId', 'ingestId'],
    chain: 'tenantId',
    writes: 'appendOnly',
    blobs: ({ blob }) => [blob],
    personal: { requestedBy: { purpose: 'accountability: who sent the message' } },
  },
);

/** The log, by number. */
export const transactionLogTable = table<LoggedTransaction, 'tenantId' | 'tseq'>(
  'transaction_log',
  {
    key: ['tenantId', 'tseq'],
    chain: 'tenantId',
    writes: 'appendOnly',
    indexes: { byIngest: ['tenantId', 'ingestId', 'tseq'] },
    personal: {
      sealed: { purpose: 'transaction monitoring: parties, accounts and texts of a payment' },
    },
  },
);

/** States, by transaction id. */
export const transactionStateTable = table<TransactionState, 'tenantId' | 'txId'>(
  'transaction_state',
  { key: ['tenantId', 'txId'], chain: 'tenantId', personal: 'none' },
);

/** Transactions of a screening, in their order: what its alert is about. */
export const transactionMatchTable = table<TransactionMatch, 'tenantId' | 'screeningId' | 'tseq'>(
  'transaction_match',
  {
    key: ['tenantId', 'screeningId', 'tseq'],
    chain: 'tenantId',
    writes: 'appendOnly',
    personal: {
      accountId: { purpose: 'transaction monitoring: whose account; in rows of a former release' },
    },
  },
);

/** A fact of a customer, from a time on. */
export interface CustomerFact extends CustomerFacts {
  readonly tenantId: TenantId;
  /** Numbers of the first and the last that were recorded with it: they have one entry. */
  readonly block: readonly [first: number, last: number];
  readonly recordedAt: EpochMs;
  /** Base64, of the commitment. */
  readonly salt: string;
}

/** A version of a tenant's exchange rates; what it says is a blob. */
export interface ExchangeRates {
  readonly tenantId: TenantId;
  /** Dense, from 1. */
  readonly ratesVersion: number;
  readonly base: string;
  readonly blob: string;
  /** SHA-256 of the blob, hex: in its entry. */
  readonly digest: string;
  readonly count: number;
  /** The first and the last day; absent where there are no rates. */
  readonly from?: string;
  readonly to?: string;
  readonly requestedBy: string;
  readonly publishedAt: EpochMs;
}

/** States of a file of transactions. */
export const FILE_STATUSES = ['queued', 'running', 'completed', 'failed'] as const;

/** A file of transactions, and how far it is taken. */
export interface TransactionFile {
  readonly tenantId: TenantId;
  readonly ingestId: string;
  readonly status: (typeof FILE_STATUSES)[number];
  /** SHA-256 of its bytes as they were sent, hex. */
  readonly fileDigest: string;
  /** The same, by which it is known again; absent once it has failed. */
  readonly contentKey?: string;
  readonly bytes: number;
  /** Sealed blob of it, under the data key of the ingest. */
  readonly blob: string;
  readonly sandbox: boolean;
  /** As entries name who sent it. */
  readonly actor: Actor;
  readonly requestedBy: string;
  readonly receivedAt: EpochMs;
  /** Rows that were read, and became one of the following. */
  readonly rows: number;
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: number;
  /** Parts of the list of what was refused. */
  readonly parts: number;
  readonly tseqFrom?: number;
  readonly tseqTo?: number;
  /** What was refused, as a file; once all rows were read. */
  readonly rejectedFile?: { readonly address: string; readonly bytes: number };
  /** Code of what ended it before its end. */
  readonly failure?: string;
  readonly endedAt?: EpochMs;
  readonly version: number;
}

/** Lines about what was refused of a file, in their order. */
export interface TransactionFilePart {
  readonly tenantId: TenantId;
  readonly ingestId: string;
  readonly partNo: number;
  readonly blob: string;
}

/** Files of a tenant, taken in the order in which they came. */
export const transactionFileTable = table<TransactionFile, 'tenantId' | 'ingestId'>(
  'transaction_file',
  {
    key: ['tenantId', 'ingestId'],
    chain: 'tenantId',
    derived: {
      isOpen: { field: 'status', in: ['queued', 'running'] },
    },
    indexes: { open: ['isOpen', 'tenantId', 'receivedAt'] },
    unique: { content: ['tenantId', 'contentKey'] },
    leased: { lane: ['tenantId'], order: ['receivedAt'] },
    open: 'isOpen',
    blobs: ({ blob, rejectedFile }) => [blob, ...(rejectedFile ? [rejectedFile.address] : [])],
    personal: {
      actor: { purpose: 'accountability: who sent the file' },
      requestedBy: { purpose: 'accountability: who sent the file' },
    },
  },
);

/** Lists of what was refused. */
export const transactionFilePartTable = table<
  TransactionFilePart,
  'tenantId' | 'ingestId' | 'partNo'
>('transaction_file_part', {
  key: ['tenantId', 'ingestId', 'partNo'],
  chain: 'tenantId',
  writes: 'appendOnly',
  blobs: ({ blob }) => [blob],
  personal: 'none',
});

/** Facts, by number. */
export const customerFactTable = table<CustomerFact, 'tenantId' | 'factsSeq'>('customer_fact', {
  key: ['tenantId', 'factsSeq'],
  chain: 'tenantId',
  writes: 'appendOnly',
  indexes: { byCustomer: ['tenantId', 'customerId', 'validFrom'] },
  personal: {
    customerId: { purpose: 'transaction monitoring: whose facts they are' },
    expectedTurnover: { purpose: 'transaction monitoring: turnover that the customer declared' },
    openedAt: { purpose: 'transaction monitoring: since when the account is open' },
    residence: { purpose: 'transaction monitoring: where the customer lives' },
    riskTier: { purpose: 'transaction monitoring: tier of risk of the customer' },
  },
});

/** Versions of rates. */
export const exchangeRatesTable = table<ExchangeRates, 'tenantId' | 'ratesVersion'>(
  'exchange_rates',
  {
    key: ['tenantId', 'ratesVersion'],
    chain: 'tenantId',
    writes: 'appendOnly',
    blobs: ({ blob }) => [blob],
    personal: { requestedBy: { purpose: 'accountability: who sent the rates' } },
  },
);

/** Heads of logs. */
export const transactionLogHeadTable = table<TransactionLogHead, 'tenantId' | 'log'>(
  'transaction_numbering',
  { key: ['tenantId', 'log'], chain: 'tenantId', personal: 'none' },
);
