/**
 * What the slice stores: alerts, the notes of people, and a log in which every revision of an alert
 * has the next number. Streams and lists follow the log.
 *
 * An alert names its cause and copies no personal data of it: who was screened is read from the
 * evidence when the alert is shown, so what is erased there is erased here.
 */
import type { AuditAction } from '#core/audit';
import { type BatchId, type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { ReasonCode } from '#slices/exclusions';

/** What raises alerts. */
export const ALERT_TYPES = ['screening', 'batch', 'monitoring', 'list_change'] as const;
/** One of ALERT_TYPES. */
export type AlertType = (typeof ALERT_TYPES)[number];

/** The most severe first, spelt as the interface does. */
export const SEVERITIES = ['Critical', 'High', 'Medium', 'Low'] as const;
/** One of SEVERITIES. */
export type Severity = (typeof SEVERITIES)[number];

/** States of an alert. */
export const ALERT_STATUSES = [
  'open',
  'assigned',
  'in_review',
  'escalated',
  'closed_true_positive',
  'closed_false_positive',
] as const;
/** One of ALERT_STATUSES. */
export type AlertStatus = (typeof ALERT_STATUSES)[number];
/** How an alert may end. */
export type ClosedStatus = Extract<AlertStatus, `closed_${string}`>;

export { REASON_CODES, type ReasonCode } from '#slices/exclusions';

/**
 * Where the evidence of an alert is: a screening's event, a subject of a batch, an exclusion that
 * the list has ended, or what a slice to the right found when a list changed. The id of the alert
 * follows from it.
 */
export type AlertCause =
  | { readonly kind: 'screening'; readonly screeningId: string }
  | {
      readonly kind: 'batch_subject';
      readonly batchId: BatchId;
      readonly batchSubjectId: string;
      readonly ordinal: number;
    }
  | {
      /** The listed party has changed: who was decided not to be it is looked at again. */
      readonly kind: 'exclusion_ended';
      readonly exclusionId: string;
    }
  | {
      readonly kind: 'list_change';
      /** Whom it concerns, as the slice that raises it names them. */
      readonly subjectId: string;
      /** What it was found by: with the subject it names one finding. */
      readonly findingId: string;
    }
  | {
      /** Transactions of a subject that met a rule within one bucket of time. */
      readonly kind: 'rule';
      readonly ruleId: string;
      /** Keyed digest of the subject. */
      readonly subjectKey: string;
      /** floor(occurred_at / length of the rule's buckets). */
      readonly bucket: number;
    }
  | {
      /** A rule that raised too many: the rest of its hour stand under this one. */
      readonly kind: 'rule_storm';
      readonly ruleId: string;
      /** floor(received_at / 1 h). */
      readonly hour: number;
    }
  | {
      /** Rules said nothing of some transactions of a day, since something is missing. */
      readonly kind: 'rules_not_evaluated';
      readonly reason: string;
      /** floor(received_at / 24 h). */
      readonly day: number;
    };

/** What an alert tells of the rule that transactions have met. */
export interface AlertRule {
  readonly ruleVersion: number;
  /** As the rule raised it: lowering the alert's takes no second person away. */
  readonly severity: Severity;
  /** Ids of the first transactions that met it. */
  readonly txIds: readonly string[];
  readonly txTotal: number;
  readonly aggregate?: {
    readonly name: string;
    readonly value: string;
    readonly bound: string;
    readonly unit: string;
  };
  /** A transaction that came late has taken its last trigger away. */
  readonly isOver?: true;
  /** SHA-256 hex of the alert as the rules have it. */
  readonly digest: string;
}

/** How an alert is to end, or has ended. */
export interface AlertOutcome {
  readonly status: ClosedStatus;
  readonly reasonCode?: ReasonCode;
  /** Who proposed it: a person id, an account or a key, as entries name actors. */
  readonly by: string;
  readonly at: EpochMs;
  readonly comment: string;
  /** The second person; absent where one sufficed. */
  readonly confirmedBy?: string;
}

/** Where a hit of a screening stands. `proposed_…`: a second person has to agree. */
export const HIT_STATUSES = [
  'pending',
  'proposed_true_positive',
  'proposed_false_positive',
  'true_positive',
  'false_positive',
] as const;
/** One of HIT_STATUSES. */
export type HitStatus = (typeof HIT_STATUSES)[number];
/** What a person may say of a hit. */
export const HIT_DECISIONS = ['true_positive', 'false_positive'] as const;
/** One of HIT_DECISIONS. */
export type HitDecision = (typeof HIT_DECISIONS)[number];

/** What people have said of one hit; a hit without one is pending. */
export interface HitReview {
  readonly ftmId: string;
  readonly status: HitStatus;
  /** Grows with each decision, and when the alert is opened again. */
  readonly version: number;
  /** Who decided or proposed it; absent while it is pending again. */
  readonly by?: string;
  readonly at?: EpochMs;
  readonly reasonCode?: ReasonCode;
  readonly notes?: string;
  /** The second person; absent where one sufficed. */
  readonly confirmedBy?: string;
  /** Exclusions that were asked for with it. */
  readonly exclusionIds?: readonly string[];
}

/** Something that a person has to look at, from its cause to its outcome. */
export interface Alert {
  readonly tenantId: TenantId;
  readonly alertId: string;
  /** Number of its first revision in the tenant's log: dense, from 1. */
  readonly seq: number;
  readonly type: AlertType;
  readonly severity: Severity;
  /** 0 to 1: the directScore of its leading hit, the most severe and among those the best. */
  readonly score: number;
  /** Id of the list of that hit, e.g. OFAC_SDN; for monitoring `rules`. */
  readonly source: string;
  /** The most severe typology of its hits. */
  readonly typology: string;
  readonly hitsTotal: number;
  /** The rule that found it; for monitoring. */
  readonly ruleId?: string;
  readonly cause: AlertCause;
  /** What it tells of transactions that met a rule. */
  readonly rule?: AlertRule;
  /** Id of the cause: a screening, a subject of a batch, an exclusion. */
  readonly subjectId: string;
  readonly status: AlertStatus;
  /** As entries name actors: `person:<id>`, an account or a key. */
  readonly assignee?: string;
  /** An outcome that waits for a second person. */
  readonly proposal?: AlertOutcome;
  readonly outcome?: AlertOutcome;
  /** Hits that were decided one by one; of a screening alone. */
  readonly reviews?: readonly HitReview[];
  /** Until when it should be closed. */
  readonly dueAt: EpochMs;
  /** `running` until it is closed in time or its time is over. */
  readonly deadline: 'running' | 'met' | 'breached';
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Action of the entry that made this revision: how it is found in the chain. */
  readonly action: AuditAction;
  /** Revision; each has an entry in the chain and a line in the log. */
  readonly version: number;
}

/** A revision of an alert in the order of its tenant's log. */
export interface AlertLogLine {
  readonly tenantId: TenantId;
  readonly seq: number;
  readonly alertId: string;
  readonly revision: number;
  readonly at: EpochMs;
}

/** Alerts of a tenant that nobody has closed. */
export interface AlertTally {
  readonly open: Readonly<Record<Severity, number>>;
  /** By who works on them. */
  readonly assigned: Readonly<Record<string, number>>;
}

/** The last number that a log of a tenant has given, and what is open by then. */
export interface AlertLogHead {
  readonly tenantId: TenantId;
  readonly log: 'alerts';
  readonly seq: number;
  /** Absent in rows of a former release: it is counted by the next revision. */
  readonly tally?: AlertTally;
  readonly version: number;
}

/** What a person wrote beside an alert; never changed. */
export interface AlertNote {
  readonly tenantId: TenantId;
  readonly alertId: string;
  readonly noteId: string;
  /** The alert's, by which notes are in order. */
  readonly revision: number;
  readonly by: string;
  readonly at: EpochMs;
  /** In rows of a former release; the text stands in its entry, from where it can be erased. */
  readonly text?: string;
}

/** How long streams may go back (interface.md 6.4). */
const LOG_KEPT_MS = 30 * 24 * 3_600_000;

/** Alerts by tenant and id. They are kept for ever, as the evidence of what was looked at. */
export const alertTable = table<Alert, 'tenantId' | 'alertId'>('alert', {
  key: ['tenantId', 'alertId'],
  chain: 'tenantId',
  derived: { isRunning: { field: 'deadline', in: ['running'] } },
  indexes: {
    byAssignee: ['tenantId', 'assignee', 'seq'],
    bySeverity: ['tenantId', 'severity', 'seq'],
    bySource: ['tenantId', 'source', 'seq'],
    byStatus: ['tenantId', 'status', 'seq'],
    bySubject: ['tenantId', 'subjectId', 'seq'],
    due: ['isRunning', 'dueAt'],
    newest: ['tenantId', 'seq'],
  },
  personal: {
    assignee: { purpose: 'accountability: who works on the alert' },
    outcome: { purpose: 'accountability: who closed the alert, and why; free text' },
    proposal: { purpose: 'accountability: who proposed its outcome, and why; free text' },
    reviews: { purpose: 'accountability: who decided its hits, and why; free text' },
  },
});

/** Revisions of a tenant's alerts, by number; kept as long as a stream may go back. */
export const alertLogTable = table<AlertLogLine, 'tenantId' | 'seq'>('alert_log', {
  key: ['tenantId', 'seq'],
  chain: 'tenantId',
  writes: 'appendOnly',
  kept: { from: 'at', ms: LOG_KEPT_MS },
  stamp: { fields: [], name: 'alert_log' },
  personal: 'none',
});

/** One row a tenant: who changes it first has the next numbers. */
export const alertLogHeadTable = table<AlertLogHead, 'tenantId' | 'log'>('alert_numbering', {
  key: ['tenantId', 'log'],
  chain: 'tenantId',
  personal: { tally: { purpose: 'work: how many open alerts each person has' } },
});

/** Notes of an alert, in the order of its revisions. */
export const alertNoteTable = table<AlertNote, 'tenantId' | 'alertId' | 'noteId'>(
  'alert_annotation',
  {
    key: ['tenantId', 'alertId', 'noteId'],
    chain: 'tenantId',
    writes: 'appendOnly',
    indexes: { byAlert: ['tenantId', 'alertId', 'revision'] },
    personal: {
      by: { purpose: 'accountability: who wrote the note' },
      text: { purpose: 'case work: what was found out; free text, in rows of a former release' },
    },
  },
);
