/**
 * What the slice stores: a log of transactions with a dense number, the state of each transaction
 * id, and the messages as they came. What a transaction says stands in the log alone, sealed under
 * a key of its own, so that it can be erased while the log and its evidence stay.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
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

/** One row a tenant: who changes it first has the next numbers. */
export interface TransactionLogHead {
  readonly tenantId: TenantId;
  readonly log: 'transactions';
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

/** Heads of logs. */
export const transactionLogHeadTable = table<TransactionLogHead, 'tenantId' | 'log'>(
  'transaction_numbering',
  { key: ['tenantId', 'log'], chain: 'tenantId', personal: 'none' },
);
