/** What the rules of reports need: store, evidence, sealed blobs, persons, and what others know. */
import type { AuditStore, CommitEvidence, KeyRing, SettlingAudit } from '#core/audit';
import type { BlobStore, DataKeys } from '#core/blobs';
import type { Person } from '#core/identity';
import type { Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { RomaniseWords } from './asks.ts';
import type { StrSettings } from './settings.ts';
import type { SignedReports } from './signedReports.ts';

/** What reads reports. */
export interface StrReadPorts {
  readonly tables: Pick<Tables, 'find' | 'findMany' | 'page'>;
  readonly audit: Pick<AuditStore, 'findBySeq' | 'readEvents' | 'searchEvents'> & SettlingAudit;
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly dataKeys: Pick<DataKeys, 'find' | 'make' | 'without'>;
  readonly keyRing: KeyRing;
  readonly signed: SignedReports;
}

/** What writes reports. */
export interface StrWritePorts extends StrReadPorts {
  readonly commit: CommitEvidence;
  readonly clock: Clock;
  readonly random: Random;
}

/** What people work on reports with. */
export interface StrDeskPorts extends StrWritePorts {
  /** Read anew each time: what a person may do is decided by it. */
  readonly listPersons: (tenantId: TenantId) => Promise<readonly Person[]>;
  readonly romanise: RomaniseWords;
  readonly settingsOf: (tenantId: TenantId) => Promise<StrSettings>;
  readonly isSandbox: (tenantId: TenantId) => Promise<boolean>;
  /** What an alert says for a draft; rejects with `alert-unknown`. */
  readonly alertDraft: (ask: {
    readonly tenantId: TenantId;
    readonly alertId: string;
  }) => Promise<AlertDraft>;
  /** Transactions of the tenant's log; rejects with `transaction-unknown`. */
  readonly loggedTransactions: (ask: {
    readonly tenantId: TenantId;
    readonly txIds: readonly string[];
  }) => Promise<readonly LoggedParts[]>;
}

/** Whom an alert is about, and which transactions have raised it. */
export interface AlertDraft {
  /** In the order of the evidence; empty where they were erased. */
  readonly names: readonly string[];
  readonly externalId?: string;
  /** Digest of the customer's reference, where a screening was given one. */
  readonly subjectKey?: string;
  readonly txIds: readonly string[];
}

/** A transaction of the log; without its content where that was erased. */
export interface LoggedParts {
  readonly txId: string;
  readonly transaction?: import('#slices/monitoring').Transaction;
}
