/** Which members of a customer say who they are, and by which they are reached. */
import type { CaseContent, CaseSubject } from './caseContent.ts';

const IDENTIFIERS: readonly (keyof CaseSubject)[] = [
  'full_name',
  'full_name_ar',
  'first_name',
  'last_name',
  'national_id',
  'legal_name',
  'registration_number',
  'tax_id',
  'officers',
  'beneficial_owners',
];
const CONTACT: readonly (keyof CaseSubject)[] = ['address', 'email', 'phone'];

/** Members that say who it is: they lie in the identity vault while a duty lasts. */
export const identifiersOf = ({ subject }: CaseContent): Partial<CaseSubject> =>
  only(subject, (name) => IDENTIFIERS.includes(name));

/** What is left of a customer who stands under a pseudonym: neither who it is, nor words. */
export function withoutIdentity({ provenance, subject }: CaseContent): CaseContent {
  const gone = [...IDENTIFIERS, ...CONTACT];
  const isLeft = (name: keyof CaseSubject): boolean => !gone.includes(name);
  return {
    provenance: only(provenance as never, isLeft) as CaseContent['provenance'],
    reasons: {},
    subject: only(subject, isLeft),
  };
}

const only = (of: CaseSubject, isTaken: (name: keyof CaseSubject) => boolean): CaseSubject =>
  Object.fromEntries(Object.entries(of).filter(([name]) => isTaken(name as keyof CaseSubject)));
