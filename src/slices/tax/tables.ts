/**
 * What the slice stores: classifications of holders, one record each time that somebody was
 * classified; institutions that report; and their accounts by period. What is said of a holder lies
 * in sealed blobs: records have ids, states and digests.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { ReportingFiContent } from './reportingFiContent.ts';

/** States of a classification. */
export const CLASSIFICATION_STATUSES = [
  'final',
  'pending_documents',
  'pending_cure',
  'superseded',
] as const;
/** One of CLASSIFICATION_STATUSES. */
export type ClassificationStatus = (typeof CLASSIFICATION_STATUSES)[number];

/** A holder as he was classified at one time. */
export interface TaxClassification {
  readonly tenantId: TenantId;
  /** UUID version 7 of `createdAt`: the order of ids is that of time. */
  readonly classificationId: string;
  /** The tenant's own reference of the holder. */
  readonly subjectRef: string;
  readonly kind: 'entity' | 'individual';
  readonly status: ClassificationStatus;
  /** The tables by which it was made. */
  readonly tableVersion: string;
  /** Inputs and result: a sealed blob, its salted digest, and the digest of the result alone. */
  readonly blob: string;
  readonly contentHash: string;
  readonly resultDigest: string;
  /** When what is awaited is over, as an instant; set while something is. */
  readonly dueAt?: EpochMs;
  /** The one that it took the place of. */
  readonly supersedes?: string;
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly version: number;
}

/** Classifications by tenant and id; of a holder one is in force. */
export const taxClassificationTable = table<TaxClassification, 'tenantId' | 'classificationId'>(
  'tax_classification',
  {
    key: ['tenantId', 'classificationId'],
    chain: 'tenantId',
    derived: {
      isAwaiting: { field: 'status', in: ['pending_documents', 'pending_cure'] },
      isInForce: { field: 'status', in: ['final', 'pending_documents', 'pending_cure'] },
    },
    indexes: {
      bySubject: ['tenantId', 'subjectRef'],
      held: ['tenantId', 'subjectRef', 'isInForce'],
      byStatus: ['tenantId', 'status'],
      due: ['isAwaiting', 'dueAt'],
    },
    unique: { inForce: ['tenantId', 'subjectRef', 'isInForce'] },
    blobs: ({ blob }) => [blob],
    personal: {
      createdBy: { purpose: 'accountability: who classified the holder' },
      subjectRef: { purpose: 'due diligence for FATCA and CRS: whose classification it is' },
    },
  },
);

/** An institution that files, or for which somebody does. */
export interface ReportingFi {
  readonly tenantId: TenantId;
  readonly giin: string;
  readonly content: ReportingFiContent;
  readonly updatedBy: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly version: number;
}

/** Institutions by their GIIN. */
export const reportingFiTable = table<ReportingFi, 'tenantId' | 'giin'>('tax_reporting_fi', {
  key: ['tenantId', 'giin'],
  chain: 'tenantId',
  personal: { updatedBy: { purpose: 'accountability: who stated the institution' } },
});

/** The FFI list of the IRS that a tenant's reports are compared with. */
export interface FfiList {
  readonly tenantId: TenantId;
  readonly publisher: 'IRS';
  /** The day on which it was published. */
  readonly listedOn: string;
  /** Its numbers, sorted. */
  readonly blob: string;
  readonly entries: number;
  /** SHA-256 hex of the file. */
  readonly fileDigest: string;
  readonly importedBy: string;
  readonly importedAt: EpochMs;
  readonly version: number;
}

/** One for a tenant. */
export const ffiListTable = table<FfiList, 'publisher' | 'tenantId'>('tax_ffi_list', {
  key: ['tenantId', 'publisher'],
  chain: 'tenantId',
  blobs: ({ blob }) => [blob],
  personal: { importedBy: { purpose: 'accountability: who brought the list in' } },
});

/** Accounts as they stand, or as an import gathers them to take their place. */
export interface AccountShelf {
  readonly epoch: number;
  readonly segments: number;
  readonly accounts: number;
  /** Sum of the accounts that hold, by reference and place (accountBooks.ts). */
  readonly sum: string;
  /** Digest over the digests of all segments in order. */
  readonly segmentChain: string;
}

/** The accounts of an institution and a period. */
export interface AccountBook {
  readonly tenantId: TenantId;
  readonly giin: string;
  /** A year. */
  readonly period: string;
  readonly shelf: AccountShelf;
  /** What a running import gathers that will replace all. */
  readonly staged?: AccountShelf;
  /** Epochs that were begun: none is used twice. */
  readonly epochs: number;
  /** An import that has not ended. */
  readonly importId?: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly version: number;
}

/** Books by institution and period. */
export const accountBookTable = table<AccountBook, 'tenantId' | 'giin' | 'period'>(
  'tax_account_book',
  { key: ['tenantId', 'giin', 'period'], chain: 'tenantId', personal: 'none' },
);

/** Some hundreds of accounts that came together: a sealed blob. */
export interface AccountSegment {
  readonly tenantId: TenantId;
  /** Institution, period and epoch. */
  readonly shelf: string;
  readonly segmentNo: number;
  readonly accounts: number;
  readonly blob: string;
  readonly contentHash: string;
  readonly createdAt: EpochMs;
}

/** Segments in the order in which they came. */
export const accountSegmentTable = table<AccountSegment, 'tenantId' | 'shelf' | 'segmentNo'>(
  'tax_account_segment',
  {
    key: ['tenantId', 'shelf', 'segmentNo'],
    chain: 'tenantId',
    writes: 'appendOnly',
    blobs: ({ blob }) => [blob],
    personal: 'none',
  },
);

/** Where the account of a reference stands that holds. */
export interface AccountPlace {
  readonly tenantId: TenantId;
  readonly shelf: string;
  /** The tenant's own reference of the account. */
  readonly accountRef: string;
  readonly segmentNo: number;
  readonly position: number;
  readonly version: number;
}

/** Places by reference. */
export const accountPlaceTable = table<AccountPlace, 'tenantId' | 'shelf' | 'accountRef'>(
  'tax_account_place',
  {
    key: ['tenantId', 'shelf', 'accountRef'],
    chain: 'tenantId',
    personal: { accountRef: { purpose: 'reports under FATCA and CRS: which account it is' } },
  },
);

/** States of an import. */
export const IMPORT_STATUSES = ['queued', 'running', 'completed', 'failed'] as const;
/** How an import meets the accounts that are there. */
export const IMPORT_MODES = ['replace', 'upsert'] as const;
/** What a file of accounts is. */
export const IMPORT_FORMATS = ['jsonl', 'csv'] as const;

/** A file of accounts, taken by workers. */
export interface AccountImport {
  readonly tenantId: TenantId;
  readonly importId: string;
  readonly giin: string;
  readonly period: string;
  readonly mode: (typeof IMPORT_MODES)[number];
  readonly format: (typeof IMPORT_FORMATS)[number];
  readonly status: (typeof IMPORT_STATUSES)[number];
  /** The file, sealed; its digest and length as it was sent. */
  readonly blob: string;
  readonly fileDigest: string;
  readonly bytes: number;
  /** Rows that were read, and what became of them. */
  readonly rows: number;
  readonly accepted: number;
  readonly rejected: number;
  /** Lists of what was rejected, until the file of them is put together. */
  readonly parts: number;
  readonly rejectedFile?: { readonly address: string; readonly bytes: number };
  readonly failure?: string;
  readonly requestedBy: string;
  readonly receivedAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly version: number;
}

/** Imports by id. */
export const accountImportTable = table<AccountImport, 'tenantId' | 'importId'>(
  'tax_account_import',
  {
    key: ['tenantId', 'importId'],
    chain: 'tenantId',
    derived: { isOpen: { field: 'status', in: ['queued', 'running'] } },
    indexes: { open: ['isOpen', 'tenantId', 'receivedAt'] },
    leased: { lane: ['tenantId'], order: ['receivedAt'] },
    open: 'isOpen',
    blobs: ({ blob, rejectedFile }) => [blob, ...(rejectedFile ? [rejectedFile.address] : [])],
    personal: { requestedBy: { purpose: 'accountability: who sent the file' } },
  },
);

/** A list of rows that an import did not take. */
export interface AccountImportPart {
  readonly tenantId: TenantId;
  readonly importId: string;
  readonly partNo: number;
  readonly blob: string;
}

/** Lists of what was rejected, in order. */
export const accountImportPartTable = table<AccountImportPart, 'tenantId' | 'importId' | 'partNo'>(
  'tax_account_import_part',
  {
    key: ['tenantId', 'importId', 'partNo'],
    chain: 'tenantId',
    writes: 'appendOnly',
    blobs: ({ blob }) => [blob],
    personal: 'none',
  },
);
