/**
 * How an alert ends, and is opened again. Where a second person has to agree, closing proposes an
 * outcome, and another registered person confirms or refuses it. The second person is another
 * person, whatever the account (decision 8.4), so both must be registered.
 */
import type { Person } from '#core/identity';
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { isClosed, raisedSeverity } from './alert.ts';
import {
  type AlertAsk,
  changeAlert,
  requireAssignee,
  requireInWork,
  requireStatus,
  requireSupervisor,
  type Step,
  type Worker,
} from './changeAlert.ts';
import { pendingAgain } from './hitReviews.ts';
import { COMMENT_CHARS_MIN } from './limits.ts';
import type { AlertDeskPorts } from './ports.ts';
import { roles } from './roles.ts';
import type { AlertSettings } from './settings.ts';
import type { Alert, AlertOutcome, ClosedStatus, HitDecision, ReasonCode } from './tables.ts';

/** What a person says when they close an alert. */
export interface CloseAlert extends AlertAsk {
  readonly status: ClosedStatus;
  readonly reasonCode?: ReasonCode;
  readonly comment: string;
}

/**
 * The alert, closed, or with an outcome that waits for a second person. Throws `state-conflict`,
 * `not-assignee`, `role-insufficient`, `comment-too-short`, `body-invalid` and, where a second
 * person is needed, `person-required`.
 */
export async function closeAlert(ports: AlertDeskPorts, ask: CloseAlert): Promise<Alert> {
  const settings = await ports.settingsOf(ask.tenantId);
  return changeAlert(ports, ask, (alert, worker) => {
    requireInWork(alert);
    requireStatus(alert, 'in_review', 'escalated');
    requireWords(ask);
    if (ask.status === 'closed_true_positive') requireSupervisor(worker);
    requireAssignee(alert, worker);
    return closeOrPropose({ alert, ask, now: ports.clock.now(), settings, worker });
  });
}

/** The alert, closed by one person, or proposed to a second. */
export function closeOrPropose({
  alert,
  ask: { comment, reasonCode, status },
  now,
  settings,
  worker,
}: {
  readonly alert: Alert;
  readonly ask: Pick<CloseAlert, 'comment' | 'reasonCode' | 'status'>;
  readonly now: EpochMs;
  readonly settings: AlertSettings;
  readonly worker: Worker;
}): Step {
  const isMatch = alert.reviews?.some((review) => review.status === 'true_positive') === true;
  if (isMatch && status === 'closed_false_positive') {
    const detail = 'a hit of the alert was decided to be a true positive';
    throw new DomainError('state-conflict', { detail });
  }
  const outcome: AlertOutcome = {
    at: now,
    by: worker.actor,
    comment,
    ...(reasonCode !== undefined && { reasonCode }),
    status,
  };
  if (!needsSecond(settings, alert, status)) return closing(alert, outcome, now);
  requireRegistered(worker);
  return {
    action: 'aml.alert.proposed',
    change: { proposal: outcome },
    members: outcomeMembers(outcome),
    open: { comment },
  };
}

/** What people say of a hit, as the outcome of an alert. */
export const STATUS_OF: Readonly<Record<HitDecision, ClosedStatus>> = {
  false_positive: 'closed_false_positive',
  true_positive: 'closed_true_positive',
};

/** A comment, and for a false positive a reason as a code and a longer one. */
export function requireWords({
  comment,
  reasonCode,
  status,
}: {
  readonly comment: string;
  readonly reasonCode?: ReasonCode | undefined;
  readonly status: ClosedStatus;
}): void {
  if (comment.trim() === '') throw new DomainError('comment-required');
  if (status === 'closed_true_positive') return;
  if (comment.trim().length < COMMENT_CHARS_MIN) {
    const detail = `expected ${COMMENT_CHARS_MIN} characters or more`;
    throw new DomainError('comment-too-short', { detail });
  }
  if (reasonCode !== undefined) return;
  const detail = 'expected the reason of a false positive';
  const violations = [{ code: 'missing', detail, pointer: '/reason_code' }];
  throw new DomainError('body-invalid', { violations });
}

/** Whether one person does not suffice (decision 8.4, monitoring.md 4). */
export function needsSecond(
  { fourEyes }: Pick<AlertSettings, 'fourEyes'>,
  alert: Pick<Alert, 'rule' | 'ruleId' | 'severity' | 'type' | 'typology'>,
  status: ClosedStatus,
): boolean {
  // A lowered severity does not take the second person away.
  const { severity, type, typology } = alert;
  const raised = raisedSeverity(alert);
  const isCritical = severity === 'Critical' || raised === 'Critical';
  if (status === 'closed_true_positive') return isCritical;
  if (type === 'monitoring') return isCritical || severity === 'High' || raised === 'High';
  return fourEyes === 'all' || (fourEyes === 'sanctions' && typology === 'MATCH_DIRECT_SANCTIONS');
}

/** Throws `person-required`. */
export function requireRegistered({ person }: Worker): Person {
  if (person === undefined) throw new DomainError('person-required');
  return person;
}

const outcomeMembers = ({ by, reasonCode, status }: AlertOutcome) => ({
  outcome: status,
  proposed_by: by,
  reason_code: reasonCode ?? null,
});

/** The end of an alert. */
export function closing(alert: Alert, outcome: AlertOutcome, now: EpochMs): Step {
  return {
    action: 'aml.alert.closed',
    change: {
      deadline: alert.deadline === 'running' && now <= alert.dueAt ? 'met' : 'breached',
      outcome,
      proposal: undefined,
      status: outcome.status,
    },
    members: { ...outcomeMembers(outcome), confirmed_by: outcome.confirmedBy ?? null },
    open: { comment: outcome.comment },
  };
}

/** What the second person says. */
export interface ConfirmAlert extends AlertAsk {
  readonly isConfirmed: boolean;
  /** Why it is refused. */
  readonly comment?: string;
}

/**
 * The alert, closed as it was proposed; or, where the outcome is refused, in the state before.
 * Throws `state-conflict`, `role-insufficient`, `person-required`, `second-person-required`,
 * `comment-required`.
 */
export function confirmAlert(ports: AlertDeskPorts, ask: ConfirmAlert): Promise<Alert> {
  return changeAlert(ports, ask, (alert, worker) => {
    const { proposal } = alert;
    if (proposal === undefined || isClosed(alert)) {
      throw new DomainError('state-conflict', { detail: 'no outcome waits for a second person' });
    }
    requireSecond(proposal, worker);
    if (ask.isConfirmed) {
      return closing(alert, { ...proposal, confirmedBy: worker.actor }, ports.clock.now());
    }
    const { comment = '' } = ask;
    if (comment.trim() === '') throw new DomainError('comment-required');
    return {
      action: 'aml.alert.refused',
      change: { proposal: undefined },
      members: outcomeMembers(proposal),
      open: { comment },
    };
  });
}

/** Throws `role-insufficient`, `person-required`, `second-person-required`. */
export function requireSecond({ by }: Pick<AlertOutcome, 'by'>, worker: Worker): void {
  requireSupervisor(worker);
  requireRegistered(worker);
  if (by === worker.actor) throw new DomainError('second-person-required');
}

/** The alert with all its hits, pending again. Throws `state-conflict`, `role-insufficient`. */
export function reopenAlert(
  ports: AlertDeskPorts,
  ask: AlertAsk & { readonly comment: string },
): Promise<Alert> {
  return changeAlert(ports, ask, (alert, worker) => {
    requireReopener(worker);
    requireStatus(alert, 'closed_true_positive', 'closed_false_positive');
    return {
      action: 'aml.alert.reopened',
      change: {
        assignee: worker.actor,
        deadline: alert.dueAt > ports.clock.now() ? 'running' : 'breached',
        outcome: undefined,
        ...(alert.reviews !== undefined && { reviews: pendingAgain(alert.reviews) }),
        status: 'in_review',
      },
      members: { former_outcome: alert.outcome?.status ?? null },
      open: { comment: ask.comment },
    };
  });
}

function requireReopener({ roles: held }: Pick<Worker, 'roles'>): void {
  const allowed: readonly string[] = roles.reopen;
  if (!held.some((role) => allowed.includes(role))) throw new DomainError('role-insufficient');
}
