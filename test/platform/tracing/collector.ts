/** A collector of the test's own: takes OTLP over HTTP as JSON, and says what it was told to. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

interface WireAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly WireAttribute[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

interface WireExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

/** A span as tests look at it. */
export interface SeenSpan extends Omit<WireSpan, 'attributes'> {
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

export interface Collector {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT` */
  readonly endpoint: string;
  readonly spans: SeenSpan[];
  /** Resource attributes of the last export. */
  resource: Readonly<Record<string, string | number | boolean>>;
  /** Headers of each request, and its path as `:path`. */
  readonly requests: IncomingHttpHeaders[];
  /** Every byte that came, as text. */
  text: string;
  /** Answers of the next requests; 200 after them, and none for 0. */
  readonly statuses: number[];
  /** Resolves once the spans are as they should be. */
  until(isDone: (spans: readonly SeenSpan[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const waiting = new Set<() => void>();
  const collector: Collector = {
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
    endpoint: '',
    requests: [],
    resource: {},
    spans: [],
    statuses: [],
    text: '',
    async until(isDone) {
      while (!isDone(collector.spans)) {
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
        });
      }
    },
  };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      collector.requests.push({ ...request.headers, ':path': request.url ?? '' });
      const status = collector.statuses.shift() ?? 200;
      if (status === 200) take(collector, bodyOf(request.headers, Buffer.concat(pieces)));
      if (status !== 0)
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      for (const resolve of waiting) resolve();
      waiting.clear();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(collector, { endpoint: `http://127.0.0.1:${port}` });
}

const bodyOf = (headers: IncomingHttpHeaders, bytes: Buffer): string =>
  (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();

function take(collector: Collector, text: string): void {
  collector.text += text;
  for (const { resource, scopeSpans } of (JSON.parse(text) as WireExport).resourceSpans) {
    collector.resource = valuesOf(resource.attributes);
    for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
      collector.spans.push({ ...span, attributes: valuesOf(span.attributes) });
    }
  }
}

const valuesOf = (attributes: readonly WireAttribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? '']),
  ) as SeenSpan['attributes'];
