/**
 * What a customer of another tenant feels of a batch: the time of one screening over HTTP, alone
 * and while a worker has a long batch under way. `ours` is p95 beside the batch, `baseline` p95
 * alone, `ratio` the one over the other: 1 is no difference. Screenings are paced, so that they
 * themselves are no load; alone and beside take turns, since a disk has its moods. Not measured:
 * the upload, which this process itself is busy sending (docs/performance.md has health beside it).
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
const ROUNDS = { smoke: 1, whole: 4 };
/** Screenings of a round, alone and beside each. */
const SCREENINGS = { smoke: 20, whole: 300 };
const PAUSE_MS = 15;
/**
 * Milliseconds between two looks at the batch's progress: a look takes time of the measuring
 * process.
 */
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
    const ask = { apiKey, count: SCREENINGS[kind], product };
    const file = await writeCustomers(folder, LINES[kind]);
    const codes = lists.map(({ source }) => source);
    const batchAsk = { codes, file, lines: LINES[kind], pollMs: POLL_MS };
    // All is compiled by then: gateway and worker are older than their first batch.
    await timesOf(ask);
    await runBatch(product, batchAsk);
    const rounds: Round[] = [];
    while (rounds.length < ROUNDS[kind]) {
      const alone = await timesOf(ask);
      const accepted = Promise.withResolvers<void>();
      const running = runBatch(product, { ...batchAsk, onAccepted: accepted.resolve });
      await Promise.race([accepted.promise, running]);
      const beside = await timesOf(ask);
      rounds.push({ alone, beside, linesPerSecond: (await running).linesPerSecond });
    }
    const alone = sorted(rounds.flatMap((round) => round.alone));
    const beside = sorted(rounds.flatMap((round) => round.beside));
    const [linesPerSecond = 0] = sorted(rounds.map((round) => round.linesPerSecond));
    const p95 = percentile(beside, 0.95);
    const batch = `batches of ${LINES[kind]} lines at ${Math.round(linesPerSecond)}/s or more`;
    return [
      {
        baseline: percentile(alone, 0.95),
        baseline_name: 'alone',
        data: `${beside.length} screenings beside ${batch}`,
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

/** Milliseconds of each screening. */
interface Round {
  readonly alone: readonly number[];
  readonly beside: readonly number[];
  readonly linesPerSecond: number;
}

async function timesOf(ask: {
  readonly product: Product;
  readonly apiKey: string;
  readonly count: number;
}): Promise<readonly number[]> {
  const times: number[] = [];
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
    times.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return times;
}

const sorted = (times: readonly number[]): readonly number[] => times.toSorted((a, b) => a - b);

const percentile = (ordered: readonly number[], share: number): number =>
  ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))] ?? 0;
