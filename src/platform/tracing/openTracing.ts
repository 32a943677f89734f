/**
 * Tracing as the environment configures it. Everything that makes and sends spans is loaded only
 * where it is on, so that a process without it has neither its memory nor its start.
 */
import { hostname } from 'node:os';
import type { Clock } from '../clock.ts';
import type { Metrics } from '../metrics.ts';
import { type Random, uuidV7 } from '../random.ts';
import type { TracingConfig } from '../tracingConfig.ts';
import { NO_TRACER, type Tracer } from './tracer.ts';

export interface OpenTracing {
  readonly tracer: Tracer;
  /** Sends what waits, and waits no longer than a moment for that. */
  close(): Promise<void>;
}

export interface TracingOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  /** `gateway`, `worker`. */
  readonly process: string;
  readonly version: string;
  /** The collector does not take spans. */
  readonly onFailure: (reason: string) => void;
}

const CLOSE_MS_MAX = 2_000;
const SERVICE_NAME = 'compliance-platform';

export async function openTracing(
  config: TracingConfig | undefined,
  options: TracingOptions,
): Promise<OpenTracing> {
  if (config === undefined) return { close: async () => undefined, tracer: NO_TRACER };
  const [otlp, recording, outgoing, queues, { withinMs }] = await Promise.all([
    import('./otlpExport.ts'),
    import('./recordingTracer.ts'),
    import('./outgoingCalls.ts'),
    import('./spanQueue.ts'),
    import('../processLife.ts'),
  ]);
  const { clock, metrics, onFailure, random } = options;
  const resource = resourceOf(config, options);
  const exporter = otlp.openOtlpExport({ config, onFailure, resource });
  const queue = new queues.SpanQueue({ ...config.queue, metrics, send: exporter.send });
  const tracer = recording.createRecordingTracer({
    clock,
    dropped: (count) => queue.drop(count),
    ended: (spans) => queue.add(spans),
    random,
    sampler: config.sampler,
  });
  const watch = outgoing.watchOutgoingCalls(tracer, clock);
  return {
    async close() {
      watch.end();
      await withinMs(queue.close(), CLOSE_MS_MAX);
      exporter.close();
    },
    tracer,
  };
}

const resourceOf = (
  { resource, serviceName = SERVICE_NAME }: TracingConfig,
  { clock, process: name, random, version }: TracingOptions,
): Readonly<Record<string, string>> => ({
  'host.name': hostname(),
  'service.instance.id': uuidV7(clock.now(), random),
  'service.version': version,
  ...resource,
  'compliance.process': name,
  'service.name': serviceName,
});
