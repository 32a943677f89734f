/** What screening counts, for Prometheus. Labels are decisions and stages, never a tenant. */
import type { Clock } from '#platform/clock';
import type { Metrics } from '#platform/metrics';
import { NO_TRACER, type Tracer } from '#platform/tracing/tracer';

/** `match`: lists chosen, candidates retrieved and scored. `commit`: the evidence made durable. */
export type ScreeningStage = 'match' | 'commit';

/** How a screening is counted on its way. */
export interface ScreeningFigures {
  /** Times a stage, failed or not, and makes it a step of the trace. */
  stage<Value>(stage: ScreeningStage, work: () => Promise<Value>): Promise<Value>;
  /** A screening whose evidence is durable. */
  screened(decision: string): void;
}

/** Around the targets of interface.md 8: 30, 50 and 200 ms. */
const STAGE_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1, 5];

/** Registers the figures. Once for a process. */
export function createScreeningFigures(
  metrics: Metrics,
  clock: Pick<Clock, 'monotonicMs'>,
  tracer: Tracer = NO_TRACER,
): ScreeningFigures {
  const decisions = metrics.counter({
    help: 'Screenings whose evidence is durable, by decision',
    labels: ['decision'],
    name: 'screenings_total',
  });
  const seconds = metrics.histogram({
    buckets: STAGE_BUCKETS_S,
    help: 'Seconds that a stage of a screening took',
    labels: ['stage'],
    name: 'screening_stage_seconds',
  });
  const queries = metrics.gauge({
    help: 'Queries that wait for an engine thread or run in one',
    name: 'engine_queries_open',
  });
  return {
    screened: (decision) => decisions.labels(decision).inc(),
    async stage(stage, work) {
      const startMs = clock.monotonicMs();
      if (stage === 'match') queries.inc();
      try {
        return await tracer.step(stage, {}, work);
      } finally {
        if (stage === 'match') queries.dec();
        seconds.labels(stage).observe((clock.monotonicMs() - startMs) / 1_000);
      }
    },
  };
}
