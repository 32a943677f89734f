/**
 * Alerts of a tenant, latest first. A page is one walk of the narrowest index that the filters
 * name. It goes on until it is full, or has looked at so many records that the rest is the next
 * page's. Times bound the walk: numbers and times ascend together, but for clocks that differ.
 */
import type { PageCursor, Tables, TenantId } from '#core/kernel';
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
  /** Asked before each further step of the walk; false ends the page there. */
  readonly mayReadOn?: () => Promise<boolean>;
}

/**
 * It is short and has a `nextSeq` only where EXAMINED_MAX records were looked at, or it may not
 * read on.
 */
export interface AlertPage {
  readonly alerts: readonly Alert[];
  readonly nextSeq?: number;
}

/** Records that a page looks at. */
export const EXAMINED_MAX = 2_000;
/** What one step reads; a page takes as many steps as it needs. */
const STEP_RECORDS = 200;
/** What is read to learn the time of one place. */
const PROBE_RECORDS = 4;
/** Clocks of processes differ by less. */
const SKEW_MS = 60_000;

/** One more than the limit is looked for, so that the last page is known to be the last. */
export async function readAlerts(
  { tables }: { readonly tables: Pick<Tables, 'page'> },
  ask: AlertPageAsk,
): Promise<AlertPage> {
  const { limit } = ask;
  const { fromSeq, toSeq } = await boundsOf(tables, ask);
  const walk = {
    ...walkOf(ask),
    ...(fromSeq !== undefined && { from: fromSeq }),
    ...(toSeq !== undefined && { to: toSeq }),
  };
  const found: Alert[] = [];
  let after: PageCursor | undefined;
  for (let examined = 0; ; examined += STEP_RECORDS) {
    const { next, records } = await tables.page(alertTable, {
      direction: 'descending',
      limit: STEP_RECORDS,
      ...walk,
      ...(after !== undefined && { after }),
    });
    found.push(...records.filter((alert) => passes(alert, ask.filter)));
    const alerts = found.slice(0, limit);
    if (found.length > limit) return withNext(alerts, alerts.at(-1)?.seq);
    if (next === undefined) return { alerts };
    const isOver = examined >= EXAMINED_MAX - STEP_RECORDS;
    if (isOver || (await ask.mayReadOn?.()) === false) return withNext(alerts, Number(next[0]));
    after = next;
  }
}

/** Numbers that hold all alerts of the times asked for, behind the alert that was the last. */
async function boundsOf(
  tables: Pick<Tables, 'page'>,
  { afterSeq, filter: { from, to }, tenantId }: AlertPageAsk,
): Promise<{ readonly fromSeq?: number; readonly toSeq?: number }> {
  const end = to === undefined ? undefined : await seqFrom(tables, tenantId, to + SKEW_MS);
  const known = [afterSeq, end].filter((one) => one !== undefined);
  return {
    ...(from !== undefined && { fromSeq: await seqFrom(tables, tenantId, from - SKEW_MS) }),
    ...(known.length > 0 && { toSeq: Math.min(...known) }),
  };
}

/**
 * A number: the alert before it was created before this time, and the one from it on then or later.
 * So what comes before that alert was created no more than the skew after the time, and what comes
 * behind the other no more than the skew before.
 */
async function seqFrom(
  tables: Pick<Tables, 'page'>,
  tenantId: TenantId,
  time: number,
): Promise<number> {
  // Some, for one that cannot be read is left out.
  const walk = { equal: { tenantId }, index: 'newest', limit: PROBE_RECORDS } as const;
  const last = await tables.page(alertTable, { ...walk, direction: 'descending' });
  let [low, high] = [1, (last.records[0]?.seq ?? 0) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [alert] = (await tables.page(alertTable, { ...walk, from: middle, to: high })).records;
    if (alert !== undefined && alert.createdAt < time) low = alert.seq + 1;
    else high = middle;
  }
  return low;
}

const withNext = (alerts: readonly Alert[], nextSeq: number | undefined): AlertPage => ({
  alerts,
  ...(nextSeq !== undefined && { nextSeq }),
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
