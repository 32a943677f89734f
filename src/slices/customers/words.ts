/** The words of cases: states, tiers, kinds and what checks come to. */

import { DOCUMENT_CHECKS } from '#slices/recognition';

/** States of a case (interface.md 2.1, 3.1). */
export const CASE_STATUSES = [
  'open',
  'processing',
  'manual_review',
  'awaiting_customer',
  'approved',
  'rejected',
  'expired',
  'canceled',
] as const;
/** One of CASE_STATUSES. */
export type CaseStatus = (typeof CASE_STATUSES)[number];

/** How much care a customer needs, least first. */
export const RISK_TIERS = ['low', 'standard', 'high', 'very_high'] as const;
/** One of RISK_TIERS. */
export type RiskTier = (typeof RISK_TIERS)[number];

/** Who a case is about. */
export const SUBJECT_TYPES = ['individual', 'business'] as const;
/** One of SUBJECT_TYPES. */
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** What a person agrees to. */
export const CONSENT_PURPOSES = [
  'identity_verification',
  'biometric_processing',
  'document_storage',
  'data_sharing',
  'electronic_communication',
  'marketing',
] as const;
/** One of CONSENT_PURPOSES. */
export type ConsentPurpose = (typeof CONSENT_PURPOSES)[number];

/** How a consent was given. */
export const CONSENT_METHODS = ['checkbox', 'signature', 'otp', 'paper', 'verbal'] as const;
/** One of CONSENT_METHODS. */
export type ConsentMethod = (typeof CONSENT_METHODS)[number];

/** Kinds of documents (decisions 6.8), and those of businesses. */
export const DOCUMENT_KINDS = [
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
/** One of DOCUMENT_KINDS. */
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** What is looked at before a case is decided. */
export const CHECK_TYPES = [
  'consent',
  'required_data',
  'document_readable',
  'document_authentic_digits',
  'document_not_expired',
  'name_match',
  'dob_match',
  'document_number_match',
  'nationality_match',
  'age',
  'document_reuse',
  'address_recent',
  'screening',
  'risk',
  'registry',
  'biometric',
] as const;
/** One of CHECK_TYPES. */
export type CheckType = (typeof CHECK_TYPES)[number];

/** Checks that documents give. */
export const OF_DOCUMENTS: readonly CheckType[] = [
  ...DOCUMENT_CHECKS,
  'address_recent',
  'document_reuse',
];

/** What a check came to. */
export const CHECK_STATUSES = ['pending', 'pass', 'review', 'fail', 'unavailable'] as const;
/** One of CHECK_STATUSES. */
export type CheckStatus = (typeof CHECK_STATUSES)[number];

/** What people say of a case. */
export const DECISIONS = ['approve', 'reject', 'request_documents', 'cancel', 'reopen'] as const;
/** One of DECISIONS. */
export type DecisionWord = (typeof DECISIONS)[number];

/** Kinds that say who a person is. */
export const IDENTITY_KINDS: readonly DocumentKind[] = [
  'id_card_front',
  'id_card_back',
  'passport',
  'residence_permit',
  'driving_licence_front',
  'driving_licence_back',
];
/** Kinds that say where somebody lives. */
export const ADDRESS_KINDS: readonly DocumentKind[] = ['proof_of_address', 'bank_statement'];

/** How far the look at a document is. `skipped`: a picture that is compared with nothing. */
export const RECOGNITION_STATUSES = [
  'queued',
  'skipped',
  'read',
  'unreadable',
  'unavailable',
  'failed',
] as const;
/** One of RECOGNITION_STATUSES. */
export type RecognitionStatus = (typeof RECOGNITION_STATUSES)[number];

/** What the scanner said of a document. */
export const SCAN_STATUSES = ['pending', 'clean', 'infected', 'skipped', 'failed'] as const;
/** One of SCAN_STATUSES. */
export type ScanStatus = (typeof SCAN_STATUSES)[number];
