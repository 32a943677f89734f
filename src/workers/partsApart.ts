/** Tells of tenants that a job had to leave out: a line of the log, and a figure for Prometheus. */
import { eachApart, type PerTenant } from '#core/work';
import type { Log } from '#platform/log';
import type { Metrics } from '#platform/metrics';

/** One for a process; each run of a job asks for its own. */
export function createPartsApart({
  log,
  metrics,
}: {
  readonly log: Pick<Log, 'warn'>;
  readonly metrics: Pick<Metrics, 'counter'>;
}): (job: string) => PerTenant {
  const failed = metrics.counter({
    help: 'Tenants that a job left out since their part of it failed; it went on with the others',
    labels: ['job'],
    name: 'job_tenants_failed_total',
  });
  return (job) =>
    eachApart((tenantId, error) => {
      failed.labels(job).inc();
      log.warn({ error, job, tenant_id: tenantId }, 'a job left a tenant out');
    });
}
