/** Somebody else works on a case. */
import type { CaseAsk } from './caseRecord.ts';
import { changeCase } from './changeCase.ts';
import { requireAssignee } from './nextAssignee.ts';
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
    const assignee = await requireAssignee(ports, ask);
    return {
      change: { assignee },
      entry: {
        action: 'case.reassigned',
        members: { assignee, former_assignee: record.assignee ?? null },
      },
    };
  });
}
