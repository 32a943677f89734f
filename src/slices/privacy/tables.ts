/**
 * What the slice stores: requests about personal data, and what subjects have asked for that stops
 * processing.
 */
import { type TenantId, table } from '#core/kernel';
import type { PlannedErasure } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { REQUEST_KEPT_MS } from './limits.ts';

/** What is asked for. */
export const REQUEST_ACTIONS = ['export', 'erase', 'rectify'] as const;
/** One of REQUEST_ACTIONS. */
export type RequestAction = (typeof REQUEST_ACTIONS)[number];

/** States of a request; the last two are final. */
export const REQUEST_STATES = [
  'received',
  'identity_check',
  'in_progress',
  'awaiting_approval',
  'completed',
  'refused',
] as const;
/** One of REQUEST_STATES. */
export type RequestState = (typeof REQUEST_STATES)[number];

/** States in which it is still to be answered. */
export const OPEN_STATES = REQUEST_STATES.slice(0, 4);

/** How the requester proves who he is. */
export const IDENTITY_METHODS = ['case_document', 'in_person', 'bank_id', 'other'] as const;
/** One of IDENTITY_METHODS. */
export type IdentityMethod = (typeof IDENTITY_METHODS)[number];

/** Grounds of a refusal. */
export const REFUSAL_GROUNDS = [
  'identity_unproven',
  'manifestly_unfounded',
  'excessive',
  'legal_duty',
  'rights_of_others',
] as const;
/** One of REFUSAL_GROUNDS. */
export type RefusalGround = (typeof REFUSAL_GROUNDS)[number];

/** Languages in which a person is answered. */
export const REQUEST_LOCALES = ['fr', 'ar', 'en'] as const;
/** One of REQUEST_LOCALES. */
export type RequestLocale = (typeof REQUEST_LOCALES)[number];

/** Whom it is about, as the caller names him: one of these. */
export interface NamedSubject {
  readonly subjectId?: string;
  readonly subjectRef?: string;
  readonly caseId?: string;
}

/** The data of a person as he is given it: a ZIP under a passphrase. */
export interface PrivacyArchive {
  readonly blob: string;
  readonly bytes: number;
  /** SHA-256 of the ZIP, hex. */
  readonly sha256: string;
  readonly files: number;
  /** The data key that the passphrase is derived from. */
  readonly keyId: string;
  readonly builtAt: EpochMs;
  /** It is told once. */
  readonly passphraseToldAt?: EpochMs;
}

/** Rows of one store, as a plan has them. */
export interface PlannedRow extends PlannedErasure {
  readonly store: string;
}

/** What an erasure would come to. */
export interface ErasurePlan {
  readonly madeAt: EpochMs;
  /** `privacy.retention_years` as it was then. */
  readonly retentionYears: number;
  readonly rows: readonly PlannedRow[];
}

/** An erasure that was approved. */
export interface RequestErasure {
  /** What came later is of another relation. */
  readonly asOf: EpochMs;
  readonly pseudonym: string;
  /** By which the reference is found again after a restore; absent where there is none. */
  readonly tag?: string;
  /** When the first duty of what is kept ends. */
  readonly keptUntil?: EpochMs;
}

/** One request about the data of one person. */
export interface PrivacyRequest extends NamedSubject {
  readonly tenantId: TenantId;
  readonly requestId: string;
  readonly action: RequestAction;
  readonly status: RequestState;
  readonly requester: {
    readonly relation: 'self' | 'representative';
    /** Where the answer goes. */
    readonly contact?: string;
  };
  readonly identity: {
    readonly method: IdentityMethod;
    readonly evidence?: string;
    /** Absent: nobody has looked at it. */
    readonly verified?: { readonly isProven: boolean; readonly by: string; readonly at: EpochMs };
  };
  readonly locale: RequestLocale;
  readonly note?: string;
  readonly createdBy: string;
  readonly receivedAt: EpochMs;
  readonly dueAt: EpochMs;
  readonly extendedTo?: EpochMs;
  readonly extension?: {
    readonly at: EpochMs;
    readonly by: string;
    readonly reason: string;
  };
  /** When people are reminded next; absent once it has ended. */
  readonly remindAt?: EpochMs;
  readonly decision?: {
    readonly at: EpochMs;
    readonly by: string;
    readonly ground?: RefusalGround;
    readonly text?: string;
  };
  readonly endedAt?: EpochMs;
  readonly archive?: PrivacyArchive;
  readonly plan?: ErasurePlan;
  readonly erasure?: RequestErasure;
  /** `kept` while there is an archive that ends by itself, at `archiveUntil`. */
  readonly archiveState?: 'kept' | 'removed';
  readonly archiveUntil?: EpochMs;
  readonly version: number;
}

/** Requests of a tenant. */
export const privacyRequestTable = table<PrivacyRequest, 'tenantId' | 'requestId'>(
  'privacy_request',
  {
    key: ['tenantId', 'requestId'],
    chain: 'tenantId',
    owner: 'tenantId',
    blobs: ({ archive }) => (archive === undefined ? [] : [archive.blob]),
    derived: {
      hasArchive: { field: 'archiveState', in: ['kept'] },
      isOpen: { field: 'status', in: OPEN_STATES },
    },
    indexes: {
      archives: ['hasArchive', 'archiveUntil'],
      byRef: ['tenantId', 'subjectRef', 'receivedAt'],
      byState: ['tenantId', 'status', 'receivedAt'],
      due: ['isOpen', 'remindAt'],
      newest: ['tenantId', 'receivedAt'],
      open: ['isOpen', 'tenantId', 'receivedAt'],
    },
    kept: { from: 'endedAt', ms: REQUEST_KEPT_MS },
    personal: {
      caseId: { purpose: 'privacy: whose data a request is about' },
      createdBy: { purpose: 'accountability: who took the request in' },
      decision: { purpose: 'accountability: who decided it, and why; free text' },
      extension: { purpose: 'accountability: who extended it, and why; free text' },
      identity: { purpose: 'privacy: how the requester proved who he is' },
      note: { purpose: 'privacy: what the requester said; free text' },
      requester: { purpose: 'privacy: where the answer goes' },
      subjectId: { purpose: 'privacy: whose data a request is about' },
      subjectRef: { purpose: 'privacy: whose data a request is about' },
    },
  },
);

/** What a subject has asked for that stops processing (interface.md 2.15). */
export interface SubjectFlag {
  readonly tenantId: TenantId;
  /** The tenant's own id of the subject. */
  readonly subjectRef: string;
  readonly processingRestricted: boolean;
  readonly opposed: boolean;
  readonly changedAt: EpochMs;
  readonly changedBy: string;
  readonly reason: string;
  readonly version: number;
}

/** One table of all flags; a subject without a row has asked for nothing. */
export const subjectFlagTable = table<SubjectFlag, 'tenantId' | 'subjectRef'>('subject_flag', {
  key: ['tenantId', 'subjectRef'],
  chain: 'tenantId',
  owner: 'tenantId',
  personal: {
    changedBy: { purpose: 'accountability: who noted it' },
    opposed: { purpose: 'privacy: what the subject has opposed' },
    processingRestricted: { purpose: 'privacy: what the subject has had restricted' },
    reason: { purpose: 'privacy: why it was noted; free text' },
    subjectRef: { purpose: 'privacy: which subject has asked for it' },
  },
});
