/**
 * The one way in which a case is changed: found as it was signed, its content opened, the step
 * made, what is missing counted anew, and one commit. A case that lacks nothing any more moves on
 * to its checks in the same commit, with the task that a worker does; so does one in review whose
 * subject is somebody else now.
 */
import { type Commit, overwrite } from '#core/audit';
import type { DataKey } from '#core/blobs';
import { chainOf, type TableChange } from '#core/kernel';
import { uuidV7 } from '#platform/random';
import { type CaseContent, openContent, sealContent } from './caseContent.ts';
import {
  type CaseAsk,
  type CaseChange,
  kycEntry,
  nextCase,
  putCase,
  requireCase,
  requireEtag,
} from './caseRecord.ts';
import { identityChange, isSameIdentity } from './identityChange.ts';
import { missingOf } from './missing.ts';
import type { CasePorts } from './ports.ts';
import { caseTarget } from './signedCases.ts';
import { isWaiting, moveTo } from './states.ts';
import { keyOfSubject } from './subjects.ts';
import { type CaseRecord, type CaseTask, taskTable } from './tables.ts';
import { type Workflow, workflowOf } from './workflows.ts';

/** A case in hand. */
export interface SeenCase {
  readonly record: CaseRecord;
  readonly content: CaseContent;
  readonly workflow: Workflow;
  readonly key: DataKey;
}

/** What a step makes of it. */
export interface CaseStep {
  readonly change: CaseChange;
  readonly content?: CaseContent;
  /** The customer has given something: a case that waited for it goes on. */
  readonly isInput?: boolean;
  /** Speaks against the customer: an approval that waits was proposed without it. */
  readonly isAgainst?: boolean;
  readonly entry: Pick<Parameters<typeof kycEntry>[1], 'action' | 'members' | 'severity'>;
  /** What the commit has beside the case. */
  readonly beside?: (next: CaseRecord) => Partial<Pick<Commit, 'bus' | 'changes' | 'events'>>;
}

/** The case with its content and workflow. Throws `case-unknown`, `subject-erased`. */
export async function seeCase(
  ports: Pick<CasePorts, 'dataKeys' | 'random' | 'signed'>,
  place: Pick<CaseAsk, 'caseId' | 'tenantId'>,
): Promise<SeenCase> {
  const record = await requireCase(ports, place);
  const [key, workflow] = await Promise.all([
    keyOfSubject(ports, record),
    workflowOf(ports, record),
  ]);
  return { content: openContent(ports.random, key, record), key, record, workflow };
}

/** Throws `case-unknown`, `precondition-failed`, and what the step throws. */
export function changeCase(
  ports: CasePorts,
  ask: CaseAsk,
  step: (seen: SeenCase) => CaseStep | Promise<CaseStep>,
): Promise<CaseRecord> {
  return overwrite(async () => {
    const seen = await seeCase(ports, ask);
    requireEtag(seen.record, ask.isExpected);
    return commitStep(ports, ask, { seen, step: await step(seen) });
  });
}

/** One commit of a step. */
export async function commitStep(
  ports: CasePorts,
  ask: Pick<CaseAsk, 'actor' | 'answer' | 'ip'>,
  { seen, step }: { readonly seen: SeenCase; readonly step: CaseStep },
): Promise<CaseRecord> {
  const { actor, answer, ip } = ask;
  const { record } = seen;
  const { content = seen.content } = step;
  const { dropped, hasTask, next } = nextState(ports, seen, step);
  const beside = step.beside?.(next) ?? {};
  await ports.commit(chainOf(record.tenantId), {
    bus: beside.bus ?? [],
    changes: [
      putCase(record, next),
      ...(hasTask ? [newTask(ports, next, { kind: 'checks' })] : []),
      ...(beside.changes ?? []),
    ],
    events: [
      kycEntry(ports, {
        ...step.entry,
        actor,
        at: next.updatedAt,
        ip,
        kind: 'case',
        members: {
          ...step.entry.members,
          status: next.status,
          ...(dropped !== undefined && { dropped_decision_id: dropped }),
        },
        record: next,
        target: caseTarget(next),
      }),
      ...(beside.events ?? []),
    ],
    idempotency: (sealed) => answer?.kept?.({ content, record: next, sealed }),
  });
  if (hasTask) ports.wake(record.tenantId);
  return next;
}

function nextState(ports: CasePorts, seen: SeenCase, step: CaseStep) {
  const { content: before, key, record, workflow } = seen;
  const { change, content = before, isAgainst = false, isInput = false } = step;
  const now = ports.clock.now();
  const changed: CaseRecord = { ...record, ...change } as CaseRecord;
  const missing = missingOf(changed, { now, subject: content.subject, workflow: workflow.content });
  const sealed =
    step.content === undefined ? record.sealed : sealContent(ports.random, key, record, content);
  const goesOn = missing.length === 0 && isWaiting(changed) && isInput;
  const moved: CaseChange = goesOn
    ? {
        expiresAt: undefined,
        status: moveTo(changed, changed.status === 'open' ? 'inputs_complete' : 'new_input'),
        submittedAt: now,
      }
    : {};
  const isOther = !isSameIdentity(before.subject, content.subject);
  const isCheckedAnew = isOther && changed.status === 'manual_review';
  // Who decided has not seen what was given since.
  const isUnseen = isInput || isAgainst || isCheckedAnew;
  const dropped = isUnseen ? record.pending?.decisionId : undefined;
  const next = nextCase(record, {
    ...change,
    ...moved,
    ...(isCheckedAnew &&
      identityChange({ ...record, status: changed.status }, { checks: changed.checks, now })),
    missing,
    sealed,
    updatedAt: now,
    ...(dropped !== undefined && { pending: undefined }),
  });
  return { dropped, hasTask: goesOn || isCheckedAnew, next };
}

/** Work for a worker, due at once where nothing else is said. */
export function newTask(
  { clock, random }: Pick<CasePorts, 'clock' | 'random'>,
  { caseId, tenantId }: Pick<CaseRecord, 'caseId' | 'tenantId'>,
  of: Pick<CaseTask, 'documentId' | 'dueAt' | 'kind' | 'template'> &
    Partial<Pick<CaseTask, 'taskId'>>,
): TableChange {
  const now = clock.now();
  return taskTable.insert({
    ...of,
    caseId,
    createdAt: now,
    dueAt: of.dueAt ?? now,
    state: 'open',
    taskId: of.taskId ?? uuidV7(now, random),
    tenantId,
    version: 1,
  });
}
