/**
 * Alerts of a tenant, latest first. A page is one walk of the narrowest index that the filters
 * name. It goes on until it is full, or has looked at so many records that the rest is the next
 * page's.
 */
import type { Tables, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  type Alert,
  type AlertStatus,
  type AlertType,
  alertTable,
  type Severity,
} from './tables.ts';

/** Which alerts; a member that is absent matches all. */
export interface AlertFilter {
  /** `assigned`: of any state in which somebody works on it. */
  readonly status?: AlertStatus;
  readonly severity?: Severity;
  readonly source?: string;
  readonly type?: AlertType;
  /** As entries name actors. */
  readonly assignee?: string;
  /** Id of a screening or of a batch's subject. */
  readonly subjectId?: string;
  /** Created from then on. */
  readonly from?: EpochMs;
  /** Created before then. */
  readonly to?: EpochMs;
  /** Whether its time is over. */
  readonly isOverdue?: boolean;
}

/** A page of alerts. */
export interface AlertPageAsk {
  readonly tenantId: TenantId;
  readonly filter: AlertFilter;
  /** Continues behind the alert of this seq. */
  readonly afterSeq?: number;
  readonly limit: number;
}

/** It is short and has a `nextSeq` only where EXAMINED_MAX records were looked at. */
export interface AlertPage {
  readonly alerts: readonly Alert[];
  readonly nextSeq?: number;
}

/** Records that a page looks at. */
export const EXAMINED_MAX = 2_000;
/** What one step reads; a page takes as many steps as it needs. */
const STEP_RECORDS = 200;

/** One more than the limit is looked for, so that the last page is known to be the last. */
export async function readAlerts(
  { tables }: { readonly tables: Pick<Tables, 'page'> },
  ask: AlertPageAsk,
): Promise<AlertPage> {
  const { limit } = ask;
  const walk = walkOf(ask);
  const found: Alert[] = [];
  let before = ask.afterSeq;
  for (let examined = 0; ; ) {
    const { next, records } = await tables.page(alertTable, {
      direction: 'descending',
      limit: STEP_RECORDS,
      ...walk,
      ...(before !== undefined && { to: before }),
    });
    found.push(...records.filter((alert) => passes(alert, ask.filter)));
    const alerts = found.slice(0, limit);
    if (found.length > limit) return withNext(alerts, alerts.at(-1));
    if (next === undefined) return { alerts };
    examined += records.length;
    if (examined >= EXAMINED_MAX) return withNext(alerts, records.at(-1));
    before = records.at(-1)?.seq;
  }
}

const withNext = (alerts: readonly Alert[], last: Alert | undefined): AlertPage => ({
  alerts,
  ...(last !== undefined && { nextSeq: last.seq }),
});

/** Filters by the number of alerts that they usually leave, the fewest first. */
function walkOf({ filter, tenantId }: AlertPageAsk) {
  const { assignee, severity, source, status, subjectId } = filter;
  const walk = (index: string, equal: Readonly<Record<string, string>>) => ({
    equal: { tenantId, ...equal },
    index,
  });
  if (subjectId !== undefined) return walk('bySubject', { subjectId });
  if (assignee !== undefined) return walk('byAssignee', { assignee });
  if (status !== undefined && status !== 'assigned') return walk('byStatus', { status });
  if (severity !== undefined) return walk('bySeverity', { severity });
  if (source !== undefined) return walk('bySource', { source });
  return walk('newest', {});
}

const IN_WORK: ReadonlySet<AlertStatus> = new Set(['assigned', 'in_review', 'escalated']);

/** Whether the filters let an alert through. */
export function passes(alert: Alert, filter: AlertFilter): boolean {
  const { assignee, from, isOverdue, severity, source, status, subjectId, to, type } = filter;
  const isInWork = IN_WORK.has(alert.status) && alert.assignee !== undefined;
  return (
    (status === undefined || (status === 'assigned' ? isInWork : alert.status === status)) &&
    (severity === undefined || alert.severity === severity) &&
    (source === undefined || alert.source === source) &&
    (type === undefined || alert.type === type) &&
    (assignee === undefined || alert.assignee === assignee) &&
    (subjectId === undefined || alert.subjectId === subjectId) &&
    (from === undefined || alert.createdAt >= from) &&
    (to === undefined || alert.createdAt < to) &&
    (isOverdue === undefined || (alert.deadline === 'breached') === isOverdue)
  );
}
