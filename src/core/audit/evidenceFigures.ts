/** Whether the evidence can be signed, for Prometheus. */
import type { Metrics } from '#platform/metrics';
import type { HeadGuard } from './headGuard.ts';

/** Registers the figures of the head guard, read at each scrape. */
export function registerEvidenceFigures(
  metrics: Metrics,
  { headGuard }: { readonly headGuard: Pick<HeadGuard, 'behind'> },
): void {
  const behind = metrics.gauge({
    help: 'Chains that nothing is signed in: behind their checkpoints, or one of these is altered',
    name: 'audit_chains_behind',
  });
  const altered = metrics.gauge({
    help: 'Chains with a checkpoint beside the store that is not what was signed',
    name: 'audit_checkpoints_altered',
  });
  metrics.beforeExposing(async () => {
    // The store does not answer: the figure of the last scrape stays.
    const chains = await headGuard.behind().catch(() => undefined);
    if (chains === undefined) return;
    behind.set(chains.length);
    altered.set(chains.filter(({ isAltered }) => isAltered).length);
  });
}
