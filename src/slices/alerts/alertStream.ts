/** The log of a tenant's alerts as streams read it: where it begins and ends, and what it has. */
import type { Tables, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { logHead } from './alertLog.ts';
import {
  type Alert,
  type AlertLogLine,
  alertLogHeadTable,
  alertLogTable,
  alertTable,
} from './tables.ts';

/** A revision as a stream shows it: the alert as it is now, under the number of the log. */
export interface LoggedAlert {
  readonly line: AlertLogLine;
  readonly alert: Alert;
}

type LogTables = Pick<Tables, 'find' | 'findMany' | 'page' | 'stamp'>;

/** Lines that one read takes. */
const TAIL_LINES = 200;

/** The greatest number of a tenant's log. */
export async function lastLogSeq(tables: LogTables, tenantId: TenantId): Promise<number> {
  return (await logHead(tables, tenantId))?.seq ?? 0;
}

/** The least number that the log still has; undefined where it has none. */
export async function oldestLogSeq(
  tables: LogTables,
  tenantId: TenantId,
): Promise<number | undefined> {
  const ask = { equal: { tenantId }, index: 'key', limit: 1 };
  return (await tables.page(alertLogTable, ask)).records[0]?.seq;
}

/** The first number at or after an instant; undefined where there is none yet. */
export async function logSeqSince(
  tables: LogTables,
  tenantId: TenantId,
  since: EpochMs,
): Promise<number | undefined> {
  const last = await lastLogSeq(tables, tenantId);
  let low = (await oldestLogSeq(tables, tenantId)) ?? last + 1;
  let high = last + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const line = await tables.find(alertLogTable, { seq: middle, tenantId });
    // A line that the purge has taken meanwhile was older.
    if (line === undefined || line.at < since) low = middle + 1;
    else high = middle;
  }
  return low > last ? undefined : low;
}

/** A part of a log. */
export interface LogPart {
  readonly alerts: readonly LoggedAlert[];
  /** The last line that was read, also where its alert is gone; of no line the place before. */
  readonly seq: number;
}

/** Lines behind `afterSeq` with their alerts, in order; at most TAIL_LINES. */
export async function readTail(
  tables: LogTables,
  tenantId: TenantId,
  afterSeq: number,
): Promise<LogPart> {
  const { records } = await tables.page(alertLogTable, {
    equal: { tenantId },
    from: afterSeq + 1,
    index: 'key',
    limit: TAIL_LINES,
  });
  const ids = [...new Set(records.map(({ alertId }) => alertId))];
  const keys = ids.map((alertId) => ({ alertId, tenantId }));
  const found = keys.length === 0 ? [] : await tables.findMany(alertTable, keys);
  const alerts = new Map(found.map((alert) => [alert.alertId, alert]));
  return {
    alerts: records.flatMap((line) => {
      const alert = alerts.get(line.alertId);
      return alert === undefined ? [] : [{ alert, line }];
    }),
    seq: records.at(-1)?.seq ?? afterSeq,
  };
}

/** Tenants of one read of ends. */
const ENDS_MAX = 1_000;

/** The greatest number of each of these tenants' logs; a tenant without a log has none. */
export async function logEnds(
  tables: Pick<Tables, 'findMany'>,
  tenants: readonly TenantId[],
): Promise<ReadonlyMap<TenantId, number>> {
  const ends = new Map<TenantId, number>();
  for (let from = 0; from < tenants.length; from += ENDS_MAX) {
    const some = tenants.slice(from, from + ENDS_MAX);
    const keys = some.map((tenantId) => ({ log: 'alerts', tenantId }) as const);
    for (const { seq, tenantId } of await tables.findMany(alertLogHeadTable, keys)) {
      ends.set(tenantId, seq);
    }
  }
  return ends;
}
