/** Batches of the running product: sent over HTTP, whole whatever dies meanwhile, and proven. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { RAISED } from './load.ts';
import {
  cleanUp,
  type FirstRun,
  isRedisHere,
  newFolder,
  type Product,
  startProduct,
} from './product.ts';

const UNTIL = { interval: 100, timeout: 240_000 };
const CANCELED_MS = 5_000;
const GIVEN = ['Anne', 'Boris', 'Carla', 'Dieter', 'Elena', 'Farid', 'Gisela', 'Hugo'];

interface Seen {
  readonly status: string;
  readonly progress_pct: number;
  readonly subjects_processed: number;
  readonly subjects_total: number;
  readonly subjects_with_hits: number;
  readonly hits_total: number;
  readonly report_csv_url: string | null;
}

function csvOf(subjects: number): string {
  const rows = Array.from({ length: subjects }, (_, place) => {
    const name = place % 10 === 0 ? 'Tarek Velmorani' : `${GIVEN[place % GIVEN.length]} Qv${place}`;
    return `c-${place},${name}\n`;
  });
  return `external_id,full_name\n${rows.join('')}`;
}

async function submit(first: FirstRun, subjects: number): Promise<string> {
  const form = new FormData();
  form.append('name', 'portfolio');
  form.append('file', new Blob([csvOf(subjects)]), 'customers.csv');
  const response = await ask(first, '/csv', { body: form, method: 'POST' });
  expect(response.status).toBe(202);
  const { batch_id } = (await response.json()) as { batch_id: string };
  return batch_id;
}

const ask = ({ api_key, base_url }: FirstRun, path: string, init: RequestInit): Promise<Response> =>
  fetch(`${base_url}/aml/batches${path}`, {
    ...init,
    headers: { 'Idempotency-Key': crypto.randomUUID(), 'X-API-Key': api_key },
  });

/** A batch as its tenant watches it: progress never goes back, whatever is started anew. */
class Watched {
  readonly id: string;
  readonly #first: FirstRun;
  #last: Seen | undefined;

  constructor(first: FirstRun, id: string) {
    this.#first = first;
    this.id = id;
  }

  async until(isReached: (seen: Seen) => boolean): Promise<Seen> {
    return vi.waitUntil(async () => {
      const seen = await this.see();
      return seen !== undefined && isReached(seen) && seen;
    }, UNTIL);
  }

  /** Undefined while the gateway is away. */
  async see(): Promise<Seen | undefined> {
    const response = await ask(this.#first, `/${this.id}`, {}).catch(() => undefined);
    if (response?.status !== 200) return undefined;
    const seen = (await response.json()) as Seen;
    for (const name of ['progress_pct', 'subjects_processed', 'hits_total'] as const) {
      expect(seen[name]).toBeGreaterThanOrEqual(this.#last?.[name] ?? 0);
    }
    this.#last = seen;
    return seen;
  }

  async completed(): Promise<Seen> {
    const ended = await this.until(({ status }) => status !== 'queued' && status !== 'running');
    expect(ended.status).toBe('completed');
    return ended;
  }

  async report(format: string): Promise<Buffer> {
    const response = await ask(this.#first, `/${this.id}/report?format=${format}`, {});
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  }
}

/** A flush, and a death, of the Redis that the supervisor started. */
async function loseRedis(product: Product): Promise<void> {
  const { redis = 0 } = await product.children();
  const args = execFileSync('ps', ['-o', 'args=', '-p', String(redis)], { encoding: 'utf8' });
  const socket = /unixsocket:(\S+)/.exec(args)?.[1] ?? `no socket in ${args}`;
  expect(execFileSync('redis-cli', ['-s', socket, 'FLUSHALL'], { encoding: 'utf8' })).toBe('OK\n');
  process.kill(redis, 'SIGKILL');
}

async function expectProven(product: Product, first: FirstRun, batch: Watched): Promise<void> {
  const folder = newFolder();
  const keys = join(folder, 'keys.json');
  const of = ['--tenant', first.tenant_id];
  await product.cli('keys', 'public', '--out', keys);
  for (const format of ['csv', 'xlsx', 'pdf']) {
    writeFileSync(join(folder, `report.${format}`), await batch.report(format));
  }
  const [csv, pdf, xlsx] = ['csv', 'pdf', 'xlsx'].map((format) => join(folder, `report.${format}`));
  const files = ['--file', `${pdf}`, '--csv', `${csv}`, '--xlsx', `${xlsx}`];
  const report = await product.cli('batch', 'verify', ...files, '--keys', keys);
  expect([report.code, report.stderr]).toEqual([0, '']);
  const proof = join(folder, 'proof.json');
  const cut = ['--batch', batch.id, '--subject', 'c-20', '--out', proof];
  await product.cli('batch', 'proof', ...cut, ...of);
  const proven = await product.cli('batch', 'verify', '--file', proof, '--keys', keys);
  expect([proven.code, proven.stderr]).toEqual([0, '']);
  const evidence = join(folder, 'evidence.jsonl');
  await product.cli('audit', 'export', ...of, '--out', evidence);
  const audited = await product.cli('audit', 'verify', '--file', evidence, '--keys', keys);
  expect(audited.stdout).toMatch(/^good: /);
  const screened = readFileSync(evidence, 'utf8').split('"aml.batch.chunk.screened"').length - 1;
  expect(screened).toBe(12);
}

describe.skipIf(!isRedisHere)('a batch', () => {
  afterAll(cleanUp);

  test('is whole and proven though worker, gateway and Redis die on the way', async () => {
    const SUBJECTS = 12_000;
    const product = startProduct(join(newFolder(), 'data'));
    const first = await product.ready();
    await product.cli('tenant', 'set', first.tenant_id, ...RAISED);
    const batch = new Watched(first, await submit(first, SUBJECTS));

    await batch.until(({ subjects_processed }) => subjects_processed > 0);
    const { worker = 0 } = await product.children();
    process.kill(worker, 'SIGKILL');
    await loseRedis(product);
    const atDeath = await batch.see();
    await batch.until(({ subjects_processed }) => {
      return subjects_processed > (atDeath?.subjects_processed ?? 0);
    });
    const { gateway = 0 } = await product.children();
    process.kill(gateway, 'SIGKILL');
    const completed = await batch.completed();

    expect(completed).toMatchObject({
      progress_pct: 100,
      subjects_processed: SUBJECTS,
      subjects_total: SUBJECTS,
    });
    const [head = '', ...rows] = (await batch.report('csv')).toString().trimEnd().split('\r\n');
    const columns = head.replace('\uFEFF', '').split(',');
    const column = (name: string) => {
      const at = columns.indexOf(name);
      return rows.map((row) => row.split(',')[at] ?? '');
    };
    expect(new Set(column('external_id')).size).toBe(SUBJECTS);
    const hits = column('hits_count').map(Number);
    expect(hits.reduce((sum, count) => sum + count, 0)).toBe(completed.hits_total);
    expect(hits.filter((count) => count > 0).length).toBe(completed.subjects_with_hits);
    await expectProven(product, first, batch);
    expect((await product.interrupt()).code).toBe(0);
  });

  test('is canceled within five seconds, and what was found stays', async () => {
    const product = startProduct(join(newFolder(), 'data'));
    const first = await product.ready();
    await product.cli('tenant', 'set', first.tenant_id, ...RAISED);
    const batch = new Watched(first, await submit(first, 20_000));
    await batch.until(({ subjects_processed }) => subjects_processed > 0);
    const since = performance.now();
    const answer = await ask(first, `/${batch.id}/cancel`, { method: 'POST' });
    expect(answer.status).toBe(200);
    const canceled = await batch.until(({ status }) => status === 'canceled');
    expect(performance.now() - since).toBeLessThan(CANCELED_MS);
    const next = new Watched(first, await submit(first, 1_000));
    await next.completed();
    expect((await batch.see())?.subjects_processed).toBe(canceled.subjects_processed);
    expect((await product.interrupt()).code).toBe(0);
  });
});
