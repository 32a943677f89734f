/** How far the checkpoints of this process are behind the chains, for Prometheus. */
import type { Metrics } from '#platform/metrics';

/** What one pass of the job has left. */
export interface CheckpointsWaiting {
  /** Chains with events after their last checkpoint. */
  readonly chains: number;
  /** Milliseconds since the first of them was seen. */
  readonly oldestMs: number;
}

/** Answers what the job tells after each pass; the figures are those of the last one. */
export function registerCheckpointFigures(metrics: Metrics): (waiting: CheckpointsWaiting) => void {
  const chains = metrics.gauge({
    help: 'Chains with events after their last checkpoint',
    name: 'audit_checkpoints_waiting',
  });
  const oldest = metrics.gauge({
    help: 'Seconds that the events of a chain have waited for their checkpoint, the longest',
    name: 'audit_checkpoint_oldest_seconds',
  });
  return (waiting) => {
    chains.set(waiting.chains);
    oldest.set(waiting.oldestMs / 1_000);
  };
}
