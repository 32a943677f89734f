/** A customer as all their cases know them. */
import type { DataKey } from '#core/blobs';
import { DomainError } from '#core/kernel';
import type { CaseSubject } from './caseContent.ts';
import { type SeenCase, seeCase } from './changeCase.ts';
import type { CasePorts } from './ports.ts';
import { isUndecided } from './states.ts';
import { casesOfSubject, findSubject, keyOfSubject } from './subjects.ts';
import type { CaseRecord, SubjectRecord } from './tables.ts';

/** With the key that seals what is known of them. */
export interface SeenCustomer {
  readonly subject: SubjectRecord;
  readonly key: DataKey;
  /** The case that goes on with it: the undecided one, else the one in force, else the last. */
  readonly lead: SeenCase;
  readonly others: readonly CaseRecord[];
}

/** Throws `subject-unknown`, `subject-erased`. */
export async function seeCustomer(
  ports: CasePorts,
  { externalRef, tenantId }: Pick<SubjectRecord, 'externalRef' | 'tenantId'>,
): Promise<SeenCustomer> {
  const subject = await findSubject(ports, { externalRef, tenantId });
  if (subject === undefined) throw new DomainError('subject-unknown');
  const key = await keyOfSubject(ports, subject);
  const cases = await casesOfSubject(ports, subject);
  const inForce = cases.filter((one) => one.standing !== undefined && !one.supersededBy);
  const lead = cases.find(isUndecided) ?? inForce.at(-1) ?? cases.at(-1);
  if (lead === undefined) throw new DomainError('subject-unknown');
  return {
    key,
    lead: await seeCase(ports, lead),
    others: cases.filter(({ caseId }) => caseId !== lead.caseId),
    subject,
  };
}

/** What is said of a member now; null: nothing. */
export const formerOf = ({ lead }: SeenCustomer, member: string): unknown =>
  lead.content.subject[member as keyof CaseSubject] ?? null;
