/**
 * Spans as OTLP/HTTP takes them in JSON (opentelemetry-proto 1.x, ExportTraceServiceRequest): ids
 * in hex, 64-bit integers as decimal text, enumerations as numbers.
 */
import type { EndedSpan, SpanKind } from './spans.ts';

const KINDS: Readonly<Record<SpanKind, number>> = {
  client: 3,
  consumer: 5,
  internal: 1,
  server: 2,
};
const STATUS_ERROR = 2;
/** The trace flags of a link are not known; of a span they say that it was sampled. */
const FLAGS_SAMPLED = 1;
const SCOPE = 'compliance-platform';

export type ResourceAttributes = Readonly<Record<string, string>>;

/** The body of one export. */
export function otlpJson(spans: readonly EndedSpan[], resource: ResourceAttributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: Object.entries(resource).map(toAttribute) },
        scopeSpans: [{ scope: { name: SCOPE }, spans: spans.map(toSpan) }],
      },
    ],
  });
}

const toSpan = (span: EndedSpan) => ({
  attributes: span.attributes.map(toAttribute),
  endTimeUnixNano: nanoseconds(span.endUs),
  flags: FLAGS_SAMPLED,
  kind: KINDS[span.kind],
  links: span.links.map(({ spanId, traceId }) => ({ spanId, traceId })),
  name: span.name,
  parentSpanId: span.parentId ?? '',
  spanId: span.spanId,
  startTimeUnixNano: nanoseconds(span.startUs),
  status: span.hasFailed ? { code: STATUS_ERROR } : {},
  traceId: span.traceId,
});

/** A float64 holds microseconds since 1970, and not nanoseconds. */
const nanoseconds = (us: number): string => `${us}000`;

function toAttribute([key, value]: readonly [string, string | number | boolean]) {
  if (typeof value === 'string') return { key, value: { stringValue: value } };
  if (typeof value === 'boolean') return { key, value: { boolValue: value } };
  const isInteger = Number.isSafeInteger(value);
  return { key, value: isInteger ? { intValue: String(value) } : { doubleValue: value } };
}
