/**
 * Alerts are raised: records, log, evidence and events in one commit. The id follows from the
 * cause, so raising the same again changes nothing.
 */
import { type EventDraft, entry, overwrite } from '#core/audit';
import { type BusEvent, chainOf, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { alertDigest, alertIdOf, raisedSeverity, subjectIdOf, targetOf } from './alert.ts';
import { type LogEnd, logChanges, logEnd } from './alertLog.ts';
import type { AlertPorts } from './ports.ts';
import type { AlertSettings } from './settings.ts';
import {
  type Alert,
  type AlertCause,
  type AlertRule,
  type AlertType,
  alertTable,
  type Severity,
} from './tables.ts';

/**
 * What a cause says of its alert. A slice to the right raises alerts of its own by it, and answers
 * `listChangeSubject` (asks.ts) with their evidence.
 */
export interface AlertDraft {
  readonly type: AlertType;
  readonly cause: AlertCause;
  readonly score: number;
  readonly source: string;
  readonly typology: string;
  readonly hitsTotal: number;
  /** The rule that found it; for monitoring. */
  readonly ruleId?: string;
  /** What a rule tells that transactions have met; its severity stands for the typology's. */
  readonly rule?: AlertRule;
}

/** Alerts of one commit: their records, lines of the log, and the head. */
const PER_COMMIT_MAX = 200;
const HOUR_MS = 3_600_000;

/** Raises those that are not raised yet, and answers how many. Harmless to repeat. */
export async function raiseAlerts(
  ports: AlertPorts,
  tenantId: TenantId,
  drafts: readonly AlertDraft[],
): Promise<number> {
  if (drafts.length === 0) return 0;
  const settings = await ports.settingsOf(tenantId);
  const wanted = drafts.filter(({ typology }) => isWanted(settings, typology));
  let raised = 0;
  for (let from = 0; from < wanted.length; from += PER_COMMIT_MAX) {
    const some = wanted.slice(from, from + PER_COMMIT_MAX);
    raised += await overwrite(() => raiseSome(ports, { drafts: some, settings, tenantId }));
  }
  return raised;
}

/** The alert as it would be raised now, with nothing written; it has no number yet. */
export const draftedAlert = (
  { clock }: Pick<AlertPorts, 'clock'>,
  of: {
    readonly draft: AlertDraft;
    readonly settings: AlertSettings;
    readonly tenantId: TenantId;
  },
): Alert => alertOf(of.draft, { ...of, assignee: undefined, now: clock.now(), seq: 0 });

/** Raises this one whatever the settings say, unless it is there; answers its id. */
export async function raiseAlert(
  ports: AlertPorts,
  tenantId: TenantId,
  draft: AlertDraft,
): Promise<string> {
  // The caller is about to work on it.
  const settings = { ...(await ports.settingsOf(tenantId)), assignedTo: 'nobody' } as const;
  await overwrite(() => raiseSome(ports, { drafts: [draft], settings, tenantId }));
  return alertIdOf(tenantId, draft.cause);
}

/** Whether a tenant wants an alert for hits of this typology. */
export const isWanted = (
  { raisedFor }: Pick<AlertSettings, 'raisedFor'>,
  typology: string,
): boolean => raisedFor.includes(typology);

/** What is raised, and under which settings. */
export interface Raising {
  readonly tenantId: TenantId;
  readonly settings: AlertSettings;
  readonly drafts: readonly AlertDraft[];
}

async function raiseSome(
  ports: AlertPorts,
  { drafts, settings, tenantId }: Raising,
): Promise<number> {
  const byId = new Map(drafts.map((draft) => [alertIdOf(tenantId, draft.cause), draft]));
  // The head is read first: where others raised some since, the commit is stale.
  const end = await logEnd(ports, tenantId);
  const keys = [...byId.keys()].map((alertId) => ({ alertId, tenantId }));
  for (const { alertId } of await ports.tables.findMany(alertTable, keys)) byId.delete(alertId);
  const missing = [...byId.values()];
  if (missing.length === 0) return 0;
  const now = ports.clock.now();
  const assignees = await nextAssignees(ports, { end, settings, tenantId }, missing.length);
  const alerts = missing.map((draft, at) =>
    alertOf(draft, { assignee: assignees[at], now, seq: end.seq + at + 1, settings, tenantId }),
  );
  await ports.commit(chainOf(tenantId), {
    bus: alerts.map(createdEvent),
    changes: [
      ...alerts.map((alert) => alertTable.insert(alert)),
      ...logChanges(
        tenantId,
        end,
        alerts.map((next) => ({ next })),
      ),
    ],
    events: alerts.map((alert) => createdEntry(ports, alert)),
  });
  return alerts.length;
}

/**
 * Who gets so many new alerts, one after the other: of the persons with the role that the tenant
 * has set, each time who has the fewest open ones, and of those the first by id. None where it has
 * set none, or nobody has the role.
 */
export async function nextAssignees(
  ports: AlertPorts,
  { end, settings, tenantId }: Omit<Raising, 'drafts'> & { readonly end: LogEnd },
  count: number,
): Promise<readonly string[]> {
  const { assignedTo } = settings;
  if (assignedTo === 'nobody') return [];
  const persons = await ports.listPersons(tenantId);
  const team = persons
    .filter(({ roles }) => roles.includes(assignedTo))
    .map(({ id }) => ({ actor: `person:${id}`, open: end.tally.assigned[`person:${id}`] ?? 0 }))
    .sort((one, other) => (one.actor < other.actor ? -1 : 1));
  return Array.from({ length: team.length === 0 ? 0 : count }, () => {
    const least = team.reduce((one, other) => (other.open < one.open ? other : one));
    least.open += 1;
    return least.actor;
  });
}

/** Until when an alert of this severity is to be closed. */
export const dueAtOf = (
  { dueHours }: Pick<AlertSettings, 'dueHours'>,
  severity: Severity,
  now: EpochMs,
): EpochMs => (now + dueHours[severity] * HOUR_MS) as EpochMs;

/** The record of a new alert. */
export function alertOf(
  draft: AlertDraft,
  of: {
    readonly tenantId: TenantId;
    readonly settings: AlertSettings;
    readonly seq: number;
    readonly now: EpochMs;
    readonly assignee: string | undefined;
  },
): Alert {
  const { cause, hitsTotal, ruleId, score, source, type, typology } = draft;
  const { assignee, now, seq, settings, tenantId } = of;
  const severity = raisedSeverity(draft);
  return {
    action: 'aml.alert.created',
    alertId: alertIdOf(tenantId, cause),
    ...(assignee !== undefined && { assignee }),
    cause,
    createdAt: now,
    deadline: 'running',
    dueAt: dueAtOf(settings, severity, now),
    hitsTotal,
    ...(ruleId !== undefined && { ruleId }),
    ...(draft.rule !== undefined && { rule: draft.rule }),
    score,
    seq,
    severity,
    source,
    status: assignee === undefined ? 'open' : 'assigned',
    subjectId: subjectIdOf(cause),
    tenantId,
    type,
    typology,
    updatedAt: now,
    version: 1,
  };
}

/** What others are told of a new alert. Ids and figures: the name of a person stands nowhere. */
const raisedFacts = (alert: Alert) => ({
  alert_id: alert.alertId,
  seq: alert.seq,
  type: alert.type,
  severity: alert.severity,
  source: alert.source,
  rule_id: alert.ruleId ?? null,
  subject_ref: alert.subjectId,
  score: alert.score,
  status: alert.status,
  case_id: null,
  created_at: toTimestamp(alert.createdAt),
  ...(alert.rule !== undefined && {
    aggregate_value: alert.rule.aggregate ?? null,
    rule_version: alert.rule.ruleVersion,
    triggering_tx_ids: alert.rule.txIds,
  }),
});

/** Each has an entry of its own, by which it is found; what its cause is stands in it. */
export const createdEntry = (ports: AlertPorts, alert: Alert): EventDraft =>
  entry(ports, {
    action: 'aml.alert.created',
    actor: 'system:alerts',
    at: alert.createdAt,
    members: {
      alert_digest: alertDigest(alert),
      cause: { ...alert.cause },
      former_digest: null,
      raised: raisedFacts(alert),
      version: alert.version,
      ...(alert.assignee !== undefined && { assignee: alert.assignee }),
    },
    target: targetOf(alert),
  });

/** Tells of a new alert, by ids and figures. */
export const createdEvent = (alert: Alert): BusEvent => ({
  partition: alert.tenantId,
  payload: { schema: 'aml.alert.created.v1', ...raisedFacts(alert) },
  topic: 'aml.alert.created',
});
