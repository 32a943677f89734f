/**
 * The tenant's log of revisions. Its numbers are dense, and given inside the commit: all writers
 * change the one head row, so that of two the second is stale and begins again. So no number
 * becomes visible after a greater one, and a reader that follows the log misses nothing. The same
 * row counts the open alerts, which nobody could count as exactly beside the commits.
 */
import { everyRecord, type TableChange, type Tables, type TenantId } from '#core/kernel';
import { isClosed } from './alert.ts';
import {
  ALERT_STATUSES,
  type Alert,
  type AlertLogHead,
  type AlertTally,
  alertLogHeadTable,
  alertLogTable,
  alertTable,
} from './tables.ts';

/** The end of a log as it was read. */
export interface LogEnd {
  readonly seq: number;
  /** 0: the tenant has no log yet. */
  readonly version: number;
  readonly tally: AlertTally;
}

/** An alert as it becomes, and as it was; without `former` it is new. */
export interface Revision {
  readonly next: Alert;
  readonly former?: Alert;
}

const NONE: AlertTally = { assigned: {}, open: { Critical: 0, High: 0, Low: 0, Medium: 0 } };

/** The row of a tenant's log; undefined where it has none yet. */
export const logHead = (
  tables: Pick<Tables, 'find'>,
  tenantId: TenantId,
): Promise<AlertLogHead | undefined> => tables.find(alertLogHeadTable, { log: 'alerts', tenantId });

/** The end of a tenant's log. */
export async function logEnd(
  { tables }: { readonly tables: Pick<Tables, 'find' | 'page'> },
  tenantId: TenantId,
): Promise<LogEnd> {
  const head = await logHead(tables, tenantId);
  if (head === undefined) return { seq: 0, tally: NONE, version: 0 };
  const { seq, tally, version } = head;
  return { seq, tally: tally ?? (await counted(tables, tenantId)), version };
}

/** For a log of a former release, whose row counted nothing. */
async function counted(tables: Pick<Tables, 'page'>, tenantId: TenantId): Promise<AlertTally> {
  const revisions: Revision[] = [];
  for (const status of ALERT_STATUSES.filter((one) => !isClosed({ status: one }))) {
    const ask = { equal: { status, tenantId }, index: 'byStatus' };
    for await (const next of everyRecord(tables, alertTable, ask)) revisions.push({ next });
  }
  return tallyAfter(NONE, revisions);
}

/** Counts as they are after these revisions; who has nothing open is not named. */
export function tallyAfter(tally: AlertTally, revisions: readonly Revision[]): AlertTally {
  const open = { ...tally.open };
  const assigned = new Map(Object.entries(tally.assigned));
  const count = (alert: Alert | undefined, by: 1 | -1): void => {
    if (alert === undefined || isClosed(alert)) return;
    open[alert.severity] += by;
    if (alert.assignee === undefined) return;
    const left = (assigned.get(alert.assignee) ?? 0) + by;
    if (left > 0) assigned.set(alert.assignee, left);
    else assigned.delete(alert.assignee);
  };
  for (const { former, next } of revisions) {
    count(former, -1);
    count(next, 1);
  }
  return { assigned: Object.fromEntries(assigned), open };
}

/** Gives these revisions the numbers behind `end`, in order. Stale where others were first. */
export function logChanges(
  tenantId: TenantId,
  end: LogEnd,
  revisions: readonly Revision[],
): TableChange[] {
  const seq = end.seq + revisions.length;
  const tally = tallyAfter(end.tally, revisions);
  const head = { log: 'alerts', seq, tally, tenantId, version: end.version + 1 } as const;
  return [
    alertLogHeadTable.put(head, end.version),
    ...revisions.map(({ next: { alertId, updatedAt, version } }, at) =>
      alertLogTable.insert({
        alertId,
        at: updatedAt,
        revision: version,
        seq: end.seq + at + 1,
        tenantId,
      }),
    ),
  ];
}
