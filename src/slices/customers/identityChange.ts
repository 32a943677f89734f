/**
 * Who the subject is, is changed while a person looks at the case: what was found is about somebody
 * else. It goes, with the approval that waits, and the checks are made again.
 */
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import type { CaseSubject } from './caseContent.ts';
import type { CaseChange } from './caseRecord.ts';
import { IDENTITY_CHANGED, moveTo } from './states.ts';
import type { CaseRecord } from './tables.ts';
import { type CheckType, OF_DOCUMENTS } from './words.ts';

/** What lists, documents, registries and the policy are asked about. */
const IDENTITY = [
  'beneficial_owners',
  'country_residence',
  'dob',
  'first_name',
  'full_name',
  'full_name_ar',
  'gender',
  'incorporated_on',
  'last_name',
  'legal_form',
  'legal_name',
  'national_id',
  'nationality',
  'officers',
  'registration_number',
  'tax_id',
] as const satisfies readonly (keyof CaseSubject)[];

const VOIDED: readonly CheckType[] = [...OF_DOCUMENTS, 'age', 'registry', 'risk', 'screening'];

/** Whether both are one person or business, as far as anything is checked. */
export const isSameIdentity = (one: CaseSubject, other: CaseSubject): boolean =>
  IDENTITY.every((name) => textOf(one, name) === textOf(other, name));

/** Whether a member says who somebody is. */
export const isIdentity = (member: string): boolean =>
  (IDENTITY as readonly string[]).includes(member);

const textOf = (subject: CaseSubject, name: (typeof IDENTITY)[number]): string =>
  canonicalJson((subject[name] ?? null) as never);

/**
 * The case on its way to its checks; what the step itself has found stays, as does the tier until
 * they give another one.
 */
export function identityChange(
  record: Pick<CaseRecord, 'checks' | 'forPeople' | 'status'>,
  of: { readonly checks: CaseRecord['checks']; readonly now: EpochMs },
): CaseChange {
  const { checks, now } = of;
  const former = new Set(record.checks.map(({ checkId }) => checkId));
  return {
    checks: checks.filter(({ checkId, type }) => !VOIDED.includes(type) || !former.has(checkId)),
    forPeople: record.forPeople ?? IDENTITY_CHANGED,
    pending: undefined,
    proposedDecision: undefined,
    risk: undefined,
    screening: undefined,
    status: moveTo(record, IDENTITY_CHANGED),
    statusReason: IDENTITY_CHANGED,
    submittedAt: now,
  };
}
