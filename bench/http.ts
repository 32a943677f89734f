/**
 * POST /v1/sanctions/screen as a customer sees it: the real processes, real HTTP, a fresh
 * Idempotency-Key on every request, and every answer with durable evidence.
 *
 * Goal: at least 1,000 screenings a second with p99 at most 40 ms on two cores that the load
 * generator shares. Not a goal: the most requests that the HTTP stack could answer; the bare echo
 * in the same run is there to say what it costs.
 *
 * The names are half spellings from the list with one letter changed, half clean ones, all
 * different.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import autocannon from 'autocannon';
import { benchNames, ofacFile } from './data.ts';
import { freePort, type Product, raiseLimits, startProduct } from './product.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const CONNECTIONS = 32;
const NAMES_COUNT = 5_000;
/** V8 compiles through the first 20,000 requests, beside them: a server is older than that. */
const WARM_UP_S = 30;

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const seconds = options.smoke ? 2 : 12;
  const product = await startProduct();
  try {
    const { data, startWithListMs } = await importRealList(product, options);
    await raiseLimits(product);
    const bodies = await bodiesFor(data);
    await load(product.origin, bodies, {
      apiKey: product.apiKey,
      seconds: options.smoke ? 1 : WARM_UP_S,
    });
    const cpuBefore = await product.cpuSeconds();
    const ours = await load(product.origin, bodies, { apiKey: product.apiKey, seconds });
    const cpu = (await product.cpuSeconds()) - cpuBefore;
    const memoryMb = await product.memoryMb();
    const one = { apiKey: product.apiKey, connections: 1, seconds: options.smoke ? 1 : 5 };
    const alone = await load(product.origin, bodies, one);
    const echo = await loadEcho(bodies, options.smoke ? 1 : 5);
    return [
      screenRow({ data, echo, memoryMb, ours, size: options.size }),
      figure('http/per-core-second', ours.requests / cpu, 'requests/s of CPU, all processes', data),
      aloneRow(alone, data, options.size),
      figure('http/cpu-per-screening', (cpu * 1e3) / ours.requests, 'ms of CPU', data),
      figure('http/start', product.startMs, 'ms from spawn to ready', 'shipped list'),
      figure('http/list-in-force', startWithListMs, 'ms from import to in force', data),
    ];
  } finally {
    await product.stop();
  }
}

interface Load {
  readonly perSecond: number;
  readonly requests: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

async function load(
  origin: string,
  bodies: readonly string[],
  options: { readonly apiKey: string; readonly connections?: number; readonly seconds: number },
): Promise<Load> {
  let next = 0;
  const result = await autocannon({
    connections: options.connections ?? CONNECTIONS,
    duration: options.seconds,
    requests: [
      {
        headers: { 'content-type': 'application/json', 'x-api-key': options.apiKey },
        method: 'POST',
        path: '/v1/sanctions/screen',
        setupRequest: (request) => {
          const body = bodies[next++ % bodies.length] ?? '';
          const headers = { ...request.headers, 'idempotency-key': randomUUID() };
          return { ...request, body, headers };
        },
      },
    ],
    url: origin,
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests failed`);
  return {
    p50: result.latency.p50,
    p95: result.latency.p97_5,
    p99: result.latency.p99,
    perSecond: result.requests.total / result.duration,
    requests: result.requests.total,
  };
}

async function loadEcho(bodies: readonly string[], seconds: number): Promise<Load> {
  const port = await freePort();
  const script = new URL('./echoServer.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, String(port)], { stdio: 'inherit' });
  try {
    await untilListening(port);
    return await load(`http://127.0.0.1:${port}`, bodies, { apiKey: 'none', seconds });
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

async function untilListening(port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 200; attempt++) {
    const up = await fetch(url, { body: '{}', method: 'POST' }).then(
      () => true,
      () => false, // not listening yet
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the echo server did not start');
}

/** OFAC's real list where it is at hand, else the list that ships. */
async function importRealList(product: Product, options: BenchOptions) {
  const file = options.smoke ? undefined : await ofacFile();
  if (file === undefined) return { data: 'shipped list', startWithListMs: 0 };
  const startedAt = performance.now();
  await product.cli('list', 'import', '--source', 'OFAC_SDN', '--file', file);
  await untilInForce(product, 'OFAC_SDN');
  return { data: 'OFAC SDN', startWithListMs: performance.now() - startedAt };
}

async function untilInForce(product: Product, sourceId: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const response = await fetch(`${product.origin}/v1/sanctions/lists`, {
      headers: { 'x-api-key': product.apiKey },
    });
    const { data } = (await response.json()) as { data: { source_id: string }[] };
    if (data.some((list) => list.source_id === sourceId)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${sourceId} did not come into force`);
}

async function bodiesFor(data: string): Promise<string[]> {
  const names = await benchNames(data === 'OFAC SDN' ? await ofacFile() : undefined, NAMES_COUNT);
  return names.map((name) => JSON.stringify({ name }));
}

function screenRow(figures: {
  readonly ours: Load;
  readonly echo: Load;
  readonly data: string;
  readonly size: string;
  readonly memoryMb: number;
}): BenchRow {
  const { ours, echo } = figures;
  return {
    baseline: echo.perSecond,
    baseline_name: 'bare node:http echo',
    data: figures.data,
    id: 'http/screen',
    memory_mb: figures.memoryMb,
    ours: ours.perSecond,
    p50_ms: ours.p50,
    p95_ms: ours.p95,
    p99_ms: ours.p99,
    ratio: ours.perSecond / echo.perSecond,
    size: figures.size,
    suite: 'http',
    unit: 'requests/s',
  };
}

/** One client that waits for each answer. */
function aloneRow(alone: Load, data: string, size: string): BenchRow {
  return {
    data,
    id: 'http/one-client',
    ours: alone.perSecond,
    p50_ms: alone.p50,
    p95_ms: alone.p95,
    p99_ms: alone.p99,
    size,
    suite: 'http',
    unit: 'requests/s',
  };
}

const figure = (id: string, ours: number, unit: string, data: string): BenchRow => ({
  data,
  id,
  ours,
  size: 'lists',
  suite: 'http',
  unit,
});
