/** What a subject's members must mean: days and countries that there are. */
import { DomainError, type Violation } from '#core/kernel';
import { partialDateFault } from '#slices/screening';
import countries from '../../../config/tables/countries.json' with { type: 'json' };
import currencies from '../../../config/tables/currencies.json' with { type: 'json' };
import type { CaseSubject } from './caseContent.ts';
import type { SubjectType } from './words.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const COUNTRY = 'expected an ISO 3166-1 alpha-2 code in use';

/** Members that a business alone has, and those of a person alone. */
const OF_BUSINESS = [
  'legal_name',
  'legal_form',
  'registration_number',
  'incorporated_on',
  'officers',
  'beneficial_owners',
] as const;
const OF_PERSON = ['first_name', 'last_name', 'dob', 'gender', 'national_id'] as const;

const OF_BOTH = [
  'full_name',
  'full_name_ar',
  'nationality',
  'country_residence',
  'occupation',
  'expected_turnover',
  'expected_turnover.amount',
  'expected_turnover.currency',
  'address',
  'address.line1',
  'address.line2',
  'address.city',
  'address.region',
  'address.postal_code',
  'address.country',
  'email',
  'phone',
  'tax_id',
] as const;

/** Where a subject of this type may have a value: `dob`, `address.line1`. */
export const subjectPaths = (type: SubjectType): readonly string[] => [
  ...OF_BOTH,
  ...(type === 'business' ? OF_BUSINESS : OF_PERSON),
];

/** Whether the code is one of ISO 3166-1 alpha-2 that is in use. */
export const isCountry = (code: string): boolean => Object.hasOwn(countries, code);

/** What is wrong with a whole day; undefined where it is one. */
export const dayFault = (text: string): string | undefined =>
  DAY.test(text) ? partialDateFault(text)?.detail : 'expected YYYY-MM-DD';

/** Throws `subject-invalid` with all that is wrong; `root` is where the caller has it. */
export function requireSubject(subject: CaseSubject, type: SubjectType, root = '/subject'): void {
  const violations: Violation[] = [];
  const refuse = (pointer: string, detail: string) =>
    violations.push({ code: 'format', detail, pointer: `${root}${pointer}` });
  const country = (pointer: string, code: string | undefined) => {
    if (code !== undefined && !isCountry(code)) refuse(pointer, COUNTRY);
  };
  const day = (pointer: string, text: string | undefined) => {
    const fault = text === undefined ? undefined : dayFault(text);
    if (fault !== undefined) refuse(pointer, fault);
  };
  country('/nationality', subject.nationality);
  country('/country_residence', subject.country_residence);
  country('/address/country', subject.address?.country);
  day('/dob', subject.dob);
  day('/incorporated_on', subject.incorporated_on);
  const currency = subject.expected_turnover?.currency;
  if (currency !== undefined && !Object.hasOwn(currencies.exponents, currency)) {
    refuse('/expected_turnover/currency', 'expected an ISO 4217 code');
  }
  for (const list of ['officers', 'beneficial_owners'] as const) {
    for (const [at, one] of (subject[list] ?? []).entries()) {
      country(`/${list}/${at}/nationality`, one.nationality);
      day(`/${list}/${at}/dob`, one.dob);
    }
  }
  for (const name of type === 'business' ? OF_PERSON : OF_BUSINESS) {
    if (subject[name] !== undefined) refuse(`/${name}`, `a subject of type ${type} has none`);
  }
  if (violations.length === 0) return;
  const detail = violations.map((one) => `${one.pointer}: ${one.detail}`).join('; ');
  throw new DomainError('subject-invalid', { detail, violations });
}

/** The name by which a subject is screened; undefined while it has none. */
export function nameOf(subject: CaseSubject): string | undefined {
  const { first_name, full_name, full_name_ar, last_name, legal_name } = subject;
  const joined = [first_name, last_name].filter((part) => part !== undefined).join(' ');
  return [full_name, legal_name, joined, full_name_ar].find(
    (name) => name !== undefined && name.trim() !== '',
  );
}
