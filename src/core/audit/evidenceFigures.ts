/** Whether the evidence can be signed, for Prometheus. */
import type { Metrics } from '#platform/metrics';
import type { HeadGuard } from './headGuard.ts';

/** Registers the figures of the head guard, read at each scrape. */
export function registerEvidenceFigures(
  metrics: Metrics,
  { headGuard }: { readonly headGuard: Pick<HeadGuard, 'behind'> },
): void {
  const behind = metrics.gauge({
    help: 'Chains whose store is older than their checkpoints: nothing is signed in them',
    name: 'audit_chains_behind',
  });
  metrics.beforeExposing(async () => {
    // The store does not answer: the figure of the last scrape stays.
    const chains = await headGuard.behind().catch(() => undefined);
    if (chains !== undefined) behind.set(chains.length);
  });
}
