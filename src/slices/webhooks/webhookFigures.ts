/**
 * What a worker counts of webhooks, for Prometheus. Labels are outcomes, never a tenant or an
 * endpoint: their figures are the tenant's own (kpis.ts).
 */
import { allRecords, type Tables } from '#core/kernel';
import type { Metrics } from '#platform/metrics';
import type { JudgedAttempt } from './attempt.ts';
import { pendingTotal } from './pending.ts';
import { tallyPlaceTable } from './tallyTables.ts';

/** From the commit to the first attempt's answer, and over the hours of the retries. */
const DELAY_BUCKETS_S = [
  0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 28_800, 86_400,
];

/** How attempts are counted. */
export interface WebhookFigures {
  attempted(judged: JudgedAttempt): void;
}

/** Registers the figures. Once for a process. */
export function createWebhookFigures(
  metrics: Metrics,
  { tables }: { readonly tables: Pick<Tables, 'page'> },
): WebhookFigures {
  const attempts = metrics.counter({
    help: 'Attempts at deliveries: delivered, or why one has failed',
    labels: ['outcome'],
    name: 'webhook_attempts_total',
  });
  const delay = metrics.histogram({
    buckets: DELAY_BUCKETS_S,
    help: 'Seconds from an event to the success of its delivery',
    name: 'webhook_delay_seconds',
  });
  const pending = metrics.gauge({
    help: 'Deliveries of all tenants that wait for their first attempt, as they were last counted',
    name: 'webhook_pending',
  });
  metrics.beforeExposing(async () => {
    const ask = { index: 'key' };
    // The store does not answer: the figure of the last scrape stays.
    const places = await allRecords(tables, tallyPlaceTable, ask).catch(() => undefined);
    if (places === undefined) return;
    pending.set(places.reduce((sum, place) => sum + pendingTotal(place.pending), 0));
  });
  return {
    attempted({ member, next }) {
      if (member.duration_ms === null) return; // none was made
      const { attempts: made, createdAt, deliveredAt, isConfidential, isTest } = next;
      if (isConfidential === true) return;
      attempts.labels(made.at(-1)?.failureReason ?? 'delivered').inc();
      if (deliveredAt === undefined || isTest === true) return;
      delay.observe(Math.max(0, deliveredAt - createdAt) / 1_000);
    },
  };
}
