/** The standard's variables, each with its range, and what turns traces off. */
import { expect, test } from 'vitest';
import { ConfigError, loadConfig } from '#platform/config';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const tracing = (more: Readonly<Record<string, string>> = {}) =>
  loadConfig({ ...ENDPOINT, ...more }).tracing;

test('an endpoint is enough', () => {
  expect(tracing()).toEqual({
    headers: {},
    isGzip: false,
    queue: { batchMax: 512, delayMs: 5_000, queueMax: 2_048 },
    resource: {},
    sampler: { followsParent: true, isOff: false, ratio: 0.05 },
    timeoutMs: 10_000,
    url: 'http://collector:4318/v1/traces',
  });
});

test.each([
  { OTEL_SDK_DISABLED: 'true' },
  { OTEL_TRACES_EXPORTER: 'none' },
  { OTEL_TRACES_SAMPLER: 'always_off' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
])('%o: off', (more) => expect(tracing(more)).toBeUndefined());

test.each([
  ['always_on', { followsParent: false, isOff: false, ratio: 1 }],
  ['traceidratio', { followsParent: false, isOff: false, ratio: 0.5 }],
  ['parentbased_traceidratio', { followsParent: true, isOff: false, ratio: 0.5 }],
  ['parentbased_always_on', { followsParent: true, isOff: false, ratio: 1 }],
  ['parentbased_always_off', { followsParent: true, isOff: false, ratio: 0 }],
])('the sampler %s', (name, sampler) => {
  const more = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: '0.5' };
  expect(tracing(more)?.sampler).toEqual(sampler);
});

test('the traces’ own endpoint is taken as it is, headers are decoded and joined', () => {
  const config = tracing({
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a, x-tenant = 1',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-tenant=2',
  });
  expect(config).toMatchObject({
    headers: { authorization: 'Bearer a', 'x-tenant': '2' },
    url: 'https://traces.example/in',
  });
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:hush@collector'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/protobuf'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'hush'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz-hush'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '5'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '0'],
])('%s=%s stops the start, and is not repeated where it may be a secret', (name, value) => {
  const load = () => tracing({ [name]: value });
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(new RegExp(`^${name}: expected `));
  expect(load).not.toThrow(/hush/);
});
