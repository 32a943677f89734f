/** How alerts are shown: to people over HTTP, in streams, and by the command line. */
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  type Alert,
  type AlertNote,
  type AlertOutcome,
  type AlertSubject,
  isDecided,
  type ReadNote,
} from '#slices/alerts';

/** An outcome on the wire. */
export const outcomeOf = (outcome: AlertOutcome | undefined) =>
  outcome === undefined
    ? null
    : {
        status: outcome.status,
        reason_code: outcome.reasonCode ?? null,
        comment: outcome.comment,
        by: outcome.by,
        at: toTimestamp(outcome.at),
        confirmed_by: outcome.confirmedBy ?? null,
      };

/** `now`: an alert is overdue from its time on, before the job has marked it. */
export function presentAlert(
  alert: Alert,
  of: {
    readonly subject: AlertSubject;
    readonly now: EpochMs;
    /** It is not what its last entry made it. */
    readonly isAltered?: boolean;
  },
) {
  const { now, subject } = of;
  const { cause } = alert;
  return {
    alert_id: alert.alertId,
    seq: alert.seq,
    revision: alert.version,
    type: alert.type,
    severity: alert.severity,
    score: alert.score,
    source: alert.source,
    typology: alert.typology,
    rule_id: alert.ruleId ?? null,
    rule_version: alert.rule?.ruleVersion ?? null,
    account_id: subject.rule?.accountId ?? subject.payments?.accountId ?? null,
    customer_id: subject.rule?.customerId ?? null,
    triggering_tx_ids: alert.rule?.txIds ?? subject.payments?.txIds ?? [],
    triggering_tx_total: alert.rule?.txTotal ?? subject.payments?.count ?? 0,
    aggregate_value: alert.rule?.aggregate ?? null,
    late: subject.rule?.isLate ?? false,
    holds: alert.rule?.isOver !== true,
    subject: {
      kind: subject.rule?.subjectKind ?? cause.kind,
      id: alert.subjectId,
      batch_id: cause.kind === 'batch_subject' ? cause.batchId : null,
      external_id: subject.externalId ?? null,
      name: subject.names?.[0] ?? null,
      erased: subject.isErased,
      fault: subject.fault ?? null,
    },
    hits_total: alert.hitsTotal,
    hits_decided: alert.reviews?.filter(isDecided).length ?? 0,
    status: alert.status,
    assignee: alert.assignee ?? null,
    case_id: null,
    due_at: toTimestamp(alert.dueAt),
    sla_breached: isBreached(alert, now),
    proposal: outcomeOf(alert.proposal),
    outcome: outcomeOf(alert.outcome),
    created_at: toTimestamp(alert.createdAt),
    updated_at: toTimestamp(alert.updatedAt),
    fault: of.isAltered === true ? 'alert-altered' : null,
  };
}

const isBreached = ({ deadline, dueAt }: Alert, now: EpochMs): boolean =>
  deadline === 'breached' || (deadline === 'running' && dueAt <= now);

/** One alert with all that helps to decide it. */
export function presentDetail(
  alert: Alert,
  of: {
    readonly subject: AlertSubject;
    readonly notes: readonly (AlertNote & ReadNote)[];
    readonly isClosableByOne: boolean;
    readonly now: EpochMs;
  },
) {
  return {
    ...presentAlert(alert, of),
    hits: of.subject.hits.map((hit) => ({
      ftm_id: hit.ftmId,
      primary_name: hit.primaryName,
      source: hit.source,
      typology: hit.typology,
      score: hit.score,
      matched_name: hit.matchedName,
    })),
    notes: of.notes.map(({ at, by, noteId, text }) => ({
      note_id: noteId,
      by,
      at: toTimestamp(at),
      text: text ?? null,
    })),
    explanation: of.subject.rule?.explanation ?? null,
    closable_by_one: of.isClosableByOne,
  };
}

/** Its ETag: an alert changes by revisions alone. */
export const etagOf = ({ version }: Pick<Alert, 'version'>): string => `"v${version}"`;
