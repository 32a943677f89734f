/** Somebody else works on a case. */
import { DomainError } from '#core/kernel';
import type { CaseAsk } from './caseRecord.ts';
import { changeCase } from './changeCase.ts';
import { worksOnCases } from './nextAssignee.ts';
import { requireUndecided } from './patchCase.ts';
import type { CasePorts } from './ports.ts';
import type { CaseRecord } from './tables.ts';

/** `assignee`: the id of a registered person. Throws `state-conflict`, `body-invalid`. */
export function assignCase(
  ports: CasePorts,
  ask: CaseAsk & { readonly assignee: string },
): Promise<CaseRecord> {
  return changeCase(ports, ask, async ({ record }) => {
    requireUndecided(record);
    const assignee = await assigneeOf(ports, ask);
    return {
      change: { assignee },
      entry: {
        action: 'case.reassigned',
        members: { assignee, former_assignee: record.assignee ?? null },
      },
    };
  });
}

async function assigneeOf(
  { listPersons }: CasePorts,
  { assignee, tenantId }: Pick<CaseAsk, 'tenantId'> & { readonly assignee: string },
): Promise<string> {
  const id = assignee.replace(/^person:/, '');
  const person = (await listPersons(tenantId)).find((one) => one.id === id);
  if (person !== undefined && worksOnCases(person)) return `person:${id}`;
  const detail = 'expected the id of a registered person who works on cases';
  const violations = [{ code: 'format', detail, pointer: '/assignee' }];
  throw new DomainError('body-invalid', { detail, violations });
}
