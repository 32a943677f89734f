/**
 * Alerts of rules: raised, and revised where more transactions meet the rule, as a part of the
 * commit of whoever evaluates. So an alert and the evaluation that found it are there together, or
 * neither is.
 */
import { type Commit, type EventDraft, entry } from '#core/audit';
import { type BusEvent, DomainError, type TableChange, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { alertDigest, alertIdOf, targetOf } from './alert.ts';
import { logChanges, logEnd, type Revision } from './alertLog.ts';
import type { AlertPorts, ComparesAlerts } from './ports.ts';
import {
  type AlertDraft,
  alertOf,
  createdEntry,
  createdEvent,
  dueAtOf,
  nextAssignees,
} from './raiseAlerts.ts';
import type { AlertSettings } from './settings.ts';
import { type Alert, type AlertRule, alertTable, SEVERITIES, type Severity } from './tables.ts';

/** A draft with what its rule tells, and to whom it belongs. */
export type RuleAlertDraft = AlertDraft & {
  readonly ruleId: string;
  readonly rule: AlertRule;
  /** Stands in the open part of the entry, where it can be erased. */
  readonly accountId?: string;
};

/** What it is raised with. */
export interface RuleAlertPorts extends AlertPorts {
  readonly signed: ComparesAlerts;
}

/**
 * What a commit has of them; empty where all are as they were. The log's head is read first: where
 * others raised some since, the commit is stale. Throws `alert-altered`.
 */
export async function ruleAlertParts(
  ports: RuleAlertPorts,
  tenantId: TenantId,
  drafts: readonly RuleAlertDraft[],
): Promise<Pick<Commit, 'bus' | 'changes' | 'events'>> {
  if (drafts.length === 0) return { bus: [], changes: [], events: [] };
  const settings = await ports.settingsOf(tenantId);
  const end = await logEnd(ports, tenantId);
  const byId = new Map(drafts.map((draft) => [alertIdOf(tenantId, draft.cause), draft]));
  const keys = [...byId.keys()].map((alertId) => ({ alertId, tenantId }));
  const known = new Map(
    (await ports.tables.findMany(alertTable, keys)).map((alert) => [alert.alertId, alert]),
  );
  await requireSigned(ports, tenantId, [...known.values()]);
  const fresh = [...byId].filter(([id]) => !known.has(id)).map(([, draft]) => draft);
  const now = ports.clock.now();
  const assignees = await nextAssignees(ports, { end, settings, tenantId }, fresh.length);
  const revisions: Revision[] = [];
  const events: EventDraft[] = [];
  const bus: BusEvent[] = [];
  for (const [at, draft] of fresh.entries()) {
    const seq = end.seq + revisions.length + 1;
    const next = alertOf(draft, { assignee: assignees[at], now, seq, settings, tenantId });
    revisions.push({ next });
    const { open, ...rest } = createdEntry(ports, next);
    const account = draft.accountId === undefined ? {} : { account_id: draft.accountId };
    events.push({ ...rest, open: { ...open, ...account } });
    bus.push(createdEvent(next));
  }
  for (const [id, draft] of byId) {
    const former = known.get(id);
    if (former === undefined || former.rule?.digest === draft.rule.digest) continue;
    const next = revised(former, draft, { now, settings });
    revisions.push({ former, next });
    events.push(revisedEntry(ports, former, next));
  }
  if (revisions.length === 0) return { bus: [], changes: [], events: [] };
  return { bus, changes: changesOf(tenantId, end, revisions), events };
}

async function requireSigned(
  { signed }: RuleAlertPorts,
  tenantId: TenantId,
  alerts: readonly Alert[],
): Promise<void> {
  const answers = await signed.areAsSigned(tenantId, alerts);
  const bad = alerts.find((_, at) => answers[at] !== true);
  if (bad === undefined) return;
  throw new DomainError('alert-altered', { detail: `alert ${bad.alertId}: not what was signed` });
}

const changesOf = (
  tenantId: TenantId,
  end: Awaited<ReturnType<typeof logEnd>>,
  revisions: readonly Revision[],
): readonly TableChange[] => [
  ...revisions.map(({ former, next }) =>
    former === undefined ? alertTable.insert(next) : alertTable.put(next, former.version),
  ),
  ...logChanges(tenantId, end, revisions),
];

/** Raised, never lowered: what a person made of it stays, unless he has not seen all of it. */
function revised(former: Alert, draft: RuleAlertDraft, at: RevisedAt): Alert {
  const { rule, score } = draft;
  const { now } = at;
  const severity = worse(former.severity, rule.severity, former.rule?.severity);
  const next: Alert = {
    ...former,
    action: 'aml.alert.retriggered',
    rule,
    score: Math.max(former.score, score),
    severity,
    updatedAt: now,
    version: former.version + 1,
  };
  return isToBeSeenAgain(former, rule) ? openedAgain(next, at) : next;
}

interface RevisedAt {
  readonly now: EpochMs;
  readonly settings: Pick<AlertSettings, 'dueHours'>;
}

/**
 * An alert that was closed as no match was closed without these transactions, and the bucket of the
 * rule raises no other one for them. A match stays one: its alert tells of more.
 */
function isToBeSeenAgain({ rule: seen, status }: Alert, rule: AlertRule): boolean {
  if (status !== 'closed_false_positive' || rule.isOver === true) return false;
  const known = new Set(seen?.txIds);
  return rule.txTotal > (seen?.txTotal ?? 0) || rule.txIds.some((id) => !known.has(id));
}

/** Free, as if it were new; the former outcome is in the chain. */
function openedAgain(
  { assignee: _, outcome: __, ...alert }: Alert,
  { now, settings }: RevisedAt,
): Alert {
  const dueAt = dueAtOf(settings, alert.severity, now);
  return { ...alert, deadline: 'running', dueAt, status: 'open' };
}

/** The alert's own severity, unless the rule says a worse one than it did before. */
function worse(own: Severity, next: Severity, before: Severity | undefined): Severity {
  const rank = (severity: Severity) => SEVERITIES.indexOf(severity);
  const isWorse = before === undefined || rank(next) < rank(before);
  return isWorse && rank(next) < rank(own) ? next : own;
}

const revisedEntry = (ports: RuleAlertPorts, former: Alert, next: Alert): EventDraft =>
  entry(ports, {
    action: 'aml.alert.retriggered',
    actor: 'system:rules',
    at: next.updatedAt,
    members: {
      alert_digest: alertDigest(next),
      former_digest: alertDigest(former),
      former_status: former.status,
      ...(former.status !== next.status && { former_outcome: former.outcome?.status ?? null }),
      rule_digest: next.rule?.digest ?? null,
      status: next.status,
      triggering_tx_total: next.rule?.txTotal ?? 0,
      version: next.version,
    },
    target: targetOf(next),
  });
