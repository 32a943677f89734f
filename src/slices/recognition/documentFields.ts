/** Fields of documents, and what was said of the person whose document it is. */

/** Where a field was read. */
export type FieldSource = 'mrz' | 'pdf_text' | 'text' | 'client';

/** Fields that are read. */
export type FieldName =
  | 'full_name'
  | 'surname'
  | 'given_names'
  | 'document_number'
  | 'nationality'
  | 'issuing_country'
  | 'dob'
  | 'expires_on'
  | 'gender'
  | 'optional';

/** One field as it was read. */
export interface ReadField {
  readonly name: FieldName;
  readonly value: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly source: FieldSource;
}

/** What was said of the person whose document it is. */
export interface SaidOfPerson {
  readonly fullName?: string;
  readonly fullNameAr?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  /** YYYY-MM-DD */
  readonly dob?: string;
  /** ISO 3166-1, two letters. */
  readonly nationality?: string;
  readonly documentNumber?: string;
  readonly nationalId?: string;
}
