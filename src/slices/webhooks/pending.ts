/**
 * Deliveries that wait for their first attempt: no entry tells of them yet, so they are counted in
 * the store. A request counts a page of them; what is more than that is counted beside requests,
 * and kept with its time.
 */
import { PAGE_RECORDS_MAX, type Tables, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { deliveryTable, type WebhookDelivery } from './tables.ts';
import { KPI_PERIODS } from './tally.ts';

/** Those of one endpoint and event that were created in one bucket. */
export interface PendingGroup {
  readonly endpointId: string;
  readonly eventType: string;
  readonly bucketMs: number;
  readonly at: EpochMs;
  count: number;
}

/** All of a tenant. */
export interface PendingCounts {
  readonly countedAt: EpochMs;
  /** What the count took: a long one is not made again at once. */
  readonly tookMs: number;
  /** By endpoint, whenever they were created. */
  readonly waiting: Readonly<Record<string, { readonly count: number; readonly oldest: EpochMs }>>;
  readonly groups: readonly PendingGroup[];
}

export const NONE_PENDING: PendingCounts = {
  countedAt: 0 as EpochMs,
  groups: [],
  tookMs: 0,
  waiting: {},
};

export const pendingTotal = ({ waiting }: Pick<PendingCounts, 'waiting'>): number =>
  Object.values(waiting).reduce((sum, { count }) => sum + count, 0);

/** Counts them, oldest first. Undefined: there are more than `max`. */
export async function countPending(
  { clock, tables }: PendingPorts,
  tenantId: TenantId,
  max = Number.POSITIVE_INFINITY,
): Promise<PendingCounts | undefined> {
  const startMs = clock.monotonicMs();
  const countedAt = clock.now();
  const groups = new Map<string, PendingGroup>();
  const waiting: Record<string, { count: number; oldest: EpochMs }> = {};
  let examined = 0;
  for (let after: string | undefined; ; ) {
    const { records } = await tables.page(deliveryTable, {
      equal: { status: 'PENDING', tenantId },
      index: 'byStatus',
      limit: PAGE_RECORDS_MAX,
      ...(after !== undefined && { after: [after, tenantId, after] }),
    });
    examined += records.length;
    if (examined > max || (records.length === PAGE_RECORDS_MAX && examined === max)) return;
    for (const delivery of records) {
      if (delivery.isTest !== true && delivery.isConfidential !== true) add(delivery);
    }
    after = records.at(-1)?.deliveryId;
    if (records.length < PAGE_RECORDS_MAX || after === undefined) break;
  }
  const tookMs = Math.round(clock.monotonicMs() - startMs);
  return { countedAt, groups: [...groups.values()], tookMs, waiting };

  function add({ createdAt, endpointId, eventType }: WebhookDelivery): void {
    waiting[endpointId] ??= { count: 0, oldest: createdAt };
    waiting[endpointId].count++;
    for (const { bucketMs, buckets } of Object.values(KPI_PERIODS)) {
      const at = (Math.floor(createdAt / bucketMs) * bucketMs) as EpochMs;
      if (at + buckets * bucketMs <= countedAt) continue;
      const name = `${endpointId} ${eventType} ${bucketMs} ${at}`;
      const group = groups.get(name) ?? { at, bucketMs, count: 0, endpointId, eventType };
      group.count++;
      groups.set(name, group);
    }
  }
}

export interface PendingPorts {
  readonly tables: Pick<Tables, 'page'>;
  readonly clock: { now(): EpochMs; monotonicMs(): number };
}
