/** What a worker counts of re-screening, for Prometheus: of all tenants together. */
import type { TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import type { Metrics } from '#platform/metrics';

/** A worker that has not planned for so long does not know how far behind anybody is. */
const KNOWN_MS = 120_000;

/** How runs and their planning are counted. */
export interface RescreeningFigures {
  /** A chunk of a run is committed: customers of it, and those of them that were screened whole. */
  looked(customers: number, screened: number): void;
  /** Since when a tenant's customers are behind the lists in force; undefined: they are not. */
  planned(tenantId: TenantId, behindSince: EpochMs | undefined): void;
}

/** Registers the figures. Once for a process. */
export function createRescreeningFigures(
  metrics: Metrics,
  clock: Pick<Clock, 'now'>,
): RescreeningFigures {
  const customers = metrics.counter({
    help: 'Customers that runs have looked at: left as they are, or screened whole',
    labels: ['outcome'],
    name: 'rescreening_customers_total',
  });
  const lag = metrics.gauge({
    help: 'Seconds for which the customers of some tenant are behind the lists in force, at most',
    name: 'rescreening_lag_seconds',
  });
  const behind = new Map<TenantId, EpochMs>();
  let plannedAt = 0;
  metrics.beforeExposing(async () => {
    const now = clock.now();
    // Another worker plans now, and tells.
    if (now - plannedAt > KNOWN_MS) behind.clear();
    const since = Math.min(now, ...behind.values());
    lag.set((now - since) / 1_000);
  });
  return {
    looked(all, screened) {
      customers.labels('unaffected').inc(all - screened);
      customers.labels('screened').inc(screened);
    },
    planned(tenantId, since) {
      plannedAt = clock.now();
      if (since === undefined) behind.delete(tenantId);
      else behind.set(tenantId, since);
    },
  };
}
