/**
 * What the slice stores: subjects with their data keys, their cases, documents, workflows, and the
 * work that cases wait for. What a person is, and what people wrote of them, is sealed under the
 * subject's key: destroying that key erases it, also from backups.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type {
  CaseStatus,
  CheckStatus,
  CheckType,
  ConsentMethod,
  ConsentPurpose,
  DecisionWord,
  DocumentKind,
  RecognitionStatus,
  RiskTier,
  ScanStatus,
  SubjectType,
} from './words.ts';
import type { WorkflowContent } from './workflowContent.ts';

/** A correction of who a subject is, which waits for a second person. */
export interface SubjectChange {
  readonly changeId: string;
  /** The member that is to become another one. */
  readonly member: string;
  readonly askedAt: EpochMs;
  readonly askedBy: string;
  /** The value, and why, under the subject's key. */
  readonly sealed: string;
  readonly evidenceDocumentId?: string;
}

/** A subject: stable over the cases of one reference of the tenant. */
export interface SubjectRecord {
  readonly tenantId: TenantId;
  readonly subjectId: string;
  /** The tenant's own reference. */
  readonly externalRef: string;
  /** Corrections that wait; absent where none does. */
  readonly changes?: readonly SubjectChange[];
  readonly createdAt: EpochMs;
  /** When its data key was destroyed. */
  readonly erasedAt?: EpochMs;
  readonly version: number;
}

/** Subjects by tenant and id. */
export const subjectTable = table<SubjectRecord, 'tenantId' | 'subjectId'>('kyc_subject', {
  key: ['tenantId', 'subjectId'],
  chain: 'tenantId',
  unique: { byRef: ['tenantId', 'externalRef'] },
  personal: {
    changes: {
      purpose: 'rectification: who asked for which correction; the value is under their data key',
    },
    externalRef: { purpose: 'identity verification: the tenant’s own reference of the customer' },
  },
});

/** A consent, or its withdrawal. */
export interface Consent {
  readonly consentId: string;
  readonly purpose: ConsentPurpose;
  readonly given: boolean;
  readonly textVersion: string;
  readonly textSha256?: string;
  readonly method: ConsentMethod;
  readonly locale: string;
  readonly givenAt: EpochMs;
  readonly recordedAt: EpochMs;
  readonly recordedBy: string;
  readonly expiresAt?: EpochMs;
}

/** A document as its case names it. */
export interface DocumentRef {
  readonly documentId: string;
  readonly kind: DocumentKind;
  readonly sha256: string;
  readonly uploadedAt: EpochMs;
  /** The newer one of its kind. */
  readonly supersededBy?: string;
}

/** What a check has found. */
export interface Check {
  readonly checkId: string;
  readonly type: CheckType;
  readonly status: CheckStatus;
  readonly reasonCodes: readonly string[];
  /** Ids and figures, nothing of a person. */
  readonly evidence: Readonly<Record<string, boolean | number | string | null>>;
  readonly at: EpochMs;
}

/** What a case still waits for. */
export interface Missing {
  readonly kind: 'consent' | 'document' | 'field';
  /** Alternatives of documents are joined by `|`. */
  readonly name: string;
}

/** A decision, final or not. Its reason in words is sealed. */
export interface Decision {
  readonly decisionId: string;
  readonly decision: DecisionWord;
  readonly mode: 'automatic' | 'manual';
  readonly reasonCode: string;
  readonly decidedBy: string;
  readonly decidedAt: EpochMs;
  /** In four eyes, the other person. */
  readonly confirmedBy?: string;
  readonly emailTemplate?: string;
  readonly documents?: readonly DocumentKind[];
}

/** What takes a case from the machine for good: the customer was listed, or is another now. */
export type ForPeople = 'identity_changed' | 'listed';

/** A case of identity verification. */
export interface CaseRecord {
  readonly tenantId: TenantId;
  /** UUID version 7: the order of ids is that of time. */
  readonly caseId: string;
  readonly externalRef: string;
  readonly subjectId: string;
  readonly subjectType: SubjectType;
  readonly workflowCode: string;
  readonly workflowVersion: number;
  /** `fr-TN` */
  readonly locale: string;
  readonly status: CaseStatus;
  /** The decision that is in force, also while the case is looked at again. */
  readonly standing?: 'approved' | 'rejected';
  readonly proposedDecision?: 'approve' | 'reject';
  readonly statusReason?: string;
  /** Why people alone decide it, whatever its state and checks come to since; never taken away. */
  readonly forPeople?: ForPeople;
  readonly riskTier?: RiskTier;
  readonly assignee?: string;
  readonly missing: readonly Missing[];
  /** A later case of the same reference that was decided. */
  readonly supersededBy?: string;
  /** What the person is, and what people wrote (`CaseContent`), under the subject's key. */
  readonly sealed: string;
  readonly consents: readonly Consent[];
  readonly documents: readonly DocumentRef[];
  readonly checks: readonly Check[];
  /** Provider's ids of all verdicts of biometrics that it has had: none is taken again. */
  readonly verificationIds?: readonly string[];
  readonly screening?: {
    readonly screeningId: string;
    readonly decision: string;
    readonly listVersion: string;
  };
  readonly risk?: {
    readonly evaluationId: string;
    readonly level: string;
    readonly score: number;
    readonly policyVersion: number;
  };
  readonly form?: {
    readonly formId: string;
    readonly version: string;
    readonly submissionId: string;
  };
  /** The onboarding session that it came through. */
  readonly sessionId?: string;
  /** The last one that was final. */
  readonly decision?: Decision;
  /** Waits for a second person. */
  readonly pending?: Decision;
  /** How often documents were asked for. */
  readonly rounds: number;
  readonly createdAt: EpochMs;
  readonly createdBy: string;
  readonly updatedAt: EpochMs;
  readonly submittedAt?: EpochMs;
  readonly decidedAt?: EpochMs;
  /** While it waits for the customer. */
  readonly expiresAt?: EpochMs;
  /** Until when what the customer gave is kept; an expired case has it. */
  readonly inputsUntil?: EpochMs;
  readonly nextReviewAt?: EpochMs;
  readonly retentionUntil?: EpochMs;
  readonly erasedAt?: EpochMs;
  readonly version: number;
}

/** Cases by tenant and id; one reference has at most one that is not decided. */
export const caseTable = table<CaseRecord, 'tenantId' | 'caseId'>('kyc_case', {
  key: ['tenantId', 'caseId'],
  chain: 'tenantId',
  derived: {
    isApproved: { field: 'status', in: ['approved'] },
    isExpired: { field: 'status', in: ['expired'] },
    isUndecided: {
      field: 'status',
      in: ['open', 'processing', 'manual_review', 'awaiting_customer'],
    },
    isWaiting: { field: 'status', in: ['open', 'awaiting_customer'] },
    isWorkedOn: { field: 'status', in: ['processing'] },
  },
  indexes: {
    byAssignee: ['tenantId', 'assignee'],
    byRef: ['tenantId', 'externalRef'],
    byStatus: ['tenantId', 'status'],
    bySubject: ['tenantId', 'subjectId'],
    byTier: ['tenantId', 'riskTier'],
    byWorkflow: ['tenantId', 'workflowCode'],
    expiring: ['isWaiting', 'expiresAt'],
    inputs: ['isExpired', 'inputsUntil'],
    reviews: ['isApproved', 'nextReviewAt'],
    working: ['isWorkedOn', 'updatedAt'],
  },
  unique: { undecided: ['isUndecided', 'tenantId', 'externalRef'] },
  personal: {
    assignee: { purpose: 'accountability: who works on the case' },
    consents: { purpose: 'identity verification: what the customer has agreed to, and when' },
    createdBy: { purpose: 'accountability: who opened the case' },
    decision: { purpose: 'accountability: who decided, and who confirmed' },
    externalRef: { purpose: 'identity verification: the tenant’s own reference of the customer' },
    pending: { purpose: 'four eyes: who decided and may not confirm' },
    sealed: { purpose: 'identity verification: who the customer is, under their data key' },
  },
});

/** A document of a case. Its bytes, and what was read in it, are sealed blobs. */
export interface DocumentRecord {
  readonly tenantId: TenantId;
  readonly documentId: string;
  readonly caseId: string;
  readonly subjectId: string;
  readonly kind: DocumentKind;
  readonly sha256: string;
  readonly bytes: number;
  readonly mediaType: string;
  readonly pages: number;
  readonly scan: ScanStatus;
  readonly recognition: RecognitionStatus;
  /** The bytes, sealed; gone where they were infected or erased. */
  readonly blob?: string;
  /** What was read, and what the uploader said of it, sealed JSON. */
  readonly readBlob?: string;
  /** All of its text, sealed; for a time, then its fields alone are kept. */
  readonly textBlob?: string;
  readonly uploadedAt: EpochMs;
  readonly uploadedBy: string;
  readonly erasedAt?: EpochMs;
  readonly version: number;
}

/** Documents by tenant and id. */
export const caseDocumentTable = table<DocumentRecord, 'tenantId' | 'documentId'>('kyc_document', {
  key: ['tenantId', 'documentId'],
  chain: 'tenantId',
  indexes: { byCase: ['tenantId', 'caseId'], byDigest: ['tenantId', 'sha256'] },
  blobs: ({ blob, readBlob, textBlob }) =>
    [blob, readBlob, textBlob].filter((one) => one !== undefined),
  personal: {
    blob: { purpose: 'identity verification: the document, under the subject’s data key' },
    readBlob: { purpose: 'identity verification: what was read in it, under the same key' },
    textBlob: { purpose: 'identity verification: the text of the document, under the same key' },
    uploadedBy: { purpose: 'accountability: who uploaded the document' },
  },
});

/** A version of a workflow. Version 1 of those that ship is not stored. */
export interface WorkflowRecord {
  readonly tenantId: TenantId;
  readonly code: string;
  readonly number: number;
  readonly content: WorkflowContent;
  readonly author: string;
  readonly createdAt: EpochMs;
}

/** Workflows by tenant, code and version. */
export const workflowTable = table<WorkflowRecord, 'tenantId' | 'code' | 'number'>('kyc_workflow', {
  key: ['tenantId', 'code', 'number'],
  chain: 'tenantId',
  writes: 'appendOnly',
  personal: { author: { purpose: 'accountability: who changed the workflow' } },
});

/** Something that a worker does for a case. */
export interface CaseTask {
  readonly tenantId: TenantId;
  readonly taskId: string;
  readonly caseId: string;
  /** `text`: the whole text of a document is forgotten. */
  readonly kind: 'checks' | 'document' | 'mail' | 'text';
  readonly documentId?: string;
  /** The text of a mail; the address is looked up when it is sent. */
  readonly template?: string;
  readonly state: 'open' | 'done' | 'failed';
  readonly createdAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly version: number;
  /** Work: when it is looked at. */
  readonly dueAt?: EpochMs;
}

/** For how long ended tasks are kept. */
const TASKS_KEPT_MS = 30 * 24 * 3_600_000;

/** Tasks by tenant and id. */
export const taskTable = table<CaseTask, 'tenantId' | 'taskId'>('kyc_task', {
  key: ['tenantId', 'taskId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'state', in: ['open'] } },
  indexes: { byCase: ['tenantId', 'caseId'] },
  leased: { due: 'dueAt', lane: ['kind', 'tenantId'] },
  open: 'isOpen',
  work: ['dueAt'],
  kept: { from: 'endedAt', ms: TASKS_KEPT_MS, unless: 'isOpen' },
  personal: 'none',
});
