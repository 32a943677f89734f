/**
 * Where traces go, by the standard's own variables (OTEL_…), so that an operator sets them as for
 * any other product. Off where no endpoint is set.
 */
import { type EnvironmentReader, optional } from './environmentReader.ts';
import { SAMPLERS, type Sampler, samplerOf } from './tracing/sampler.ts';

export interface TracingConfig {
  /** Takes traces: `…/v1/traces`. */
  readonly url: string;
  /** May contain credentials: never logged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isGzip: boolean;
  readonly timeoutMs: number;
  /** Absent: the product's name. */
  readonly serviceName?: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: Sampler;
  readonly queue: {
    readonly batchMax: number;
    readonly delayMs: number;
    readonly queueMax: number;
  };
}

const SAMPLED_SHARE = 0.05;
const TIMEOUT_MS = 10_000;
const QUEUE_SPANS = 2_048;
const BATCH_SPANS = 512;
const DELAY_MS = 5_000;
const PAIRS = /^[\x21-\x7e][\x20-\x7e]{0,4095}$/;
const PLAIN = /^[\x20-\x7e]{1,255}$/;

/** Undefined: nothing is recorded. */
export function readTracing(read: EnvironmentReader): TracingConfig | undefined {
  const url = readUrl(read);
  const config = {
    headers: {
      ...readPairs(read, 'OTEL_EXPORTER_OTLP_HEADERS'),
      ...readPairs(read, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'),
    },
    isGzip: readCompression(read),
    queue: readQueue(read),
    resource: readPairs(read, 'OTEL_RESOURCE_ATTRIBUTES'),
    sampler: readSampler(read),
    timeoutMs: read.integer('OTEL_EXPORTER_OTLP_TIMEOUT', {
      fallback: TIMEOUT_MS,
      max: 60_000,
      min: 1,
    }),
    ...optional('serviceName', readServiceName(read)),
  };
  refuseOtherProtocols(read);
  const exporter = read.choice('OTEL_TRACES_EXPORTER', {
    choices: ['otlp', 'none'] as const,
    fallback: 'otlp',
  });
  const isOff = read.flag('OTEL_SDK_DISABLED') || exporter === 'none' || config.sampler.isOff;
  return url === undefined || isOff ? undefined : { ...config, url };
}

function readUrl(read: EnvironmentReader): string | undefined {
  const base = read.anyWebUrl('OTEL_EXPORTER_OTLP_ENDPOINT');
  const whole = read.anyWebUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  if (whole !== undefined) return whole;
  return base && `${base.endsWith('/') ? base.slice(0, -1) : base}/v1/traces`;
}

/** The one that needs no further package; every collector takes it where it takes the others. */
function refuseOtherProtocols(read: EnvironmentReader): void {
  const only = { choices: ['http/json'] as const, fallback: 'http/json' } as const;
  read.choice('OTEL_EXPORTER_OTLP_PROTOCOL', only);
  read.choice('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', only);
}

function readCompression(read: EnvironmentReader): boolean {
  const choice = read.choice('OTEL_EXPORTER_OTLP_COMPRESSION', {
    choices: ['none', 'gzip'] as const,
    fallback: 'none',
  });
  return choice === 'gzip';
}

function readServiceName(read: EnvironmentReader): string | undefined {
  return read.text('OTEL_SERVICE_NAME', { fallback: '', form: PLAIN }) || undefined;
}

function readSampler(read: EnvironmentReader): Sampler {
  const name = read.choice('OTEL_TRACES_SAMPLER', {
    choices: SAMPLERS,
    fallback: 'parentbased_traceidratio',
  });
  const text = read.text('OTEL_TRACES_SAMPLER_ARG', {
    fallback: String(SAMPLED_SHARE),
    form: /^(?:0|1|0?\.\d{1,9}|0\.0|1\.0)$/,
  });
  return samplerOf(name, Number(text));
}

function readQueue(read: EnvironmentReader): TracingConfig['queue'] {
  const queueMax = read.integer('OTEL_BSP_MAX_QUEUE_SIZE', {
    fallback: QUEUE_SPANS,
    max: 100_000,
    min: 1,
  });
  const batchMax = read.integer('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', {
    fallback: BATCH_SPANS,
    max: 10_000,
    min: 1,
  });
  const delayMs = read.integer('OTEL_BSP_SCHEDULE_DELAY', {
    fallback: DELAY_MS,
    max: 60_000,
    min: 1,
  });
  return { batchMax: Math.min(batchMax, queueMax), delayMs, queueMax };
}

/** `key=value,key2=value2`, values percent-encoded, as the standard has it. */
function readPairs(read: EnvironmentReader, name: string): Readonly<Record<string, string>> {
  const text = read.secretText(name, PAIRS);
  const pairs: Record<string, string> = {};
  for (const part of (text ?? '').split(',').filter((one) => one.trim() !== '')) {
    const [, key, value] = /^\s*([\w.!#$%&'*+^`|~-]{1,128})\s*=(.*)$/.exec(part) ?? [];
    const decoded = value === undefined ? undefined : decodedOrNothing(value.trim());
    if (key === undefined || decoded === undefined) {
      read.refuse(name, 'key=value,key2=value2', 'another form (not shown)');
      return {};
    }
    pairs[key] = decoded;
  }
  return pairs;
}

function decodedOrNothing(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return /^[\x20-\x7e]{0,1024}$/.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}
