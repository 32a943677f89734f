/**
 * How far each subscriber of the outbox is behind, for Prometheus. The labels are names in the
 * code.
 */
import type { Clock } from '#platform/clock';
import type { Metrics } from '#platform/metrics';
import type { OutboxStore } from './ports.ts';

/**
 * Registers the figures, which are read at each scrape. While the store fails they are left out.
 */
export function registerReactionFigures(
  metrics: Metrics,
  { clock, outbox }: { readonly clock: Clock; readonly outbox: Pick<OutboxStore, 'figures'> },
): void {
  const labels = ['subscriber'] as const;
  const waiting = metrics.gauge({
    help: 'Events that a subscriber has not done, counted up to ten thousand',
    labels,
    name: 'reactions_events_waiting',
  });
  const age = metrics.gauge({
    help: 'Seconds since the oldest event that a subscriber has not done was committed',
    labels,
    name: 'reactions_oldest_event_seconds',
  });
  const setAside = metrics.gauge({
    help: 'Events that a subscriber could not do, until somebody retries or drops them',
    labels,
    name: 'reactions_events_set_aside',
  });
  metrics.beforeExposing(async () => {
    const figures = await outbox.figures().catch(() => []);
    for (const gauge of [waiting, age, setAside]) gauge.reset();
    for (const figure of figures) {
      const { oldestAt, subscriber } = figure;
      const seconds = oldestAt === undefined ? 0 : (clock.now() - oldestAt) / 1_000;
      waiting.labels(subscriber).set(figure.waiting);
      age.labels(subscriber).set(Math.max(0, seconds));
      setAside.labels(subscriber).set(figure.setAside);
    }
  });
}
