/**
 * A batch as its tenant and an auditor go through it: a list is imported, a file is sent, hits are
 * reviewed, reports fetched, evidence verified. The same steps whatever the installation stands on.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { RAISED } from './load.ts';
import { cliElsewhere, type FirstRun, newFolder, type Product } from './product.ts';

const UNTIL = { interval: 100, timeout: 240_000 };
const GIVEN = ['Anne', 'Boris', 'Carla', 'Dieter', 'Elena', 'Farid', 'Gisela', 'Hugo'];
const LISTED_EVERY = 10;
const CHUNK_SUBJECTS = 1_000;
const SHIPPED = join(import.meta.dirname, '../../config/demo/entities.jsonl');
/** On the imported list, and not on the one that is shipped. */
const NEWCOMER = {
  categories: ['SAN'],
  ftm_id: 'demo-p-9001',
  primary_name: 'Oskeld Varrunimar',
  schema: 'Person',
};

export interface Seen {
  readonly status: string;
  readonly progress_pct: number;
  readonly subjects_processed: number;
  readonly subjects_total: number;
  readonly subjects_with_hits: number;
  readonly hits_total: number;
  readonly report_csv_url: string | null;
}

interface Hit {
  readonly hit_id: string;
  readonly record_id: string;
  readonly decision: string;
  readonly notes: string | null;
}

/** An installation whose tenant may ask without end, with an edition of our own in force. */
export async function prepare(product: Product): Promise<FirstRun> {
  const first = await product.ready();
  await product.cli('tenant', 'set', first.tenant_id, ...RAISED);
  const [header = '', ...entities] = readFileSync(SHIPPED, 'utf8').trimEnd().split('\n');
  const shipped = JSON.parse(header);
  const next = {
    ...shipped,
    entity_count: shipped.entity_count + 1,
    release_date: '2026-02-01',
  };
  const file = join(newFolder(), 'edition.jsonl');
  const lines = [JSON.stringify(next), ...entities, JSON.stringify(NEWCOMER)];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const imported = await product.cli('list', 'import', '--source', shipped.source, '--file', file);
  expect([imported.code, imported.stdout]).toEqual([0, expect.stringContaining('is in force')]);
  return first;
}

/** Every tenth is on the imported list, and c-20 is one of them. */
function csvOf(subjects: number): string {
  const rows = Array.from({ length: subjects }, (_, place) => {
    const other = `${GIVEN[place % GIVEN.length]} Qv${place}`;
    return `c-${place},${place % LISTED_EVERY === 0 ? NEWCOMER.primary_name : other}\n`;
  });
  return `external_id,full_name\n${rows.join('')}`;
}

export async function submit(first: FirstRun, subjects: number): Promise<Watched> {
  const form = new FormData();
  form.append('name', 'portfolio');
  form.append('file', new Blob([csvOf(subjects)]), 'customers.csv');
  const response = await ask(first, '/csv', { body: form, method: 'POST' });
  expect(response.status).toBe(202);
  const { batch_id } = (await response.json()) as { batch_id: string };
  return new Watched(first, batch_id);
}

export const ask = (
  { api_key, base_url }: FirstRun,
  path: string,
  { headers, ...init }: RequestInit & { readonly headers?: Record<string, string> } = {},
): Promise<Response> =>
  fetch(`${base_url}/aml/batches${path}`, {
    ...init,
    headers: { 'Idempotency-Key': crypto.randomUUID(), 'X-API-Key': api_key, ...headers },
  });

/** A batch as its tenant watches it: progress never goes back, whatever is started anew. */
export class Watched {
  readonly id: string;
  readonly first: FirstRun;
  #last: Seen | undefined;

  constructor(first: FirstRun, id: string) {
    this.first = first;
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
    const response = await this.ask('').catch(() => undefined);
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

  ask(path: string, init: Parameters<typeof ask>[2] = {}): Promise<Response> {
    return ask(this.first, `/${this.id}${path}`, init);
  }

  async report(format: string, range?: string): Promise<{ bytes: Buffer; sha256: string }> {
    const headers = range === undefined ? {} : { Range: `bytes=${range}` };
    const response = await this.ask(`/report?format=${format}`, { headers });
    expect(response.status).toBe(range === undefined ? 200 : 206);
    const sha256 = response.headers.get('etag')?.replaceAll('"', '') ?? '';
    return { bytes: Buffer.from(await response.arrayBuffer()), sha256 };
  }

  async hits(query: string): Promise<{ data: Hit[]; next_cursor: string | null }> {
    const response = await this.ask(`/hits?${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as { data: Hit[]; next_cursor: string | null };
  }
}

/** Every subject once, and the counters as they are counted in its report. */
export async function expectWhole(batch: Watched, subjects: number): Promise<void> {
  const completed = await batch.completed();
  expect(completed).toMatchObject({
    progress_pct: 100,
    subjects_processed: subjects,
    subjects_total: subjects,
    subjects_with_hits: subjects / LISTED_EVERY,
  });
  const { bytes } = await batch.report('csv');
  const [head = '', ...rows] = bytes.toString().trimEnd().split('\r\n');
  const columns = head.replace('\uFEFF', '').split(',');
  const column = (name: string) => {
    const at = columns.indexOf(name);
    return rows.map((row) => row.split(',')[at] ?? '');
  };
  expect(new Set(column('external_id')).size).toBe(subjects);
  const hits = column('hits_count').map(Number);
  expect(hits.reduce((sum, count) => sum + count, 0)).toBe(completed.hits_total);
  expect(hits.filter((count) => count > 0).length).toBe(completed.subjects_with_hits);
}

/** Pages of hits follow each other; of two reviewers at once one decides, and may do so anew. */
export async function expectReviewed(batch: Watched): Promise<void> {
  const page = await batch.hits('limit=3');
  const next = await batch.hits(`limit=3&cursor=${page.next_cursor}`);
  const seen = [...page.data, ...next.data];
  expect(new Set(seen.map(({ hit_id }) => hit_id)).size).toBe(6);
  expect(new Set(seen.map(({ record_id }) => record_id))).toEqual(new Set([NEWCOMER.ftm_id]));
  const [hit] = page.data;
  assert(hit !== undefined);
  const path = `/hits/${hit.hit_id}`;
  const decide = (decision: string, condition: Record<string, string> = {}) =>
    batch.ask(path, {
      body: JSON.stringify({ decision, notes: `as ${decision}` }),
      headers: { 'Content-Type': 'application/json', ...condition },
      method: 'PATCH',
    });
  const both = await Promise.all([decide('true_positive'), decide('false_positive')]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const etag = (await batch.ask(path)).headers.get('etag') ?? '';
  const anew = await decide('true_positive', { 'If-Match': etag });
  expect(anew.status).toBe(200);
  expect((await decide('false_positive', { 'If-Match': etag })).status).toBe(412);
  const decided = await batch.hits('decision=true_positive');
  expect(decided.data).toEqual([await anew.json()]);
  const pending = await batch.hits('decision=pending&limit=1');
  expect(pending.data[0]?.hit_id).toBe(page.data[1]?.hit_id);
}

/** The three reports in two parts each, as a download that broke off and went on. */
export async function fetchReports(batch: Watched): Promise<Record<string, string>> {
  const folder = newFolder();
  const files: Record<string, string> = {};
  for (const format of ['csv', 'pdf', 'xlsx']) {
    const head = await batch.report(format, '0-999');
    const tail = await batch.report(format, '1000-');
    const bytes = Buffer.concat([head.bytes, tail.bytes]);
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect([head.bytes.length, head.sha256, tail.sha256]).toEqual([1_000, digest, digest]);
    files[format] = join(folder, `report.${format}`);
    writeFileSync(files[format], bytes);
  }
  return files;
}

/** Reports, the proof of a subject and the whole chain, by who has nothing but the public keys. */
export async function expectProven(product: Product, batch: Watched): Promise<void> {
  const { csv = '', pdf = '', xlsx = '' } = await fetchReports(batch);
  const folder = newFolder();
  const keys = join(folder, 'keys.json');
  const of = ['--tenant', batch.first.tenant_id];
  await product.cli('keys', 'public', '--out', keys);
  const files = ['--file', pdf, '--csv', csv, '--xlsx', xlsx];
  const report = await cliElsewhere('batch', 'verify', ...files, '--keys', keys);
  expect([report.code, report.stderr]).toEqual([0, '']);
  const proof = join(folder, 'proof.json');
  const cut = ['--batch', batch.id, '--subject', 'c-20', '--out', proof];
  await product.cli('batch', 'proof', ...cut, ...of);
  const proven = await cliElsewhere('batch', 'verify', '--file', proof, '--keys', keys);
  expect([proven.code, proven.stderr]).toEqual([0, '']);
  const evidence = join(folder, 'evidence.jsonl');
  await product.cli('audit', 'export', ...of, '--out', evidence);
  const audited = await cliElsewhere('audit', 'verify', '--file', evidence, '--keys', keys);
  expect(audited.stdout).toMatch(/^good: /);
  const screened = readFileSync(evidence, 'utf8').split('"aml.batch.chunk.screened"').length - 1;
  const { subjects_total = 0 } = (await batch.see()) ?? {};
  expect(screened).toBe(Math.ceil(subjects_total / CHUNK_SUBJECTS));
}
