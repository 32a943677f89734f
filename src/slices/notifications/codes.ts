/**
 * What people are told of, as tables: the codes of conditions, each with its severity, what it says
 * when it opens and closes, whom it is for, and its runbook; and the kinds of notices.
 *
 * A slice to the left tells by events of the bus; its codes get their rows here, and a text in each
 * language, which does not compile without.
 */
/** How much it matters, worst first. */
export const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const;
/** One of SEVERITIES. */
export type Severity = (typeof SEVERITIES)[number];

/** Whom a notice is for: the tenant's people and operations, or operations alone. */
export type Audience = 'tenant' | 'operations';

/** An alert is a state of operation; a ticket asks somebody to mend something. */
export type ConditionKind = 'alert' | 'ticket';

/** Kinds of notices: keys of the texts. */
export const NOTICE_KINDS = [
  'webhook.failing',
  'webhook.failed',
  'webhook.recovered',
  'webhook.disabling',
  'webhook.disabled',
  'webhook.moved',
  'webhook.certificate',
  'webhook.certificate_renewed',
  'webhook.burst',
  'webhook.burst_over',
  'chain.broken',
  'chain.acknowledged',
  'alerts.altered',
  'alerts.restored',
  'replay.different',
  'replay.settled',
  'rescreening.late',
  'rescreening.in_time',
  'rescreening.different',
  'rescreening.settled',
  'privacy.due',
  'privacy.overdue',
  'risk.approval_asked',
  'risk.approval_due',
  'risk.approval_late',
  'risk.approval_decided',
  'tax.form_ending',
  'tax.form_ended',
] as const;
/** One of NOTICE_KINDS. */
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** What is declared of a code. */
export interface ConditionRow {
  readonly kind: ConditionKind;
  readonly severity: Severity;
  readonly audience: Audience;
  /** Key of the text that tells of it. */
  readonly opens: NoticeKind;
  /** Key of the text that tells that it is over. */
  readonly closes: NoticeKind;
  readonly runbook: string;
}

/** Every code, with its row. */
export const CONDITIONS = {
  /** Three attempts in a row have failed at an endpoint, without a success between. */
  WEBHOOK_FAILING: {
    audience: 'tenant',
    closes: 'webhook.recovered',
    kind: 'alert',
    opens: 'webhook.failing',
    runbook: 'docs/runbooks/EndpointsFailing.md',
    severity: 'MEDIUM',
  },
  /** Deliveries to an endpoint have failed for good: one ticket, on which they are counted. */
  WEBHOOK_FAILED: {
    audience: 'tenant',
    closes: 'webhook.recovered',
    kind: 'ticket',
    opens: 'webhook.failed',
    runbook: 'docs/runbooks/EndpointsFailing.md',
    severity: 'HIGH',
  },
  /** So many of a tenant's deliveries have failed for good within an hour. */
  WEBHOOK_FAILED_BURST: {
    audience: 'operations',
    closes: 'webhook.burst_over',
    kind: 'alert',
    opens: 'webhook.burst',
    runbook: 'docs/runbooks/WebhookFailedBurst.md',
    severity: 'CRITICAL',
  },
  /** The client certificate of an endpoint ends within 30 days, or has ended. */
  CERTIFICATE_EXPIRING: {
    audience: 'tenant',
    closes: 'webhook.certificate_renewed',
    kind: 'alert',
    opens: 'webhook.certificate',
    runbook: 'docs/runbooks/CertificateExpiring.md',
    severity: 'MEDIUM',
  },
  /** An event of a chain is not what was signed; until two persons have acknowledged it. */
  CHAIN_BROKEN: {
    audience: 'tenant',
    closes: 'chain.acknowledged',
    kind: 'alert',
    opens: 'chain.broken',
    runbook: 'docs/runbooks/ChainBroken.md',
    severity: 'CRITICAL',
  },
  /** Alerts of the tenant are not what was signed; until all of them are again. */
  ALERTS_ALTERED: {
    audience: 'tenant',
    closes: 'alerts.restored',
    kind: 'alert',
    opens: 'alerts.altered',
    runbook: 'docs/runbooks/AlertsAltered.md',
    severity: 'CRITICAL',
  },
  /** A screening that was repeated has another result; until it is identical again. */
  REPLAY_DIFFERENT: {
    audience: 'tenant',
    closes: 'replay.settled',
    kind: 'alert',
    opens: 'replay.different',
    runbook: 'docs/runbooks/ReplayDifferent.md',
    severity: 'CRITICAL',
  },
  /** Customers are not compared for hours with the lists in force; until they are. */
  RESCREENING_LATE: {
    audience: 'tenant',
    closes: 'rescreening.in_time',
    kind: 'alert',
    opens: 'rescreening.late',
    runbook: 'docs/runbooks/RescreeningLate.md',
    severity: 'HIGH',
  },
  /** The weekly full pass has found what the others missed; until one finds nothing more. */
  RESCREENING_DIFFERENT: {
    audience: 'tenant',
    closes: 'rescreening.settled',
    kind: 'alert',
    opens: 'rescreening.different',
    runbook: 'docs/runbooks/RescreeningDifferent.md',
    severity: 'CRITICAL',
  },
  /** A risk policy has waited seven days for its approvals; until somebody decides. */
  RISK_APPROVAL_LATE: {
    audience: 'tenant',
    closes: 'risk.approval_decided',
    kind: 'alert',
    opens: 'risk.approval_late',
    runbook: 'docs/runbooks/RiskApprovalLate.md',
    severity: 'HIGH',
  },
} as const satisfies Readonly<Record<string, ConditionRow>>;

/** A code that has a row. */
export type ConditionCode = keyof typeof CONDITIONS;

/** The row of a code. */
export const rowOf = (code: ConditionCode): ConditionRow => CONDITIONS[code];
