/**
 * What a case knows of a person, and what people wrote of it: one sealed text in the record, under
 * the subject's data key. It is bound to its case, so that none can be moved to another one.
 */
import type { DataKey } from '#core/blobs';
import { DomainError } from '#core/kernel';
import type { Random } from '#platform/random';
import { SecretUnreadable, secretBox } from '#platform/secretBox';
import type { CaseRecord } from './tables.ts';

/** Where a person or a business is. */
export interface Address {
  readonly line1?: string;
  readonly line2?: string;
  readonly city?: string;
  readonly region?: string;
  readonly postal_code?: string;
  readonly country?: string;
}

/** An officer or owner of a business. */
export interface BusinessPerson {
  readonly name: string;
  readonly name_ar?: string;
  readonly role?: string;
  readonly dob?: string;
  readonly nationality?: string;
  readonly share?: number;
}

/** Who a case is about, by the names of the wire. */
export interface CaseSubject {
  readonly full_name?: string;
  readonly full_name_ar?: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly dob?: string;
  readonly nationality?: string;
  readonly country_residence?: string;
  readonly gender?: string;
  readonly national_id?: string;
  readonly occupation?: string;
  readonly expected_turnover?: { readonly amount: string; readonly currency: string };
  readonly address?: Address;
  readonly email?: string;
  readonly phone?: string;
  readonly legal_name?: string;
  readonly legal_form?: string;
  readonly registration_number?: string;
  readonly tax_id?: string;
  readonly incorporated_on?: string;
  readonly officers?: readonly BusinessPerson[];
  readonly beneficial_owners?: readonly BusinessPerson[];
}

/** Where a value comes from. */
export interface Origin {
  readonly source: 'api' | 'form' | 'document' | 'registry' | 'agent';
  readonly ref: string | null;
  /** RFC 3339. */
  readonly at: string;
}

/** All that is sealed. */
export interface CaseContent {
  readonly subject: CaseSubject;
  readonly provenance: Readonly<Partial<Record<string, Origin>>>;
  /** By decision id: what a person wrote. It never goes out. */
  readonly reasons: Readonly<Partial<Record<string, string>>>;
}

/** Name of the data key of a subject. */
export const subjectKeyId = (subjectId: string): string => `subject/${subjectId}`;

const purposeOf = ({ caseId }: Pick<CaseRecord, 'caseId'>): string => `kyc-case-v1/${caseId}`;

/** Anything of a subject, sealed under their key for one place. */
export const sealForSubject = (
  random: Random,
  key: Pick<DataKey, 'secret'>,
  purpose: string,
  value: object,
): string => secretBox([key.secret], random).seal(JSON.stringify(value), purpose);

/** Throws `blob-damaged` where it was not sealed for this place under this key. */
export function openForSubject(
  random: Random,
  key: Pick<DataKey, 'secret'>,
  purpose: string,
  sealed: string,
): unknown {
  try {
    return JSON.parse(secretBox([key.secret], random).open(sealed, purpose));
  } catch (cause) {
    if (!(cause instanceof SecretUnreadable)) throw cause;
    throw new DomainError('blob-damaged', { cause, detail: 'a case is not what was sealed' });
  }
}

/** The content as the record stores it. */
export const sealContent = (
  random: Random,
  key: Pick<DataKey, 'secret'>,
  of: Pick<CaseRecord, 'caseId'>,
  content: CaseContent,
): string => sealForSubject(random, key, purposeOf(of), content);

/** Throws `blob-damaged` where it was not sealed for this case under this key. */
export const openContent = (
  random: Random,
  key: Pick<DataKey, 'secret'>,
  record: Pick<CaseRecord, 'caseId' | 'sealed'>,
): CaseContent => openForSubject(random, key, purposeOf(record), record.sealed) as CaseContent;
