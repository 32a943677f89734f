/** Who is classified, as the caller states it. Dates are `YYYY-MM-DD`, countries alpha-2. */

import type { FormType } from './taxForm.ts';

/** What a person can lay before an institution. */
export const EVIDENCE = [
  'self_certification',
  'w8ben',
  'non_us_passport',
  'loss_of_nationality_certificate',
  'reasonable_explanation',
  'documentary_evidence',
] as const;
/** One of EVIDENCE. */
export type Evidence = (typeof EVIDENCE)[number];

export const ADDRESS_KINDS = ['residence', 'mailing', 'po_box', 'care_of', 'hold_mail'] as const;
export const PRODUCTS = ['depository', 'custodial', 'insurance', 'other'] as const;
export const IGA_MODELS = ['model_1', 'model_2', 'non_iga'] as const;
export const EXEMPT_OWNERS = [
  'government',
  'international_organisation',
  'retirement_fund',
  'owned_by_exempt',
] as const;
export const INSTITUTION_KINDS = ['deposit', 'custody', 'investment', 'insurance'] as const;
export const REGISTRATIONS = ['pffi', 'model_1', 'model_2', 'rdc', 'sponsored'] as const;
export const DEEMED = [
  'local_bank',
  'low_value',
  'closely_held',
  'limited_life_debt',
  'no_accounts',
  'owner_documented',
  'restricted_distributor',
  'nonreporting_iga',
] as const;
export const NFFE_KINDS = [
  'nonfinancial_group',
  'startup',
  'liquidation',
  'section_501c',
  'nonprofit',
  'listed',
  'active',
  'inter_affiliate',
  'direct_reporting',
  'sponsored_direct',
] as const;
export const ACTIVE_KINDS = [
  'listed',
  'government',
  'holding',
  'startup',
  'liquidation',
  'treasury',
  'nonprofit',
] as const;

/** The account, with what decides about floors. */
export interface TaxAccount {
  readonly opened: 'new' | 'preexisting';
  readonly product: (typeof PRODUCTS)[number];
  /** Over all accounts of the holder; two decimals. */
  readonly balance_usd: string;
  readonly dormant?: boolean;
  readonly floors_elected?: boolean;
}

/** Where the institution is, and with whom its country exchanges. */
export interface TaxInstitution {
  readonly country: string;
  readonly iga_model: (typeof IGA_MODELS)[number];
  readonly reportable_jurisdictions: readonly string[];
}

/** A natural person. What is absent is not on file. */
export interface IndividualSubject {
  readonly kind: 'individual';
  readonly us_citizen?: boolean;
  readonly us_tax_resident?: boolean;
  readonly green_card?: boolean;
  readonly w9?: boolean;
  readonly excepted_from_specified?: boolean;
  /** The files show a citizen or resident; the holder has not said so. */
  readonly us_person_on_record?: boolean;
  readonly birth_country?: string;
  readonly addresses?: readonly {
    readonly country: string;
    readonly kind: (typeof ADDRESS_KINDS)[number];
  }[];
  readonly address_documented?: boolean;
  readonly phone_countries?: readonly string[];
  readonly standing_instructions_to?: readonly string[];
  readonly attorney_countries?: readonly string[];
  readonly residences_on_record?: readonly string[];
  readonly evidence?: readonly Evidence[];
  readonly self_certification?: {
    readonly is_reasonable: boolean;
    readonly residences: readonly string[];
  };
  readonly paper_search_failed?: boolean;
  readonly documentation_refused?: boolean;
}

/** Somebody who owns or controls an entity. */
export interface ControllingPerson {
  readonly person_ref: string;
  readonly residences: readonly string[];
  readonly us_person: boolean;
  /** Percent of the entity; absent for control by other means. */
  readonly ownership_pct?: number;
}

/** An entity. */
export interface EntitySubject {
  readonly kind: 'entity';
  readonly documented: boolean;
  readonly organised_in: string;
  readonly residences: readonly string[];
  readonly financial_account?: boolean;
  readonly excepted_from_specified?: boolean;
  readonly exempt_owner?: (typeof EXEMPT_OWNERS)[number];
  readonly institution?: (typeof INSTITUTION_KINDS)[number];
  readonly registration?: (typeof REGISTRATIONS)[number];
  readonly giin?: string;
  readonly deemed_compliant?: (typeof DEEMED)[number];
  readonly nffe?: (typeof NFFE_KINDS)[number];
  readonly crs_nonreporting?: boolean;
  readonly managed_by_institution?: boolean;
  readonly in_participating_jurisdiction?: boolean;
  readonly crs_active?: (typeof ACTIVE_KINDS)[number];
  readonly income?: 'active' | 'passive';
  readonly persons?: readonly ControllingPerson[];
}

/** What the FFI list says of a number; never a silent yes. */
export type FfiState = 'list_stale' | 'listed' | 'not_listed';

/** What a form that stands says to the tables; nothing more of it goes into a classification. */
export interface FormFacts {
  readonly addresses?: NonNullable<IndividualSubject['addresses']>;
  readonly birth_country?: string;
  readonly excepted_from_specified?: boolean;
  /** Jurisdictions of tax residence, on a certificate. */
  readonly residences?: readonly string[];
  /** The holder has explained what contradicts it. */
  readonly is_explained?: boolean;
  /** What the entity is, on a form of one. */
  readonly entity?: Partial<EntitySubject>;
  /** Who owns or controls the entity, by the form. */
  readonly persons?: readonly ControllingPerson[];
}

/** States of a form on file: it counts; it is incorrect and a new one awaited; it is over. */
export type FormState = 'changed' | 'over' | 'standing';

/** The latest form of each kind that is on file of a holder. */
export interface FormOnFile {
  readonly form_id: string;
  readonly type: FormType;
  readonly state: FormState;
  /** Until when a new one is, or was, awaited; where circumstances made it incorrect. */
  readonly cure_due?: string;
  /** Whose it is, on a controlling person's certificate. */
  readonly person_ref?: string;
  readonly says?: FormFacts;
}

/** All that a classification is made from. */
export interface ClassificationInputs {
  readonly subject: EntitySubject | IndividualSubject;
  readonly account: TaxAccount;
  readonly institution: TaxInstitution;
  /** The day from which the time of a cure runs. */
  readonly begun_on: string;
  /** What the FFI list says of the entity's GIIN; absent where there is no list. */
  readonly giin_check?: { readonly listed_on: string; readonly state: FfiState };
  /** Forms on file; what they say goes before what the subject says of the same. */
  readonly forms?: readonly FormOnFile[];
}
