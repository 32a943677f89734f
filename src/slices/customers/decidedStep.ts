/**
 * The end of a case: approved or rejected, by people or by its workflow. One commit has the state,
 * the entry that both catalogues are told from, the message, the mail, and the end of the cases
 * before it: of one customer one decision is in force.
 */
import type { Actor } from '#core/audit';
import type { TableChange } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { CaseContent } from './caseContent.ts';
import { type CaseChange, kycEntry, nextCase, putCase } from './caseRecord.ts';
import { type CaseStep, newTask, type SeenCase } from './changeCase.ts';
import type { CasePorts } from './ports.ts';
import { caseTarget } from './signedCases.ts';
import { moveTo, type Trigger, tierOf } from './states.ts';
import { casesOfSubject } from './subjects.ts';
import type { CaseRecord, Decision } from './tables.ts';

/** How a case ends. */
export interface Ending {
  readonly trigger: Extract<
    Trigger,
    'approve' | 'checks_failed_for_good' | 'checks_passed' | 'reject'
  >;
  readonly decision: Decision;
  readonly actor: Actor;
  /** What else the step changes: of the checks, of the risk. */
  readonly change?: CaseChange;
  readonly content?: CaseContent;
}

/** Throws `state-conflict`. */
export async function decidedStep(
  ports: Pick<CasePorts, 'clock' | 'random' | 'signed' | 'tables'>,
  { record, workflow }: Pick<SeenCase, 'record' | 'workflow'>,
  { actor, change = {}, content, decision, trigger }: Ending,
): Promise<CaseStep> {
  const status = moveTo(record, trigger) as 'approved' | 'rejected';
  const { decidedAt } = decision;
  const changed = { ...record, ...change } as CaseRecord;
  const months = workflow.content.review_every_months[tierOf(changed)];
  const replaced = await replacedBy(ports, record, { actor, at: decidedAt });
  return {
    change: {
      ...change,
      decidedAt,
      decision,
      expiresAt: undefined,
      nextReviewAt: status === 'approved' ? afterMonths(decidedAt, months) : undefined,
      pending: undefined,
      proposedDecision: undefined,
      standing: status,
      status,
      statusReason: decision.reasonCode,
    },
    ...(content && { content }),
    beside: (next) => ({
      bus: [decidedEvent(next, decision)],
      changes: [...replaced.changes, ...mailOf(ports, next, decision)],
      events: replaced.events,
    }),
    entry: {
      action: 'kyc.case.decision_made',
      members: {
        confirmed_by: decision.confirmedBy ?? null,
        decided_at: toTimestamp(decidedAt),
        decided_by: decision.decidedBy,
        decision: status,
        decision_id: decision.decisionId,
        external_ref: record.externalRef,
        mode: decision.mode,
        reason_code: decision.reasonCode,
        risk_tier: changed.riskTier ?? null,
        ...(record.sessionId !== undefined && { session_id: record.sessionId }),
      },
      severity: 'NOTICE',
    },
  };
}

/** Ids and the state (decisions 7.6). */
const decidedEvent = (
  { caseId, status, tenantId }: CaseRecord,
  { decidedAt, decisionId }: Decision,
) => ({
  partition: tenantId,
  payload: {
    case_id: caseId,
    decided_at: toTimestamp(decidedAt),
    decision: status,
    decision_id: decisionId,
  },
  topic: 'kyc.case.decided' as const,
});

const mailOf = (
  ports: Pick<CasePorts, 'clock' | 'random'>,
  next: CaseRecord,
  { emailTemplate: template }: Decision,
): readonly TableChange[] =>
  template === undefined ? [] : [newTask(ports, next, { kind: 'mail', template })];

/** Decided cases of the customer that a later one replaces, and that nobody reviews any more. */
async function replacedBy(
  ports: Pick<CasePorts, 'clock' | 'random' | 'signed' | 'tables'>,
  record: CaseRecord,
  by: { readonly actor: Actor; readonly at: EpochMs },
) {
  const before = (await casesOfSubject(ports, record)).filter(
    ({ caseId, standing, supersededBy }) =>
      caseId !== record.caseId && standing !== undefined && supersededBy === undefined,
  );
  const steps = before.map((one) => ({
    before: one,
    next: nextCase(one, {
      nextReviewAt: undefined,
      supersededBy: record.caseId,
      updatedAt: by.at,
    }),
  }));
  return {
    changes: steps.map((step) => putCase(step.before, step.next)),
    events: steps.map(({ next }) =>
      kycEntry(ports, {
        action: 'kyc.case.superseded',
        actor: by.actor,
        at: by.at,
        kind: 'case',
        members: { superseded_by: record.caseId },
        record: next,
        target: caseTarget(next),
      }),
    ),
  };
}

/** The same day so many months later (UTC), or the last one of a month that is shorter. */
export function afterMonths(from: EpochMs, months: number): EpochMs {
  const date = new Date(from);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, days));
  return date.getTime() as EpochMs;
}
