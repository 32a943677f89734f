/** What the pages of forms and workflows read of the API's answers, by their wire names. */
import type { Language } from '../../i18n/language.ts';
import type { Condition } from '../../parts/conditionText.ts';
import type { SigningMembers } from '../../signedBytes.ts';

export type Translated = Readonly<Partial<Record<Language, string>>>;

export interface FormRow {
  readonly form_id: string;
  readonly code: string;
  readonly name: Translated;
  readonly languages: readonly Language[];
  readonly active_version: string | null;
  readonly active_version_id: string | null;
  readonly usage_30d: number;
  readonly updated_at: string;
}

export interface FormField {
  readonly id: string;
  readonly type: string;
  readonly required?: boolean;
  readonly required_if?: Condition;
  readonly visible_if?: Condition;
  readonly options?: readonly { readonly value: string; readonly i18n: Translated }[];
  readonly i18n: Readonly<
    Partial<
      Record<Language, { readonly label: string; readonly help?: string; readonly error?: string }>
    >
  >;
}

export interface FormStep {
  readonly id: string;
  readonly title: Translated;
  readonly fields: readonly FormField[];
}

export interface FormVersion {
  readonly version_id: string;
  readonly version: string;
  readonly status: string;
  readonly author: string;
  readonly updated_by: string;
  readonly updated_at: string;
  readonly published_at: string | null;
  readonly added_fields: readonly string[];
  readonly changed_fields: readonly string[];
  readonly removed_fields: readonly string[];
  readonly languages: readonly Language[];
  readonly hash: string;
  readonly etag: string;
  /** Until when a signature counts; null where nobody has signed it. */
  readonly signed_until: string | null;
  readonly signing: SigningMembers | null;
  readonly schema: { readonly steps: readonly FormStep[] };
}

export interface Previewed {
  readonly errors: readonly { readonly code: string; readonly field: string }[];
  readonly visible: readonly string[];
}

export interface Workflow {
  readonly code: string;
  readonly version: number;
  readonly author: string | null;
  readonly created_at: string | null;
  readonly subject_types: readonly string[];
  readonly form_code?: string;
  readonly checks: readonly string[];
  readonly required_fields: readonly string[];
  readonly required_consents: readonly string[];
  readonly required_documents: readonly (readonly string[])[];
  readonly auto_approve: { readonly enabled: boolean; readonly max_tier: string };
  readonly four_eyes_tiers: readonly string[];
  readonly expires_after_days: number;
  readonly min_age: number;
  readonly rounds_max: number;
  readonly review_every_months: Readonly<Record<string, number>>;
}
