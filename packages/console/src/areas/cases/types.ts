/** What the pages of cases read of the API's answers, and its words for them. */
export const STATUSES = [
  'open',
  'processing',
  'manual_review',
  'awaiting_customer',
  'approved',
  'rejected',
  'expired',
  'canceled',
] as const;
export type CaseStatus = (typeof STATUSES)[number];

export const TIERS = ['low', 'standard', 'high', 'very_high'] as const;
export type Tier = (typeof TIERS)[number];

export const KINDS = [
  'id_card_front',
  'id_card_back',
  'passport',
  'residence_permit',
  'driving_licence_front',
  'driving_licence_back',
  'proof_of_address',
  'selfie',
  'other',
  'registry_extract',
  'articles_of_association',
  'bank_statement',
] as const;
export type DocumentKind = (typeof KINDS)[number];

export type DecisionWord = 'approve' | 'cancel' | 'reject' | 'reopen' | 'request_documents';
export type CheckStatus = 'fail' | 'pass' | 'pending' | 'review' | 'unavailable';
export type CheckType =
  | 'address_recent'
  | 'age'
  | 'biometric'
  | 'consent'
  | 'dob_match'
  | 'document_authentic_digits'
  | 'document_not_expired'
  | 'document_number_match'
  | 'document_readable'
  | 'document_reuse'
  | 'name_match'
  | 'nationality_match'
  | 'registry'
  | 'required_data'
  | 'risk'
  | 'screening';

export interface CaseRow {
  readonly assignee: string | null;
  readonly case_id: string;
  readonly created_at: string;
  readonly decided_at: string | null;
  readonly external_ref: string;
  readonly proposed_decision: 'approve' | 'reject' | null;
  readonly risk_tier: Tier | null;
  readonly status: CaseStatus;
  readonly subject_type: 'business' | 'individual';
  readonly updated_at: string;
  readonly version: number;
  readonly workflow_code: string;
}

export interface CaseDecision {
  readonly confirmed_by: string | null;
  readonly decided_at: string;
  readonly decided_by: string;
  readonly decision: DecisionWord;
  readonly decision_id: string;
  readonly documents: readonly DocumentKind[];
  readonly email_template: string | null;
  readonly mode: 'automatic' | 'manual';
  readonly reason_code: string;
}

export interface Check {
  readonly at: string;
  readonly check_id: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly reason_codes: readonly string[];
  readonly status: CheckStatus;
  readonly type: CheckType;
}

export interface BusinessPerson {
  readonly name: string;
  readonly role?: string;
  readonly dob?: string;
  readonly nationality?: string;
  readonly share?: number;
}

export interface Subject {
  readonly address?: Readonly<Record<string, string>>;
  readonly expected_turnover?: { readonly amount: string; readonly currency: string };
  readonly officers?: readonly BusinessPerson[];
  readonly beneficial_owners?: readonly BusinessPerson[];
  readonly [member: string]: unknown;
}

export interface Missing {
  readonly kind: 'consent' | 'document' | 'field';
  readonly name: string;
}

export interface Case extends CaseRow {
  readonly checks: readonly Check[];
  readonly consents: readonly {
    readonly consent_id: string;
    readonly given: boolean;
    readonly given_at: string;
    readonly purpose: Consent;
    readonly text_version: string;
  }[];
  readonly created_by: string;
  readonly decision: CaseDecision | null;
  readonly documents: readonly {
    readonly document_id: string;
    readonly kind: DocumentKind;
    readonly superseded_by: string | null;
    readonly uploaded_at: string;
  }[];
  readonly erased_at: string | null;
  readonly expires_at: string | null;
  readonly missing: readonly Missing[];
  readonly next_review_at: string | null;
  readonly opposed: boolean;
  readonly pending: CaseDecision | null;
  readonly processing_restricted: boolean;
  readonly provenance: Readonly<Record<string, { readonly source: Origin }>> | null;
  readonly risk: {
    readonly evaluation_id: string;
    readonly level: string;
    readonly policy_version: number;
    readonly score: number;
  } | null;
  readonly rounds: number;
  readonly screening: { readonly decision: string; readonly screening_id: string } | null;
  readonly status_reason: string | null;
  readonly subject: Subject | null;
  readonly submitted_at: string | null;
  readonly superseded_by: string | null;
  readonly workflow_version: number;
}

export type Consent =
  | 'biometric_processing'
  | 'data_sharing'
  | 'document_storage'
  | 'electronic_communication'
  | 'identity_verification'
  | 'marketing';
export type Origin = 'agent' | 'api' | 'document' | 'form' | 'registry';

export interface ReadDocument {
  readonly bytes: number;
  readonly document_id: string;
  readonly kind: DocumentKind;
  readonly media_type: string;
  readonly pages: number;
  readonly recognition: {
    readonly comparisons: readonly {
      readonly field: string;
      readonly result: 'absent' | 'match' | 'mismatch' | 'partial';
      readonly score: number | null;
    }[];
    readonly fields: readonly {
      readonly confidence: number;
      readonly name: string;
      readonly source: string;
      readonly value: string;
    }[];
    readonly mrz: {
      readonly lines: readonly string[];
      readonly repaired: readonly object[];
      readonly valid: boolean;
    } | null;
    readonly status: Recognition;
    readonly warnings: readonly string[];
  };
  readonly scan: Scan;
  readonly sha256: string;
  readonly uploaded_at: string;
  readonly uploaded_by: string;
}

export type Recognition = 'failed' | 'queued' | 'read' | 'skipped' | 'unavailable' | 'unreadable';
export type Scan = 'clean' | 'failed' | 'infected' | 'pending' | 'skipped';

export interface Workflow {
  readonly code: string;
  readonly email_templates: Readonly<Record<string, unknown>>;
}

/** What a person may look at. */
export interface Assignee {
  readonly name: string;
  readonly person_id: string;
}

export const CASES = '/v1/kyc/cases';
/** As the API compares it with If-Match. */
export const etagOf = ({ version }: Pick<CaseRow, 'version'>): string => `"${version}"`;
