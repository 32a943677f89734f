/** Logs and traces of a process: every line of work that is traced has the trace's id. */
import { systemClock } from '#platform/clock';
import type { Config } from '#platform/config';
import { createLog, type Log } from '#platform/log';
import type { Metrics } from '#platform/metrics';
import { systemRandom } from '#platform/random';
import { thinLog } from '#platform/thinLog';
import { type OpenTracing, openTracing } from '#platform/tracing/openTracing';
import manifest from '../../package.json' with { type: 'json' };

export interface Telemetry {
  readonly log: Log;
  readonly tracing: OpenTracing;
}

/** `process`: `gateway`, `worker`. */
export async function openTelemetry(
  process: string,
  { config, metrics }: { readonly config: Config; readonly metrics: Metrics },
): Promise<Telemetry> {
  const tracing = await openTracing(config.tracing, {
    clock: systemClock,
    metrics,
    onFailure: (reason) => log.warn({ reason }, 'the collector of traces does not take them'),
    process,
    random: systemRandom,
    version: manifest.version,
  });
  const { traceId } = tracing.tracer;
  const log = thinLog(createLog({ level: config.logLevel, process, traceId }), systemClock);
  return { log, tracing };
}
