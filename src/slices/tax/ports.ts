/** What the rules of tax reporting need: store, evidence, and sealed blobs. */
import type { CommitEvidence } from '#core/audit';
import type { BlobStore, DataKeys } from '#core/blobs';
import type { Tables } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { AnswerReader } from './answerReader.ts';
import type { TaxDeclaration } from './declarationTables.ts';
import type { FfiRows } from './ffiListing.ts';
import type { StoredNotification, TaxChannel } from './filingTables.ts';
import type { SignedClassifications } from './signedClassifications.ts';
import type { SignedForms } from './signedForms.ts';
import type { SignedHolders } from './signedHolders.ts';
import type { SignedTable } from './signedTable.ts';
import type { AccountBook, AccountImport, FfiList, ReportingFi } from './tables.ts';

/** What reads classifications and accounts. */
export interface TaxReadPorts {
  readonly tables: Pick<Tables, 'find' | 'findMany' | 'findUnique' | 'page'>;
  readonly blobs: Pick<BlobStore, 'get' | 'open' | 'put' | 'size'>;
  readonly dataKeys: Pick<DataKeys, 'drawSecret' | 'find' | 'make' | 'without'>;
  readonly signed: SignedClassifications;
  readonly signedForms: SignedForms;
  readonly signedHolders: Pick<SignedHolders, 'check' | 'erasedAmong' | 'requireForms'>;
  readonly signedFis: SignedTable<ReportingFi>;
  readonly signedBooks: SignedTable<AccountBook>;
  readonly signedImports: SignedTable<AccountImport>;
  readonly signedChannels: SignedTable<TaxChannel>;
  readonly ffiRows: FfiRows;
  readonly signedFfiLists: SignedTable<FfiList>;
  readonly signedDeclarations: SignedTable<TaxDeclaration>;
  readonly signedNotifications: SignedTable<StoredNotification>;
}

/** What writes them. */
export interface TaxPorts extends TaxReadPorts {
  readonly commit: CommitEvidence;
  readonly clock: Clock;
  readonly random: Random;
  /** Opens and reads what authorities answer. */
  readonly answers: AnswerReader;
  /** Where files without a name are kept while they are worked on. */
  readonly spoolDirectory: string;
}
