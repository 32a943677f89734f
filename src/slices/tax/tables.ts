/**
 * What the slice stores: classifications of holders, one record each time that somebody was
 * classified; institutions that report; and their accounts by period. What is said of a holder lies
 * in sealed blobs: records have ids, states and digests.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { ReportRegime } from './account.ts';
import type { ReportSchema } from './dialects.ts';
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

/** States of a declaration. */
export const DECLARATION_STATUSES = [
  'draft',
  'generated',
  'submitted',
  'filed',
  'accepted',
  'rejected',
  'cancel_requested',
  'cancellation_confirmed',
] as const;
/** One of DECLARATION_STATUSES. */
export type DeclarationStatus = (typeof DECLARATION_STATUSES)[number];

/** One XML file of a declaration. */
export interface DeclarationMessage {
  readonly messageNo: number;
  readonly messageRefId: string;
  readonly records: number;
  /** SHA-256 and length of the XML, and its sealed blob. */
  readonly sha256: string;
  readonly bytes: number;
  readonly blob: string;
}

/** A change of state. */
export interface DeclarationStep {
  readonly at: EpochMs;
  readonly from?: DeclarationStatus;
  readonly to: DeclarationStatus;
  readonly by: string;
  readonly cause: string;
}

/** A report to a tax authority. */
export interface TaxDeclaration {
  readonly tenantId: TenantId;
  readonly declarationId: string;
  /** TCR-year-number: dense within tenant and year of the period. */
  readonly reference: string;
  readonly regime: ReportRegime;
  readonly type: string;
  readonly giin: string;
  readonly period: string;
  readonly filerCategory?: string;
  readonly nilReport: boolean;
  readonly status: DeclarationStatus;
  readonly schema: ReportSchema;
  readonly transmittingCountry: string;
  readonly receivingCountry: string;
  readonly isTest: boolean;
  readonly accountCount: number;
  readonly poolCount: number;
  /** Digest of the book that it was generated from. */
  readonly accountsDigest?: string;
  readonly messages: readonly DeclarationMessage[];
  readonly errorsCount: number;
  readonly warningsCount: number;
  /** What was found at its generation: a sealed blob. */
  readonly findingsBlob?: string;
  /** How often its generation was ordered. */
  readonly generations: number;
  /** Regime, institution, period and receiver, while it is the one new declaration of these. */
  readonly liveKey?: string;
  readonly cancelReason?: string;
  readonly timeline: readonly DeclarationStep[];
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly generatedAt?: EpochMs;
  readonly version: number;
}

/** Declarations by id, which follows the time. */
export const declarationTable = table<TaxDeclaration, 'tenantId' | 'declarationId'>(
  'tax_declaration',
  {
    key: ['tenantId', 'declarationId'],
    chain: 'tenantId',
    indexes: {
      byPeriod: ['tenantId', 'period'],
      byStatus: ['tenantId', 'status'],
    },
    unique: { live: ['tenantId', 'liveKey'], reference: ['tenantId', 'reference'] },
    blobs: ({ findingsBlob, messages }) => [
      ...messages.map(({ blob }) => blob),
      ...(findingsBlob === undefined ? [] : [findingsBlob]),
    ],
    personal: {
      createdBy: { purpose: 'accountability: who made the declaration' },
      timeline: { purpose: 'accountability: who changed its state' },
    },
  },
);

/** The last number of a tenant's declarations of a year. */
export interface DeclarationNumber {
  readonly tenantId: TenantId;
  readonly year: string;
  readonly last: number;
  readonly version: number;
}

/** Numbers by year. */
export const declarationNumberTable = table<DeclarationNumber, 'tenantId' | 'year'>(
  'tax_declaration_number',
  { key: ['tenantId', 'year'], chain: 'tenantId', personal: 'none' },
);

/** The order to generate a declaration, for workers. */
export interface DeclarationGeneration {
  readonly tenantId: TenantId;
  readonly declarationId: string;
  readonly generationNo: number;
  readonly status: 'queued' | 'ended';
  readonly requestedBy: string;
  readonly requestedAt: EpochMs;
  readonly version: number;
}

/** Orders by declaration. */
export const generationTable = table<
  DeclarationGeneration,
  'tenantId' | 'declarationId' | 'generationNo'
>('tax_generation', {
  key: ['tenantId', 'declarationId', 'generationNo'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'status', in: ['queued'] } },
  indexes: { open: ['isOpen', 'tenantId', 'requestedAt'] },
  leased: { lane: ['tenantId'], order: ['requestedAt'] },
  open: 'isOpen',
  personal: { requestedBy: { purpose: 'accountability: who ordered the report' } },
});
