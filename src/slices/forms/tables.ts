/** What the slice stores: forms, versions of each, and what customers have filled in. */
import type { JsonSchema } from '#core/conditions';
import type { PublicationSignature } from '#core/identity';
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { FormLanguage, FormSchema, Translated } from './definition.ts';
import type { ChangeSize } from './formDiff.ts';

/** A form of a tenant. */
export interface FormRecord {
  readonly tenantId: TenantId;
  readonly formId: string;
  /** Never changes. */
  readonly code: string;
  readonly name: Translated;
  /** Those of the active version; of the first draft until there is one. */
  readonly languages: readonly FormLanguage[];
  readonly activeVersionId?: string;
  /** The label of the active version. */
  readonly activeVersion?: string;
  /** Versions that were made, those that were discarded among them. */
  readonly versions: number;
  readonly createdAt: EpochMs;
  readonly createdBy: string;
  readonly updatedAt: EpochMs;
  readonly version: number;
}

/** Forms by tenant and id. */
export const formTable = table<FormRecord, 'tenantId' | 'formId'>('form', {
  key: ['tenantId', 'formId'],
  chain: 'tenantId',
  owner: 'tenantId',
  personal: { createdBy: { purpose: 'accountability: who made the form' } },
  unique: { byCode: ['tenantId', 'code'] },
});

/** States of a version (interface.md 2.8). */
export const VERSION_STATUSES = ['Draft', 'active', 'Archived'] as const;
/** One of VERSION_STATUSES. */
export type VersionStatus = (typeof VERSION_STATUSES)[number];

/** One version of a form. */
export interface FormVersion {
  readonly tenantId: TenantId;
  readonly versionId: string;
  readonly formId: string;
  /** `<major>.<minor>.<patch>`, by what changed. */
  readonly label: string;
  readonly status: VersionStatus;
  readonly languages: readonly FormLanguage[];
  readonly schema: FormSchema;
  /** JSON Schema of what the form takes, derived from `schema`. */
  readonly data: JsonSchema;
  /** SHA-256 hex of code, languages and schema. */
  readonly hash: string;
  readonly addedFields: readonly string[];
  readonly removedFields: readonly string[];
  readonly changedFields: readonly string[];
  /** The least size of change that its author wants it to count as. */
  readonly sizeAtLeast: ChangeSize;
  /** The active version when it was drafted or saved last. */
  readonly basedOn?: string;
  /** Its label. */
  readonly basedOnLabel?: string;
  /** As entries name actors. */
  readonly author: string;
  readonly createdAt: EpochMs;
  readonly updatedBy: string;
  readonly updatedAt: EpochMs;
  readonly signatures: readonly PublicationSignature[];
  /** Until when a lone signature counts. */
  readonly signedUntil?: EpochMs;
  readonly publishedAt?: EpochMs;
  readonly archivedAt?: EpochMs;
  readonly version: number;
}

/** Versions by tenant and id. A form has one draft and one active version at the most. */
export const formVersionTable = table<FormVersion, 'tenantId' | 'versionId'>('form_version', {
  key: ['tenantId', 'versionId'],
  chain: 'tenantId',
  owner: 'tenantId',
  derived: {
    isActive: { field: 'status', in: ['active'] },
    isDraft: { field: 'status', in: ['Draft'] },
  },
  indexes: { byForm: ['tenantId', 'formId', 'createdAt'] },
  personal: {
    author: { purpose: 'accountability: who drafted the version' },
    signatures: { purpose: 'dual control: who signed the version' },
    updatedBy: { purpose: 'accountability: who changed the draft last' },
  },
  unique: {
    active: ['tenantId', 'formId', 'isActive'],
    draft: ['tenantId', 'formId', 'isDraft'],
  },
});

/** Where a form was filled in. */
export const SUBMISSION_CHANNELS = ['web', 'mobile', 'branch', 'api'] as const;
/** One of SUBMISSION_CHANNELS. */
export type SubmissionChannel = (typeof SUBMISSION_CHANNELS)[number];

/** What a customer has filled in: a draft, until it is complete. */
export interface FormSubmission {
  readonly tenantId: TenantId;
  readonly submissionId: string;
  readonly formId: string;
  readonly versionId: string;
  /** Its label. */
  readonly formVersion: string;
  /** The definition's. */
  readonly hash: string;
  readonly caseId: string;
  readonly subjectId: string;
  /** The onboarding session that it came through. */
  readonly sessionId?: string;
  readonly locale: string;
  readonly complete: boolean;
  /** The values, under the data key of the subject. */
  readonly sealed: string;
  readonly ignoredFields: readonly string[];
  readonly channel: SubmissionChannel;
  readonly receivedAt: EpochMs;
  readonly receivedBy: string;
  readonly version: number;
}

/** Submissions by tenant and id. A case has one draft of a form at the most. */
export const submissionTable = table<FormSubmission, 'tenantId' | 'submissionId'>(
  'form_submission',
  {
    key: ['tenantId', 'submissionId'],
    chain: 'tenantId',
    owner: 'tenantId',
    derived: {
      isComplete: { field: 'complete', in: [true] },
      isDraft: { field: 'complete', in: [false] },
    },
    indexes: {
      byCase: ['tenantId', 'caseId', 'receivedAt'],
      byForm: ['tenantId', 'formId', 'isComplete', 'receivedAt'],
    },
    personal: {
      receivedBy: { purpose: 'accountability: who sent it' },
      sealed: { purpose: 'identity verification: what the customer typed, under their data key' },
    },
    unique: {
      bySession: ['tenantId', 'sessionId', 'isComplete'],
      draft: ['tenantId', 'caseId', 'formId', 'isDraft'],
    },
  },
);
