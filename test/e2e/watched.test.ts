/**
 * An installation as its operator watches it: figures of both processes are those that are
 * documented, traces lead from a request into the worker, and a log line says what `show-run` says.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Collector, startCollector } from '../platform/tracing/collector.ts';
import {
  openAt,
  openPublisher,
  PUBLISHER_ALLOWED,
  type Publisher,
  pointSource,
} from '../slices/ingestion/listPublisher.ts';
import {
  cleanUp,
  type FirstRun,
  isRedisHere,
  newFolder,
  type Product,
  screen,
  startProduct,
} from './product.ts';

const UNTIL = { interval: 50, timeout: 120_000 };
const OPERATIONS = join(import.meta.dirname, '../../docs/operations.md');
const CANARY = 'Zebulon Quillfeather';
/** The shipped list, a month later and with another name. */
const EDITION = readFileSync(join(import.meta.dirname, '../../config/demo/entities.jsonl'), 'utf8')
  .replace(/"release_date":"[^"]+"/, '"release_date":"2026-02-01"')
  .replace(/"primary_name":"[^"]+"/, `"primary_name":"${CANARY}"`);
const TRACES = {
  batch: '1'.repeat(32),
  failing: '2'.repeat(32),
  list: '3'.repeat(32),
} as const;

interface Line {
  readonly message: string;
  readonly port?: number;
  readonly process: string;
  readonly reason?: string;
  readonly run_id?: string;
  readonly trace_id?: string;
}

describe.skipIf(!isRedisHere)('an installation that is watched', () => {
  let collector: Collector;
  let publisher: Publisher;
  let product: Product;
  let first: FirstRun;
  beforeAll(async () => {
    collector = await startCollector();
    publisher = await openPublisher();
    product = startProduct(join(newFolder(), 'data'), {
      ...PUBLISHER_ALLOWED,
      LOG_LEVEL: 'info',
      METRICS_PORT: '0',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_TRACES_SAMPLER_ARG: '0',
    });
    first = await product.ready();
  }, 120_000);
  afterAll(async () => {
    await cleanUp();
    await publisher.close();
    await collector.close();
  });

  const lines = (): Line[] =>
    product.stdout
      .split('\n')
      .filter((text) => text.startsWith('{') && text.endsWith('}'))
      .map((text) => JSON.parse(text) as Line);

  async function call<Body>(
    path: string,
    traceId: string,
    body?: string | FormData,
  ): Promise<Body> {
    const response = await fetch(first.base_url + path, {
      ...(body !== undefined && { body, method: 'POST' }),
      headers: {
        'Idempotency-Key': crypto.randomUUID(),
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
        'X-API-Key': first.api_key,
        ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
      },
    });
    const text = await response.text();
    assert(response.ok, `${response.status} ${text}`);
    return JSON.parse(text) as Body;
  }

  const until = (isDone: () => boolean | Promise<boolean>) => vi.waitUntil(isDone, UNTIL);
  const namesIn = (traceId: string): Set<string> =>
    new Set(collector.spans.filter((one) => one.traceId === traceId).map(({ name }) => name));

  async function runOf(
    traceId: string,
  ): Promise<{ readonly error_message: string; readonly run_id: string }> {
    const path = '/sanctions/etl/sources/DEMO/trigger?kind=full';
    const { run_id } = await call<{ run_id: string }>(path, traceId, '{}');
    let run = { error_message: '', run_id, status: 'running' };
    await until(async () => {
      run = await call(`/sanctions/etl/runs/${run_id}`, '4'.repeat(32));
      return run.status !== 'running';
    });
    return run;
  }

  test('a batch is one trace from its request to its reports, and names nobody', async () => {
    const form = new FormData();
    form.append('name', 'portfolio');
    const rows = `external_id,full_name\nc-1,${CANARY}\nc-2,Tarek Velmorani\n`;
    form.append('file', new Blob([rows]), 'customers.csv');
    const { batch_id } = await call<{ batch_id: string }>('/aml/batches/csv', TRACES.batch, form);
    await until(async () => {
      const seen = await call<{ status: string }>(`/aml/batches/${batch_id}`, '4'.repeat(32));
      return seen.status === 'completed';
    });
    await until(() => namesIn(TRACES.batch).has('batch_chunk'));
    const names = ['append group', 'batch', 'batch_chunk', 'createBatchFromCsv', 'screen chunk'];
    expect([...namesIn(TRACES.batch)]).toEqual(expect.arrayContaining(names));
    const chunk = collector.spans.find(({ name }) => name === 'batch_chunk');
    expect(chunk).toMatchObject({
      attributes: { 'compliance.batch_id': batch_id, 'compliance.tenant_id': first.tenant_id },
      kind: 5,
    });
    for (const part of CANARY.split(' ')) expect(collector.text).not.toContain(part);
  });

  test('a run of a list is one; a failed one is logged as show-run has it', async () => {
    const store = await openAt(product.dataDir, 'test');
    await pointSource(store, { url: `${publisher.origin}/list?token=hush` });
    await store.close();
    publisher.answer = (_, response) => void response.writeHead(404).end();
    const failed = await runOf(TRACES.failing);
    const shown = await product.cli('list', 'show-run', failed.run_id);
    await until(() => lines().some(({ run_id, reason }) => run_id === failed.run_id && !!reason));
    const line = lines().find((one) => one.run_id === failed.run_id && one.reason !== undefined);
    expect(line).toMatchObject({ message: 'a run of a list failed', trace_id: TRACES.failing });
    expect(line?.reason).toContain('HTTP 404');
    expect(failed.error_message).toBe(line?.reason);
    expect(shown.stdout).toContain(line?.reason);
    publisher.answer = (_, response) => void response.end(EDITION);
    expect(await runOf(TRACES.list)).toMatchObject({ error_message: null, status: 'success' });
    await until(() => namesIn(TRACES.list).has('list_run') && namesIn(TRACES.failing).size > 3);
    const stages = ['fetch', 'read', 'bundle', 'index', 'publish'].map((stage) => `list ${stage}`);
    expect([...namesIn(TRACES.list)]).toEqual(
      expect.arrayContaining(['http GET', 'list_run', 'triggerRun', ...stages]),
    );
    expect(namesIn(TRACES.failing)).toContain('list fetch');
    expect(collector.text).not.toContain('hush');
  });

  test('both processes serve the figures that are documented, and no others', async () => {
    const documented = figuresIn(readFileSync(OPERATIONS, 'utf8'));
    const worker = lines().find(({ message }) => message === 'working')?.port;
    expect(await figuresAt(first.origin)).toEqual(documented.gateway);
    expect(await figuresAt(`http://127.0.0.1:${worker}`)).toEqual(documented.worker);
  });
});

const HOUR_S = 3_600;
/** In every process of it: Node's clock is an hour ahead, Redis's is not. */
const AHEAD = `--import data:text/javascript,${encodeURIComponent(
  `const now = Date.now; Date.now = () => now() + ${HOUR_S * 1_000};`,
)}`;

describe.skipIf(!isRedisHere)('an installation whose clock is an hour ahead', () => {
  afterAll(cleanUp);

  test('says so at its start, in its figures and to doctor, and works', async () => {
    const product = startProduct(join(newFolder(), 'data'), {
      METRICS_PORT: '0',
      NODE_OPTIONS: AHEAD,
    });
    const first = await product.ready();
    const told = /this host's clock is 3(599|600)\.\d s ahead of that of Redis/;
    await vi.waitFor(() => {
      const warned = product.stdout.split('\n').filter((line) => told.test(line));
      expect(warned, product.stdout).toHaveLength(2);
    }, UNTIL);
    const { text } = await fetch(`${first.origin}/metrics`).then(async (response) => ({
      text: await response.text(),
    }));
    const offset = Number(/^clock_offset_seconds\{clock="redis"\} (\S+)$/m.exec(text)?.[1]);
    expect(Math.abs(offset - HOUR_S)).toBeLessThan(60);
    const doctor = await product.cli('doctor');
    expect([doctor.code === 0, doctor.stdout]).toEqual([false, expect.stringMatching(told)]);
    expect((await screen(first, 'Tarek Velmorani'))?.status).toBe(200);
  });
});

/** Names of a process's own figures, without those that every Node has. */
async function figuresAt(origin: string): Promise<string[]> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
  return names.filter((name) => !/^(nodejs|process)_/.test(name)).sort();
}

/** Rows `| \`name\` | gateway, worker | …`. */
function figuresIn(text: string): Record<'gateway' | 'worker', string[]> {
  const rows = [
    ...text.matchAll(/^\| `(\w+)(?:\{\w+(?:, \w+)*\})?` \| (both|gateway|worker) \|/gm),
  ];
  const of = (process: string) =>
    rows
      .filter(([, , where]) => where === 'both' || where === process)
      .map(([, name = '']) => name);
  return { gateway: of('gateway').sort(), worker: of('worker').sort() };
}
