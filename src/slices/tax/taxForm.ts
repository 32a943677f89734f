/**
 * Forms of holders: W-9, W-8BEN and W-8BEN-E of the IRS, and self-certifications of CRS, with their
 * lines as members. Days are `YYYY-MM-DD`, countries alpha-2. What a form lacks is not on it.
 */
import type { PartyAddress } from './account.ts';

/** Forms that are taken. The last one is of a person who controls an entity. */
export const FORM_TYPES = [
  'W-9',
  'W-8BEN',
  'W-8BEN-E',
  'CRS-INDIVIDUAL',
  'CRS-ENTITY',
  'CRS-CONTROLLING-PERSON',
] as const;
/** One of FORM_TYPES. */
export type FormType = (typeof FORM_TYPES)[number];

/** As what somebody signed. */
export const CAPACITIES = [
  'self',
  'attorney',
  'parent_or_guardian',
  'executor',
  'officer',
  'partner',
  'trustee',
  'authorised_signatory',
] as const;
export const SIGNATURE_METHODS = ['ink', 'electronic'] as const;
/** Line 3 of Form W-9. */
export const W9_CLASSES = [
  'individual',
  'c_corporation',
  's_corporation',
  'partnership',
  'trust_estate',
  'llc_c_corporation',
  'llc_s_corporation',
  'llc_partnership',
  'other',
] as const;
/** Line 4 of Form W-8BEN-E. */
export const CHAPTER_3 = [
  'corporation',
  'partnership',
  'simple_trust',
  'complex_trust',
  'grantor_trust',
  'estate',
  'government_controlled_entity',
  'government_integral_part',
  'central_bank',
  'private_foundation',
  'international_organisation',
  'tax_exempt_organisation',
  'disregarded_entity',
] as const;
/** A: the country gives none. B: the holder cannot get one. C: the country does not ask for it. */
export const NO_TIN_REASONS = ['A', 'B', 'C'] as const;

/** An address as a form has it. */
export interface FormAddress extends PartyAddress {
  readonly care_of?: boolean;
}

/** A claim of benefits of a treaty. */
export interface TreatyClaim {
  readonly country: string;
  readonly article?: string;
  readonly rate_pct?: string;
  readonly income?: string;
  readonly conditions?: string;
}

/** A jurisdiction of tax residence with its number, or why there is none. */
export interface FormResidence {
  readonly country: string;
  readonly tin?: string;
  readonly no_tin_reason?: (typeof NO_TIN_REASONS)[number];
  readonly explanation?: string;
}

/** Somebody who owns or controls the entity of a form. */
export interface FormPerson {
  /** The tenant's own reference of the person. */
  readonly person_ref: string;
  readonly name: string;
  readonly address?: FormAddress;
  readonly us_tin?: string;
  readonly ownership_pct?: string;
}

/** All lines that some form has; FORM_SHAPES says which one has which. */
export interface FormFields {
  readonly name?: string;
  readonly business_name?: string;
  readonly classification?: (typeof W9_CLASSES)[number];
  readonly exempt_payee_code?: string;
  readonly fatca_exemption_code?: string;
  readonly certified?: boolean;
  readonly tin?: string;
  readonly address?: FormAddress;
  readonly mailing_address?: FormAddress;
  readonly citizenship?: string;
  readonly birth?: { readonly date?: string; readonly city?: string; readonly country?: string };
  readonly us_tin?: string;
  readonly ftin?: string;
  readonly ftin_not_required?: boolean;
  readonly treaty?: TreatyClaim;
  readonly organised_in?: string;
  readonly chapter_3_status?: (typeof CHAPTER_3)[number];
  readonly chapter_4_status?: string;
  readonly giin?: string;
  readonly parts?: readonly string[];
  readonly owners?: readonly FormPerson[];
  readonly no_us_owners?: boolean;
  readonly sponsor_name?: string;
  readonly residences?: readonly FormResidence[];
  readonly entity_type?: string;
  readonly controlling_persons?: readonly FormPerson[];
  readonly roles?: readonly string[];
}

/** A form as it is handed in. */
export interface FormInput {
  readonly type: FormType;
  readonly subject_ref: string;
  /** Whom the person controls, on a controlling person's certificate. */
  readonly entity_ref?: string;
  readonly revision?: string;
  readonly fields: FormFields;
  readonly signer?: {
    readonly name: string;
    readonly capacity: (typeof CAPACITIES)[number];
  };
  readonly signed_at?: string;
  readonly signature_method?: (typeof SIGNATURE_METHODS)[number];
  readonly received_at?: string;
  /** Documents support the foreign status that Form W-8BEN claims. */
  readonly documentary_evidence?: boolean;
  /** The holder's words about what is on file and contradicts the form. */
  readonly explanation?: string;
}

export const FINDING_SEVERITIES = ['error', 'cure', 'warning'] as const;

/** Something odd about a form: an error keeps it from counting; a cure has to be got in time. */
export interface FormFinding {
  readonly pointer: string;
  readonly code: string;
  readonly severity: (typeof FINDING_SEVERITIES)[number];
}

/** The place of a holder that a form takes; of each place one form is the latest. */
export const isOfFatca = (type: FormType): boolean => type.startsWith('W-');

/** Forms of entities. */
export const isOfEntity = (type: FormType): boolean => type === 'W-8BEN-E' || type === 'CRS-ENTITY';
