/** What a worker tells of alerts, for Prometheus: of all tenants together. */
import { everyRecord, type Tables } from '#core/kernel';
import type { Metrics } from '#platform/metrics';
import { alertLogHeadTable, SEVERITIES, type Severity } from './tables.ts';

/** What is counted as it happens. */
export interface AlertFigures {
  overdue(severity: Severity): void;
  /** Alerts that were compared with the chain, and those of all tenants that stand altered. */
  watched(of: { readonly altered: number; readonly compared: number }): void;
}

/** Registers the figures. Once for a process. */
export function createAlertFigures(
  metrics: Metrics,
  { tables }: { readonly tables: Pick<Tables, 'page'> },
): AlertFigures {
  const breaches = metrics.counter({
    help: 'Alerts that were not closed within their time, as this worker has marked them',
    labels: ['severity'],
    name: 'alerts_overdue_total',
  });
  const open = metrics.gauge({
    help: 'Alerts of all tenants that nobody has closed',
    labels: ['severity'],
    name: 'alerts_open',
  });
  metrics.beforeExposing(async () => {
    // The store does not answer: the figures of the last scrape stay.
    const counts = await openAlerts(tables).catch(() => undefined);
    for (const severity of SEVERITIES) {
      if (counts !== undefined) open.labels(severity).set(counts[severity]);
    }
  });
  const compared = metrics.counter({
    help: 'Alerts that this worker has compared with their last signed entries',
    name: 'alerts_compared_total',
  });
  const altered = metrics.gauge({
    help: 'Alerts of all tenants that are not what was signed, as this worker last compared them',
    name: 'alerts_altered',
  });
  return {
    overdue: (severity) => breaches.labels(severity).inc(),
    watched(of) {
      compared.inc(of.compared);
      altered.set(of.altered);
    },
  };
}

/** Open alerts of all tenants: a row for each tenant has them. */
export async function openAlerts(tables: Pick<Tables, 'page'>): Promise<Record<Severity, number>> {
  const counts = { Critical: 0, High: 0, Low: 0, Medium: 0 };
  for await (const { tally } of everyRecord(tables, alertLogHeadTable, { index: 'key' })) {
    for (const severity of SEVERITIES) counts[severity] += tally?.open[severity] ?? 0;
  }
  return counts;
}
