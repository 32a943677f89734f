/**
 * A customer base as a bank sends it: one CSV by the real upload, screened by the real workers
 * against the published lists, to the reports; beside the same lines one by one over HTTP.
 *
 * `batch/csv-…`: lines a second from the answer of 202 until all are screened; `baseline` is what
 * one caller gets who asks for each line and waits for its answer. `batch/growth`: speed of the
 * last tenth of the lines over that of the first. `batch/upload`: MB/s of the upload.
 * `batch/reports`: seconds from the last subject to the completed batch.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { type PublishedList, publishedLists } from './data.ts';
import { cleanName } from './names.ts';
import { type Product, raiseLimits, startProduct } from './product.ts';
import { seededRandom } from './random.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const LINES = { '100k': 100_000, '1m': 1_000_000, '5m': 10_000_000, lists: 100_000 } as const;
const SMOKE_LINES = 300;
const POLL_MS = 250;
const NATIONS = ['TN', 'FR', 'DE', 'MA', 'US', 'GB', 'IT', 'DZ', 'TR', 'LB'];
const TENTHS = 10;

export async function batchRunRows(options: BenchOptions): Promise<BenchRow[]> {
  const lines = options.smoke ? SMOKE_LINES : LINES[options.size];
  const folder = await mkdtemp(join(tmpdir(), 'compliance-bench-batch-'));
  const product = await startProduct();
  try {
    await raiseLimits(product);
    const lists = options.smoke ? [] : await publishedLists();
    for (const { file, source } of lists)
      await product.cli('list', 'import', '--source', source, '--file', file);
    const file = await writeCustomers(folder, lines);
    const data = dataOf(lines, lists);
    const codes = lists.map(({ source }) => source);
    const run = await runBatch(product, { codes, file, lines });
    const alone = await oneByOne(product, { codes, count: options.smoke ? 20 : 500 });
    return rowsOf({ alone, data, run, size: options.size });
  } finally {
    await product.stop();
    await rm(folder, { force: true, recursive: true });
  }
}

interface Run {
  readonly uploadSeconds: number;
  readonly uploadBytes: number;
  /** At which each tenth of the lines was done, from the answer of 202 on. */
  readonly tenths: readonly number[];
  readonly reportSeconds: number;
  readonly linesPerSecond: number;
  readonly gatewayMb: number;
  readonly workerMb: number;
  readonly hits: number;
  readonly reportsDigest: string;
}

interface Progress {
  readonly status: string;
  readonly subjects_processed: number;
  readonly subjects_total: number;
  readonly hits_total: number;
  readonly failure: unknown;
}

export async function runBatch(
  product: Product,
  ask: {
    readonly codes: readonly string[];
    readonly file: string;
    readonly lines: number;
    /** Between two looks at its progress and at memory, which take this process's time. */
    readonly pollMs?: number;
    readonly onAccepted?: () => void;
  },
): Promise<Run> {
  const form = new FormData();
  form.set('name', 'customers');
  if (ask.codes.length > 0) form.set('lists', ask.codes.join(','));
  const blob = await openAsBlob(ask.file);
  form.set('file', blob, 'customers.csv.gz');
  const startedAt = performance.now();
  const created = await fetch(`${product.origin}/v1/aml/batches/csv`, {
    body: form,
    headers: { 'idempotency-key': randomUUID(), 'x-api-key': product.apiKey },
    method: 'POST',
  });
  if (created.status !== 202) throw new Error(`upload: ${created.status} ${await created.text()}`);
  const acceptedAt = performance.now();
  ask.onAccepted?.();
  const { batch_id } = (await created.json()) as { batch_id: string };
  const tenths: number[] = [];
  let screenedAt = 0;
  const most = { gateway: 0, worker: 0 };
  for (;;) {
    const found = await progressOf(product, batch_id);
    const seconds = (performance.now() - acceptedAt) / 1e3;
    const memory = await product.memoryByRole();
    most.gateway = Math.max(most.gateway, memory.gateway);
    most.worker = Math.max(most.worker, memory.worker);
    while (
      tenths.length < TENTHS &&
      found.subjects_processed >= ((tenths.length + 1) * ask.lines) / TENTHS
    ) {
      tenths.push(seconds);
      if (ask.lines > LINES['100k']) sayTenth(tenths, memory);
    }
    if (screenedAt === 0 && found.subjects_processed === ask.lines) screenedAt = seconds;
    if (found.status === 'completed') {
      return {
        gatewayMb: most.gateway,
        hits: found.hits_total,
        linesPerSecond: ask.lines / screenedAt,
        reportSeconds: seconds - screenedAt,
        reportsDigest: await digestOfReport(product, batch_id),
        tenths,
        uploadBytes: blob.size,
        uploadSeconds: (acceptedAt - startedAt) / 1e3,
        workerMb: most.worker,
      };
    }
    if (found.failure !== null) throw new Error(`batch: ${JSON.stringify(found.failure)}`);
    await new Promise((resolve) => setTimeout(resolve, ask.pollMs ?? POLL_MS));
  }
}

function sayTenth(
  tenths: readonly number[],
  memory: { readonly gateway: number; readonly worker: number },
): void {
  const [gateway, worker] = [memory.gateway, memory.worker].map(Math.round);
  const done = `${tenths.length}/${TENTHS} after ${tenths.at(-1)?.toFixed(1)} s`;
  console.warn(`batch: ${done}, gateway ${gateway} MB, worker ${worker} MB`);
}

async function progressOf(product: Product, id: string): Promise<Progress> {
  const response = await fetch(`${product.origin}/v1/aml/batches/${id}`, {
    headers: { 'x-api-key': product.apiKey },
  });
  return (await response.json()) as Progress;
}

async function digestOfReport(product: Product, id: string): Promise<string> {
  const response = await fetch(`${product.origin}/v1/aml/batches/${id}/report?format=csv`, {
    headers: { 'x-api-key': product.apiKey },
  });
  const hash = createHash('sha256');
  for await (const piece of response.body ?? []) hash.update(piece);
  return hash.digest('hex').slice(0, 16);
}

/** Milliseconds a line of one caller that waits for each answer. */
async function oneByOne(
  product: Product,
  { codes, count }: { readonly codes: readonly string[]; readonly count: number },
): Promise<number> {
  const customers = customersOf(count * 2);
  const ask = async (): Promise<void> => {
    const { value } = customers.next();
    if (value === undefined) throw new Error('too few customers');
    const { dob, name, nationality } = value;
    const subject = { dob, full_name: name, nationality };
    const response = await fetch(`${product.origin}/v1/aml/screen`, {
      body: JSON.stringify({ subject, ...(codes.length > 0 && { lists: codes }) }),
      headers: {
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        'x-api-key': product.apiKey,
      },
      method: 'POST',
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`screening: ${response.status}`);
  };
  for (let at = 0; at < count; at++) await ask(); // compiled by then
  const startedAt = performance.now();
  for (let at = 0; at < count; at++) await ask();
  return (performance.now() - startedAt) / count;
}

interface Customer {
  readonly id: string;
  readonly name: string;
  readonly dob: string;
  readonly nationality: string;
}

export function* customersOf(count: number): Generator<Customer, undefined> {
  const random = seededRandom(20_261_121);
  const two = (value: number): string => String(value).padStart(2, '0');
  for (let at = 0; at < count; at++) {
    const year = 1935 + Math.floor(random() * 70);
    const month = two(1 + Math.floor(random() * 12));
    yield {
      dob: `${year}-${month}-${two(1 + Math.floor(random() * 28))}`,
      id: `C-${10_000_000 + at}`,
      name: cleanName(random).replaceAll(/[",]/g, ' '),
      nationality: NATIONS[Math.floor(random() * NATIONS.length)] ?? 'TN',
    };
  }
  return undefined;
}

/** Gzipped: the path of the file. */
export async function writeCustomers(folder: string, lines: number): Promise<string> {
  const path = join(folder, 'customers.csv.gz');
  const file = await open(path, 'w');
  const gzip = createGzip({ level: 1 });
  const written = gzip.pipe(file.createWriteStream());
  const write = async (text: string): Promise<void> => {
    if (!gzip.write(text)) await once(gzip, 'drain');
  };
  await write('external_id,full_name,dob,nationality,country_residence,type\n');
  let text = '';
  for (const { dob, id, name, nationality } of customersOf(lines)) {
    text += `${id},${name},${dob},${nationality},TN,individual\n`;
    if (text.length < 65_536) continue;
    await write(text);
    text = '';
  }
  gzip.end(text);
  await once(written, 'close');
  return path;
}

function dataOf(lines: number, lists: readonly PublishedList[]): string {
  const against =
    lists.length === 0 ? 'the shipped list' : lists.map(({ source }) => source).join(', ');
  return `${lines.toLocaleString('en')} lines against ${against}`;
}

function rowsOf(of: {
  readonly run: Run;
  readonly alone: number;
  readonly data: string;
  readonly size: BenchOptions['size'];
}): BenchRow[] {
  const { alone, data, run, size } = of;
  const common = { data, size, suite: 'batch' };
  const [first = 0, ...rest] = run.tenths;
  const last = (run.tenths.at(-1) ?? 0) - (rest.at(-2) ?? 0);
  const megabytes = run.uploadBytes / 2 ** 20;
  return [
    {
      ...common,
      baseline: 1e3 / alone,
      baseline_name: 'one by one over HTTP',
      checksum: run.reportsDigest,
      id: `batch/csv-${size === 'lists' ? '100k' : size}`,
      memory_mb: run.workerMb,
      ours: run.linesPerSecond,
      ratio: (run.linesPerSecond * alone) / 1e3,
      unit: 'lines/s to their results',
    },
    {
      ...common,
      id: 'batch/growth',
      ours: last > 0 ? first / last : 1,
      unit: 'speed of the last tenth over the first',
    },
    { ...common, id: 'batch/hits', ours: run.hits, unit: 'hits' },
    {
      ...common,
      id: 'batch/reports',
      ours: run.reportSeconds,
      unit: 's from last line to reports',
    },
    {
      ...common,
      id: 'batch/upload',
      memory_mb: run.gatewayMb,
      ours: megabytes / run.uploadSeconds,
      unit: 'MB/s packed',
    },
  ];
}
