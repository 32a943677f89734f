/** From the environment to a collector over HTTP, and to one that is not there. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '#platform/clock';
import { loadConfig } from '#platform/config';
import { createMetrics } from '#platform/metrics';
import { systemRandom } from '#platform/random';
import { openTracing } from '#platform/tracing/openTracing';
import { NO_TRACER } from '#platform/tracing/tracer';
import { type Collector, startCollector } from './collector.ts';

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(() => collector.close());

async function tracing(environment: Readonly<Record<string, string>>) {
  const failures: string[] = [];
  const metrics = createMetrics({ processFigures: false });
  const opened = await openTracing(loadConfig(environment).tracing, {
    clock: systemClock,
    metrics,
    onFailure: (reason) => failures.push(reason),
    process: 'test',
    random: systemRandom,
    version: '1.2.3',
  });
  return { ...opened, failures, metrics };
}

test('without an endpoint there is no tracer, and no figure of one', async () => {
  const { metrics, tracer } = await tracing({});
  expect(tracer).toBe(NO_TRACER);
  expect((await metrics.expose()).text).not.toContain('trace_spans');
});

test.each(['none', 'gzip'])('spans come as OTLP over HTTP (compression: %s)', async (packed) => {
  const { close, tracer } = await tracing({
    OTEL_EXPORTER_OTLP_COMPRESSION: packed,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/otlp/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test,service.name=no',
    OTEL_SERVICE_NAME: 'screening',
    OTEL_TRACES_SAMPLER: 'always_on',
  });
  const before = Date.now();
  await tracer
    .step('outer', { kind: 'server' }, () =>
      tracer.step('inner', { attributes: { 'compliance.lists': 3 } }, () =>
        Promise.reject(new RangeError('x')),
      ),
    )
    .catch(() => undefined);
  await close();
  const [inner, outer] = collector.spans;
  expect(collector.requests).toMatchObject([
    { ':path': '/otlp/v1/traces', authorization: 'Bearer abc', 'content-type': 'application/json' },
  ]);
  expect(collector.resource).toMatchObject({
    'compliance.process': 'test',
    'deployment.environment': 'test',
    'service.name': 'screening',
    'service.version': '1.2.3',
  });
  expect(inner).toMatchObject({
    attributes: { 'compliance.lists': '3', 'error.type': 'RangeError' },
    kind: 1,
    name: 'inner',
    parentSpanId: outer?.spanId,
    status: { code: 2 },
    traceId: outer?.traceId,
  });
  expect(outer).toMatchObject({ kind: 2, parentSpanId: '' });
  expect(Math.abs(Number(outer?.startTimeUnixNano) / 1e6 - before)).toBeLessThan(60_000);
});

test('what the collector cannot take now comes again', async () => {
  collector.statuses.push(503);
  const { failures, tracer, close, metrics } = await tracing({
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/here`,
    OTEL_TRACES_SAMPLER: 'always_on',
  });
  await tracer.step('a', {}, async () => 0);
  await collector.until((spans) => spans.length === 1);
  expect(collector.requests.map((one) => one[':path'])).toEqual(['/here', '/here']);
  expect(failures).toEqual(['the collector answers HTTP 503']);
  await close();
  expect((await metrics.expose()).text).toContain('trace_spans_exported_total 1');
});

test('a collector that hangs, or is not there, holds nothing up', async () => {
  collector.statuses.push(0);
  const hanging = await tracing({
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_TIMEOUT: '20',
    OTEL_TRACES_SAMPLER: 'always_on',
  });
  const away = await tracing({
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_TRACES_SAMPLER: 'always_on',
  });
  for (const { tracer } of [hanging, away]) {
    expect(await tracer.step('a', {}, async () => 'done')).toBe('done');
  }
  await vi.waitFor(
    () => {
      expect(hanging.failures[0]).toBe('the collector does not answer: not in time');
      expect(away.failures[0]).toBe('the collector does not answer: ECONNREFUSED');
    },
    { timeout: 30_000 },
  );
  await Promise.all([hanging.close(), away.close()]);
});
