/**
 * Failures of a tenant in a sliding hour. To know whether there are BURST_FAILURES of them the
 * times of so many suffice: the last ones.
 */
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { BURST_FAILURES } from './limits.ts';
import type { NoticePorts } from './ports.ts';
import { windowTable } from './tables.ts';

const HOUR_MS = 3_600_000;
const OF = 'webhook_failures';

/** Counted in the hour before an instant; at most BURST_FAILURES, which is what is kept. */
export const withinHour = (times: readonly EpochMs[], now: EpochMs): number =>
  times.filter((at) => at > now - HOUR_MS).length;

/** Adds a failure, once for its event; answers the times of the last ones. */
export async function addFailure(
  { tables }: Pick<NoticePorts, 'tables'>,
  of: { readonly tenantId: TenantId; readonly eventId: string; readonly at: EpochMs },
): Promise<readonly EpochMs[]> {
  const { at, eventId, tenantId } = of;
  const key = { of: OF, tenantId } as const;
  const found = await tables.find(windowTable, key);
  if (found === undefined) await tables.insertMissing(windowTable, [{ ...key, version: 1 }]);
  const { lastEventId = '', times = [] } = found ?? {};
  if (eventId <= lastEventId) return times;
  const next = [...times, at].slice(-BURST_FAILURES);
  await tables.saveWork(windowTable, { key, work: { lastEventId: eventId, times: next } });
  return next;
}

/** The times of the last failures. */
export async function failureTimes(
  { tables }: Pick<NoticePorts, 'tables'>,
  tenantId: TenantId,
): Promise<readonly EpochMs[]> {
  return (await tables.find(windowTable, { of: OF, tenantId }))?.times ?? [];
}
