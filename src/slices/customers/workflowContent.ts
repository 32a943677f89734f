/** What a workflow asks for, as it is written (config/kyc-workflows.json). */
import type { CheckType, ConsentPurpose, DocumentKind, RiskTier, SubjectType } from './words.ts';

/** All that a version says. */
export interface WorkflowContent {
  readonly subject_types: readonly SubjectType[];
  readonly form_code?: string;
  readonly required_fields: readonly string[];
  readonly required_consents: readonly ConsentPurpose[];
  /** One of each list is enough. */
  readonly required_documents: readonly (readonly DocumentKind[])[];
  readonly checks: readonly CheckType[];
  /** Lists of interface.md 2.2; empty: all that the tenant has. */
  readonly lists: readonly string[];
  readonly auto_approve: { readonly enabled: boolean; readonly max_tier: RiskTier };
  readonly auto_reject: {
    readonly enabled: boolean;
    readonly reasons: readonly string[];
    /** On which a decision without a person rests. */
    readonly legal_basis?: string;
  };
  readonly four_eyes_tiers: readonly RiskTier[];
  readonly expires_after_days: number;
  readonly rounds_max: number;
  readonly min_age: number;
  readonly review_every_months: Readonly<Record<RiskTier, number>>;
  /** Who posts biometric verdicts. */
  readonly biometric_provider?: string;
  readonly email_templates: Readonly<Record<string, MailTemplate>>;
}

/** Sentences of a mail to the customer, in the languages of the service. */
export interface MailTemplate {
  readonly fr: MailText;
  readonly ar: MailText;
  readonly en: MailText;
}

/** A mail in one language. `{link}` stands for a fresh onboarding link. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}
