/** What the screening of chunks counts, for Prometheus. A chunk that is done again counts again. */
import type { Clock } from '#platform/clock';
import type { Metrics } from '#platform/metrics';
import { NO_TRACER, type Tracer } from '#platform/tracing/tracer';
import type { ChunkThreads } from './chunkPorts.ts';

const CHUNK_BUCKETS_S = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60];

/** The same threads; what they screen is counted by decision, timed, and a step of the trace. */
export function meteredThreads<Index>(
  threads: ChunkThreads<Index>,
  metrics: Metrics,
  clock: Pick<Clock, 'monotonicMs'>,
  tracer: Tracer = NO_TRACER,
): ChunkThreads<Index> {
  const subjects = metrics.counter({
    help: 'Subjects of batches that were screened, by decision',
    labels: ['decision'],
    name: 'batch_subjects_total',
  });
  const seconds = metrics.histogram({
    buckets: CHUNK_BUCKETS_S,
    help: 'Seconds that the screening of a chunk took, or of a piece of one',
    name: 'batch_chunk_seconds',
  });
  return {
    atOnce: threads.atOnce,
    async screen(ask, signal) {
      const startMs = clock.monotonicMs();
      const attributes = { 'compliance.subjects': ask.chunk.subjects };
      const work = await tracer.step('screen chunk', { attributes }, () =>
        threads.screen(ask, signal),
      );
      seconds.observe((clock.monotonicMs() - startMs) / 1_000);
      // The figures of a chunk that took several pieces come with the last one.
      if ('part' in work) return work;
      for (const [decision, count] of Object.entries(work.figures.byDecision)) {
        subjects.labels(decision).inc(count);
      }
      return work;
    },
  };
}
