/** Who a case is about as screenings and batches have a subject: one mapping for both. */
import type { Subject } from '#slices/intake';
import type { BusinessPerson, CaseSubject } from './caseContent.ts';
import { nameOf } from './subjectRules.ts';
import type { CaseRecord } from './tables.ts';

/** Undefined while there is no name to compare. */
export function screenedSubject(
  { externalRef, subjectType }: Pick<CaseRecord, 'externalRef' | 'subjectType'>,
  subject: CaseSubject,
): Subject | undefined {
  const name = nameOf(subject);
  if (name === undefined) return undefined;
  const { country_residence, dob, first_name, full_name_ar, gender, last_name, nationality } =
    subject;
  const identifier = subject.national_id ?? subject.registration_number ?? subject.tax_id;
  return {
    external_id: externalRef,
    full_name: name,
    type: subjectType,
    ...(country_residence !== undefined && { country_residence }),
    ...(dob !== undefined && { dob }),
    ...(first_name !== undefined && { first_name }),
    ...(full_name_ar !== undefined && full_name_ar !== name && { full_name_ar }),
    ...(gender !== undefined && { gender }),
    ...(identifier !== undefined && { national_id: identifier }),
    ...(last_name !== undefined && { last_name }),
    ...(nationality !== undefined && { nationality }),
  };
}

/** A party of a case that is compared with lists. */
export interface CaseParty {
  readonly role: 'beneficial_owner' | 'officer' | 'subject';
  readonly subject: Subject;
}

/** The subject first; of a business also its officers and owners, each person once. */
export function partiesOf(
  record: Pick<CaseRecord, 'externalRef' | 'subjectType'>,
  subject: CaseSubject,
): readonly CaseParty[] {
  const own = screenedSubject(record, subject);
  const parties: CaseParty[] = own === undefined ? [] : [{ role: 'subject', subject: own }];
  const known = new Set<string>();
  const add = (role: CaseParty['role'], people: readonly BusinessPerson[] = []) => {
    for (const one of people) {
      const key = JSON.stringify([one.name, one.dob, one.nationality]);
      if (known.has(key)) continue;
      known.add(key);
      parties.push({ role, subject: personOf(record.externalRef, one) });
    }
  };
  add('beneficial_owner', subject.beneficial_owners);
  add('officer', subject.officers);
  return parties;
}

/** An owner may be a company as well: without a type both kinds of entries are compared. */
const personOf = (
  externalRef: string,
  { dob, name, name_ar, nationality }: BusinessPerson,
): Subject => ({
  external_id: externalRef,
  full_name: name,
  ...(name_ar !== undefined && { full_name_ar: name_ar }),
  ...(dob !== undefined && { dob }),
  ...(nationality !== undefined && { nationality }),
});
