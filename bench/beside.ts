/**
 * What a customer of another tenant feels of a batch: the time of one screening over HTTP, alone
 * and while a worker has a long batch under way. `ours` is p95 beside the batch, `baseline` p95
 * alone, `ratio` the one over the other: 1 is no difference. Screenings are paced, so that they
 * themselves are no load.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { customersOf, runBatch, writeCustomers } from './batchRun.ts';
import { publishedLists } from './data.ts';
import { type Product, raiseLimits, startProduct } from './product.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const LINES = { smoke: 300, whole: 60_000 };
const SCREENINGS = { smoke: 20, whole: 600 };
const PAUSE_MS = 15;
/** Of the batch's progress: looking at it takes the time of the process that measures. */
const POLL_MS = 2_000;

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const kind = options.smoke ? 'smoke' : 'whole';
  const folder = await mkdtemp(join(tmpdir(), 'compliance-bench-beside-'));
  const product = await startProduct();
  try {
    await raiseLimits(product);
    const lists = options.smoke ? [] : await publishedLists();
    for (const { file, source } of lists) {
      await product.cli('list', 'import', '--source', source, '--file', file);
    }
    const apiKey = await otherTenant(product);
    const screenings = SCREENINGS[kind];
    await timesOf({ apiKey, count: screenings, product }); // compiled by then
    const alone = await timesOf({ apiKey, count: screenings, product });
    const file = await writeCustomers(folder, LINES[kind]);
    const codes = lists.map(({ source }) => source);
    const running = runBatch(product, { codes, file, lines: LINES[kind], pollMs: POLL_MS });
    const beside = await timesOf({ apiKey, count: screenings, product });
    const { linesPerSecond } = await running;
    const p95 = percentile(beside, 0.95);
    const batch = `a batch of ${LINES[kind]} lines at ${Math.round(linesPerSecond)}/s`;
    return [
      {
        baseline: percentile(alone, 0.95),
        baseline_name: 'alone',
        data: `${screenings} screenings beside ${batch}`,
        id: 'beside/screen',
        ours: p95,
        p50_ms: percentile(beside, 0.5),
        p95_ms: p95,
        p99_ms: percentile(beside, 0.99),
        ratio: p95 / percentile(alone, 0.95),
        size: options.size,
        suite: 'beside',
        unit: 'ms at p95',
      },
    ];
  } finally {
    await product.stop();
    await rm(folder, { force: true, recursive: true });
  }
}

/** A key of a tenant of its own. */
async function otherTenant(product: Product): Promise<string> {
  const tenant = JSON.parse(
    await product.cli('tenant', 'create', '--name', 'Beside', '--sandbox', '--json'),
  ) as { readonly tenant_id: string };
  const id = tenant.tenant_id;
  await raiseLimits({ ...product, tenantId: id });
  const key = JSON.parse(
    await product.cli(
      'key',
      'create',
      '--tenant',
      id,
      '--roles',
      'agent_l1',
      '--sandbox',
      '--json',
    ),
  ) as { readonly api_key: string };
  return key.api_key;
}

async function timesOf(ask: {
  readonly product: Product;
  readonly apiKey: string;
  readonly count: number;
}): Promise<Float64Array> {
  const times = new Float64Array(ask.count);
  let at = 0;
  for (const { dob, name, nationality } of customersOf(ask.count)) {
    const startedAt = performance.now();
    const response = await fetch(`${ask.product.origin}/v1/aml/screen`, {
      body: JSON.stringify({ subject: { dob, full_name: name, nationality } }),
      headers: {
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        'x-api-key': ask.apiKey,
      },
      method: 'POST',
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`screening: ${response.status}`);
    times[at++] = performance.now() - startedAt;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return times.sort();
}

const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
