/** A decided case comes to review again: by a person, by its time, or by a list. */
import { DomainError } from '#core/kernel';
import type { CaseContent } from './caseContent.ts';
import { openCaseOf } from './caseRecord.ts';
import type { CaseStep, SeenCase } from './changeCase.ts';
import { nextAssignee } from './nextAssignee.ts';
import type { CasePorts } from './ports.ts';
import { moveTo, type Trigger } from './states.ts';

/** Why a case is looked at again. */
export interface Reopening {
  readonly trigger: Extract<Trigger, 'listed' | 'reopen' | 'review_due'>;
  readonly reasonCode: string;
  readonly content?: CaseContent;
  readonly members?: CaseStep['entry']['members'];
}

/**
 * The case in review again; what was decided stays in force until it is decided anew. Throws
 * `case-open-exists` where the customer has another one, `state-conflict` where a later one was
 * decided.
 */
export async function reopenedStep(
  ports: CasePorts,
  { record }: Pick<SeenCase, 'record'>,
  { content, members, reasonCode, trigger }: Reopening,
): Promise<CaseStep> {
  const status = moveTo(record, trigger);
  if (record.supersededBy !== undefined) {
    const detail = `the later case ${record.supersededBy} was decided`;
    throw new DomainError('state-conflict', { detail });
  }
  const open = await openCaseOf(ports, record.tenantId, record.externalRef);
  if (open !== undefined) {
    throw new DomainError('case-open-exists', { detail: `case ${open.caseId} is ${open.status}` });
  }
  return {
    change: {
      assignee: await nextAssignee(ports, record),
      inputsUntil: undefined,
      nextReviewAt: undefined,
      status,
      statusReason: reasonCode,
    },
    ...(content && { content }),
    entry: {
      action: 'kyc.case.reopened',
      members: { ...members, former_status: record.status, reason_code: reasonCode },
      severity: 'NOTICE',
    },
  };
}
