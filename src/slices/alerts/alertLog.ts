/**
 * The tenant's log of revisions. Its numbers are dense, and given inside the commit: all writers
 * change the one head row, so that of two the second is stale and begins again. So no number
 * becomes visible after a greater one, and a reader that follows the log misses nothing.
 */
import type { TableChange, Tables, TenantId } from '#core/kernel';
import { type Alert, alertLogHeadTable, alertLogTable } from './tables.ts';

/** The end of a log as it was read. */
export interface LogEnd {
  readonly seq: number;
  /** 0: the tenant has no log yet. */
  readonly version: number;
}

/** The end of a tenant's log. */
export async function logEnd(
  { tables }: { readonly tables: Pick<Tables, 'find'> },
  tenantId: TenantId,
): Promise<LogEnd> {
  return (
    (await tables.find(alertLogHeadTable, { log: 'alerts', tenantId })) ?? { seq: 0, version: 0 }
  );
}

/** Gives these revisions the numbers behind `end`, in order. Stale where others were first. */
export function logChanges(
  tenantId: TenantId,
  end: LogEnd,
  revisions: readonly Alert[],
): TableChange[] {
  const seq = end.seq + revisions.length;
  const head = { log: 'alerts', seq, tenantId, version: end.version + 1 } as const;
  return [
    alertLogHeadTable.put(head, end.version),
    ...revisions.map(({ alertId, updatedAt, version }, at) =>
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
