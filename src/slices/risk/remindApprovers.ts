/**
 * Approvers who have not signed a submitted policy are written to: when it is submitted, and every
 * 48 hours; on day 7 it is escalated. How far that is stands in the policy, so that of several
 * workers one tells, and a clock that jumps skips steps and repeats none. Notifications make mails
 * of what is told here.
 */
import { entry } from '#core/audit';
import { RISK_ROLE_PAIR, type Role } from '#core/identity';
import { type BusEvent, chainOf, DomainError, isConflict, type PageCursor } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { nextPolicy, putPolicy } from './policyRecord.ts';
import type { RiskDeskPorts } from './ports.ts';
import { heldPolicies, policyTarget } from './signedRisk.ts';
import { type RiskPolicy, riskPolicyTable } from './tables.ts';

/** Between two reminders. */
export const REMINDER_MS = 48 * 3_600_000;
/** From the submission to the escalation. */
export const ESCALATION_MS = 7 * 24 * 3_600_000;
const PAGE = 100;

/** Roles of which nobody has approved yet. */
export function missingApprovers({
  approvals = [],
}: Pick<RiskPolicy, 'approvals'>): readonly Role[] {
  const have = new Set(approvals.map(({ role }) => role));
  return [...RISK_ROLE_PAIR.first, ...RISK_ROLE_PAIR.second].filter((role) => !have.has(role));
}

/** Somebody is asked for an approval, for the first time or again. */
export const awaitedEvent = (policy: RiskPolicy, step: number): BusEvent => ({
  partition: policy.tenantId,
  payload: { missing_roles: missingApprovers(policy), policy_id: policy.policyId, step },
  topic: 'risk.approval.awaited',
});

/** The policy waits for no approval any more. */
export const decidedEvent = ({ policyId, status, tenantId }: RiskPolicy): BusEvent => ({
  partition: tenantId,
  payload: { policy_id: policyId, status },
  topic: 'risk.approval.decided',
});

const lateEvent = ({ policyId, submission, tenantId }: RiskPolicy): BusEvent => ({
  partition: tenantId,
  payload: {
    policy_id: policyId,
    submitted_at: submission === undefined ? null : toTimestamp(submission.at),
  },
  topic: 'risk.approval.late',
});

/** Tells what is due of all policies that wait; answers of how many. */
export async function remindApprovers(ports: RiskDeskPorts): Promise<number> {
  let reminded = 0;
  for (let after: PageCursor | undefined; ; ) {
    const { next, records } = await ports.tables.page(riskPolicyTable, {
      equal: { isAwaited: true },
      index: 'awaited',
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    for (const policy of records) {
      if (dueOf(policy, ports.clock.now()) !== undefined) reminded += await remind(ports, policy);
    }
    if (next === undefined) return reminded;
    after = next;
  }
}

interface Due {
  readonly step: number;
  readonly isEscalated: boolean;
}

/** Undefined: nothing. Of several steps that were missed the last one counts. */
function dueOf({ submission }: RiskPolicy, now: EpochMs): Due | undefined {
  if (submission === undefined) return undefined;
  const { at, escalatedAt, remindedStep = 0 } = submission;
  const step = Math.floor((now - at) / REMINDER_MS);
  const isEscalated = escalatedAt === undefined && now - at >= ESCALATION_MS;
  if (step <= remindedStep && !isEscalated) return undefined;
  return { isEscalated, step: Math.max(step, remindedStep) };
}

async function remind(
  ports: RiskDeskPorts,
  { policyId, tenantId }: Pick<RiskPolicy, 'policyId' | 'tenantId'>,
): Promise<number> {
  try {
    const before = await ports.signed.findPolicy({ policyId, tenantId });
    const now = ports.clock.now();
    if (before?.status !== 'PENDING_APPROVAL') return 0;
    const due = dueOf(before, now);
    if (due === undefined) return 0;
    await commitReminder(ports, before, { due, now });
    return 1;
  } catch (error) {
    // Another worker was first, or the record was altered, which `doctor` tells.
    const isLeft = error instanceof DomainError && error.code === 'state-altered';
    if (isLeft || isConflict(error)) return 0;
    throw error;
  }
}

async function commitReminder(
  ports: RiskDeskPorts,
  before: RiskPolicy,
  { due, now }: { readonly due: Due; readonly now: EpochMs },
): Promise<void> {
  const { submission } = before;
  if (submission === undefined) return;
  const { isEscalated, step } = due;
  const record = nextPolicy(before, {
    submission: {
      ...submission,
      remindedStep: step,
      ...(isEscalated && { escalatedAt: now }),
    },
  });
  const isStep = step > (submission.remindedStep ?? 0);
  await ports.commit(chainOf(record.tenantId), {
    bus: [
      ...(isStep ? [awaitedEvent(record, step)] : []),
      ...(isEscalated ? [lateEvent(record)] : []),
    ],
    changes: [putPolicy(before, record)],
    events: [
      entry(ports, {
        action: 'risk.policy.reminded',
        actor: 'system:risk',
        at: now,
        members: {
          ...heldPolicies(record),
          escalated: isEscalated,
          missing_roles: [...missingApprovers(record)],
          step,
        },
        target: policyTarget(record),
        ...(isEscalated && { severity: 'NOTICE' as const }),
      }),
    ],
  });
}
