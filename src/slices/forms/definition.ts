/**
 * What a form is, as its authors write it: steps of fields, in an order that matters, since a field
 * may depend on those before it alone. A definition has no default values: what nobody typed is not
 * there.
 */
import type { Condition, FieldKind } from '#core/conditions';

/** Languages that a form may be in. */
export const FORM_LANGUAGES = ['fr', 'ar', 'en'] as const;
/** One of FORM_LANGUAGES. */
export type FormLanguage = (typeof FORM_LANGUAGES)[number];

/** Kinds of fields. */
export const FIELD_TYPES = [
  'text',
  'textarea',
  'date',
  'partial_date',
  'integer',
  'decimal',
  'boolean',
  'choice',
  'multi_choice',
  'country',
  'phone',
  'email',
  'document',
  'consent',
  'info',
] as const;
/** One of FIELD_TYPES. */
export type FieldType = (typeof FIELD_TYPES)[number];

/** Checks of numbers that carry a check digit, or lines that have a form. */
export const VALUE_CHECKS = ['mrz', 'rne_tn', 'siren', 'iban', 'luhn'] as const;
/** One of VALUE_CHECKS. */
export type ValueCheck = (typeof VALUE_CHECKS)[number];

/** What a value must be beyond its type. */
export interface FieldValidation {
  readonly min_length?: number;
  readonly max_length?: number;
  readonly min?: number;
  readonly max?: number;
  /** A day, or a day from today: `today`, `today-18y`. */
  readonly min_date?: string;
  readonly max_date?: string;
  /** The whole value matches it; its grammar is that of pattern.ts. */
  readonly pattern?: string;
  readonly check?: ValueCheck;
}

/** A text in the languages of the form. */
export type Translated = Readonly<Partial<Record<FormLanguage, string>>>;

/** What is shown beside a field. */
export interface FieldTexts {
  readonly label: string;
  readonly help?: string;
  /** Shown for a value that is not taken. */
  readonly error?: string;
}

/** One of several values. */
export interface FieldOption {
  readonly value: string;
  readonly i18n: Translated;
}

/** A field. */
export interface FormField {
  readonly id: string;
  readonly type: FieldType;
  /** Which member of the case it fills (config/canonical-fields.json). */
  readonly canonical?: string;
  readonly required?: boolean;
  readonly required_if?: Condition;
  readonly visible_if?: Condition;
  readonly validation?: FieldValidation;
  readonly options?: readonly FieldOption[];
  /** A document has it. */
  readonly kind?: string;
  /** A consent has both. */
  readonly purpose?: string;
  readonly text_version?: string;
  readonly i18n: Readonly<Partial<Record<FormLanguage, FieldTexts>>>;
}

/** Fields that are asked together. */
export interface FormStep {
  readonly id: string;
  readonly title: Translated;
  readonly fields: readonly FormField[];
}

/** What authors write. */
export interface FormSchema {
  readonly steps: readonly FormStep[];
}

/** What is signed, and hashed. */
export interface FormDefinition {
  readonly code: string;
  readonly languages: readonly FormLanguage[];
  readonly schema: FormSchema;
}

/** All fields, in their order. */
export const fieldsIn = ({ steps }: FormSchema): readonly FormField[] =>
  steps.flatMap(({ fields }) => fields);

/** What a condition may compare of a field; undefined: it has no value. */
export function kindOf(type: FieldType): FieldKind | undefined {
  switch (type) {
    case 'date':
      return 'date';
    case 'integer':
    case 'decimal':
      return 'number';
    case 'boolean':
    case 'consent':
      return 'boolean';
    case 'multi_choice':
      return 'words';
    case 'info':
      return undefined;
    default:
      return 'text';
  }
}
