/**
 * What is stored of declarations: each with its messages and how far they are on their way, the
 * numbers of their references, and the orders to generate them. What they say lies in sealed blobs.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { ReportRegime } from './account.ts';
import type { DepositState } from './deposit.ts';
import type { ReportSchema } from './dialects.ts';
import type { RejectionCause } from './notificationCodes.ts';

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
  readonly filing?: MessageFiling;
}

/** How far a message is on its way to the authority. */
export interface MessageFiling {
  readonly submissionNo: number;
  readonly state: 'ordered' | 'packaged' | 'deposited' | 'accepted' | 'rejected';
  /** SenderFileId: the name under which it goes, and which answers tell. */
  readonly fileName?: string;
  /** The package, sealed once more under the key of the declaration. */
  readonly package?: {
    readonly bytes: number;
    readonly sha256: string;
    readonly blob: string;
  };
  /** Whether a person carries the package; absent where it was made before this was noted. */
  readonly isByHand?: boolean;
  /** The journal of its deposit (decision 0109). */
  readonly deposit?: DepositState;
  readonly receivedAt?: EpochMs;
  readonly transmissionId?: string;
  /** The notification that decided it, its code, and why it was rejected. */
  readonly answer?: string;
  readonly code?: string;
  readonly cause?: RejectionCause;
  readonly recordErrors?: number;
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
  /** The declaration whose records it corrects or voids. */
  readonly corrects?: string;
  /** Those alone: references of accounts, or identifiers of records. */
  readonly records?: readonly string[];
  /** The declaration that takes it back, and the state to return to where that fails. */
  readonly voidedBy?: string;
  /** It is submitted as soon as it is generated. */
  readonly autoSubmit?: boolean;
  /** How often it was submitted. */
  readonly submissions?: number;
  readonly outcome?: 'clean' | 'record_errors';
  readonly submittedAt?: EpochMs;
  /** When every message was with the authority: told once. */
  readonly filedAt?: EpochMs;
  readonly decidedAt?: EpochMs;
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
      ...messages.flatMap(({ blob, filing }) => [
        blob,
        ...(filing?.package === undefined ? [] : [filing.package.blob]),
      ]),
      ...(findingsBlob === undefined ? [] : [findingsBlob]),
    ],
    personal: {
      createdBy: { purpose: 'accountability: who made the declaration' },
      records: { purpose: 'reports under FATCA and CRS: which accounts it corrects' },
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
