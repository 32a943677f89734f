/**
 * Who looks at a case that comes to review: the registered persons who may decide it, in turns. The
 * turn is read off the newest case in review, so that no counter is kept.
 */
import type { Person } from '#core/identity';
import { DomainError } from '#core/kernel';
import type { CasePorts } from './ports.ts';
import { DECIDERS, roles } from './roles.ts';
import { tierOf } from './states.ts';
import { type CaseRecord, caseTable } from './tables.ts';

const LOOKS_MAX = 20;

/** Who has the case already stays, where they may or nobody else is registered who may. */
export async function nextAssignee(
  { listPersons, tables }: Pick<CasePorts, 'listPersons' | 'tables'>,
  record: Pick<CaseRecord, 'assignee' | 'riskTier' | 'tenantId'>,
): Promise<string | undefined> {
  const { assignee, tenantId } = record;
  const deciders = DECIDERS[tierOf(record)] as readonly string[];
  const persons = (await listPersons(tenantId))
    .filter((person) => person.roles.some((role) => deciders.includes(role)))
    .map(({ id }) => `person:${id}`)
    .sort();
  if (assignee !== undefined && persons.includes(assignee)) return assignee;
  const { records } = await tables.page(caseTable, {
    direction: 'descending',
    equal: { status: 'manual_review', tenantId },
    index: 'byStatus',
    limit: LOOKS_MAX,
  });
  const last = records.map((one) => one.assignee).find((one) => one && persons.includes(one));
  return persons.find((one) => last === undefined || one > last) ?? persons[0] ?? assignee;
}

/** Whether a person works on cases. */
export const worksOnCases = ({ roles: own }: Pick<Person, 'roles'>): boolean =>
  own.some((role) => (roles.work as readonly string[]).includes(role));

/** The person of an id, as records name him. Throws `body-invalid` for anybody else. */
export async function assigneeOf(
  { listPersons }: Pick<CasePorts, 'listPersons'>,
  { assignee, tenantId }: Pick<CaseRecord, 'tenantId'> & { readonly assignee: string },
): Promise<string> {
  const id = assignee.replace(/^person:/, '');
  const person = (await listPersons(tenantId)).find((one) => one.id === id);
  if (person !== undefined && worksOnCases(person)) return `person:${id}`;
  const detail = 'expected the id of a registered person who works on cases';
  const violations = [{ code: 'format', detail, pointer: '/assignee' }];
  throw new DomainError('body-invalid', { detail, violations });
}
