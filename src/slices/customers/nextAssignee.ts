/**
 * Who looks at a case that comes to review: the registered persons who may decide it, in turns. The
 * turn is read off the newest case in review, so that no counter is kept.
 */
import type { Person } from '#core/identity';
import { DomainError, type TenantId } from '#core/kernel';
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

/**
 * The person as a case names them. Throws `body-invalid` where there is no such person, or none of
 * their roles decides a case of any tier.
 */
export async function requireAssignee(
  { listPersons }: Pick<CasePorts, 'listPersons'>,
  { assignee, tenantId }: { readonly assignee: string; readonly tenantId: TenantId },
): Promise<string> {
  const id = assignee.replace(/^person:/, '');
  const person = (await listPersons(tenantId)).find((one) => one.id === id);
  if (person !== undefined && decidesCases(person)) return `person:${id}`;
  const detail = `expected the id of a registered person with one of ${roles.decide.join(', ')}`;
  const violations = [{ code: 'format', detail, pointer: '/assignee' }];
  throw new DomainError('body-invalid', { detail, violations });
}

const decidesCases = ({ roles: own }: Pick<Person, 'roles'>): boolean =>
  own.some((role) => (roles.decide as readonly string[]).includes(role));
