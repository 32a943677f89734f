/**
 * Customers in the running product: registered by a CSV, screened by themselves, and then walked
 * past versions of a list of which 300, and 10,000, entries have changed. The time of a run is that
 * between its beginning and its end as the product tells them; the processor's is of all processes.
 * The first walk reads the register from its beginning, the later ones the leaves of the last.
 *
 *   --count N   customers (100,000)
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { customersOf } from './batchRun.ts';
import { syntheticEntity } from './names.ts';
import { type Product, raiseLimits, startProduct } from './product.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const SUITE = 'customers';
const SIZES = {
  smoke: { changed: [5, 20], customers: 200, entities: 400 },
  whole: { changed: [300, 10_000], customers: 100_000, entities: 50_000 },
};
const SOURCE = 'DEMO';
const LOOK_MS = 500;
const CATEGORIES = ['SAN', 'PEP', 'SI'];
/** Another list of the same ids: whoever has its entry has changed. */
const CHANGED_SEED = 77;

interface Run {
  readonly run_id: string;
  readonly mode: string;
  readonly status: string;
  readonly failure: string | null;
  readonly list_version: string;
  readonly customers: number;
  readonly screened: number;
  readonly found: number;
  readonly started_at: string;
  readonly ended_at: string | null;
}

export async function rows({ count, smoke }: BenchOptions): Promise<BenchRow[]> {
  const { changed, customers, entities } = SIZES[smoke ? 'smoke' : 'whole'];
  const total = count ?? customers;
  const folder = await mkdtemp(join(tmpdir(), 'bench-customers-'));
  const product = await startProduct();
  try {
    await raiseLimits(product);
    const list = new Versions(product, folder, entities);
    await list.publish(0);
    const file = join(folder, 'customers.csv');
    await writeCsv(file, total);
    const { tenantId } = product;
    let seconds = 0;
    const add = async (): Promise<void> => {
      const startedAt = performance.now();
      await product.cli('monitor', 'add', '--tenant', tenantId, '--file', file);
      seconds = (performance.now() - startedAt) / 1e3;
    };
    const [many, listed] = [total, entities].map((count) => count.toLocaleString('en'));
    const data = `${many} customers, ${listed} entities`;
    const head = { data, size: `${total}`, suite: SUITE, unit: 'customers/s' };
    const first = await measured(product, add, 'new');
    const found: BenchRow[] = [
      { ...head, id: 'customers/added', ours: total / seconds },
      { ...head, ...rowOf(first), id: 'customers/screened-by-himself' },
    ];
    // The first walk is by the register: the next ones are what every day costs.
    await measured(product, () => list.publish(1), 'delta');
    for (const many of changed) {
      const run = await measured(product, () => list.publish(many), 'delta');
      found.push({ ...head, ...rowOf(run), id: `customers/walked-past-${many}` });
    }
    return found;
  } finally {
    await product.stop();
    await rm(folder, { force: true, recursive: true });
  }
}

interface Measured {
  readonly runs: readonly Run[];
  readonly cpuSeconds: number;
  readonly workerMb: number;
}

function rowOf({ cpuSeconds, runs, workerMb }: Measured) {
  const sum = (of: (run: Run) => number): number => runs.reduce((all, run) => all + of(run), 0);
  const walked = sum(({ customers }) => customers);
  const seconds = sum((run) => (Date.parse(run.ended_at ?? '') - Date.parse(run.started_at)) / 1e3);
  const load = (loadavg()[0] ?? 0).toFixed(1);
  return {
    also: { 'customers/CPU-s': walked / cpuSeconds },
    checksum:
      `${sum(({ screened }) => screened)} screened, ${sum(({ found }) => found)} found; ` +
      `${seconds.toFixed(1)} s; load ${load}`,
    memory_mb: workerMb,
    ours: walked / seconds,
  };
}

/** Runs of a mode that end after `begin`, until nothing is behind any more. */
async function measured(
  product: Product,
  begin: () => Promise<unknown>,
  mode: string,
): Promise<Measured> {
  const before = new Set((await stateOf(product)).runs.map(({ run_id }) => run_id));
  const cpuBefore = await product.cpuSeconds();
  await begin();
  let workerMb = 0;
  for (;;) {
    const { runs } = await stateOf(product);
    workerMb = Math.max(workerMb, (await product.memoryByRole()).worker);
    const failed = runs.find(({ status }) => status === 'failed');
    assert.equal(failed, undefined, JSON.stringify(failed));
    const own = runs.filter((run) => run.mode === mode && !before.has(run.run_id));
    if (own.length > 0 && runs.every(({ ended_at }) => ended_at !== null)) {
      return { cpuSeconds: (await product.cpuSeconds()) - cpuBefore, runs: own, workerMb };
    }
    await delay(LOOK_MS);
  }
}

async function stateOf({ apiKey, origin }: Product): Promise<{ readonly runs: readonly Run[] }> {
  const answer = await fetch(`${origin}/v1/sanctions/rescreening`, {
    headers: { 'X-API-Key': apiKey },
  });
  const text = await answer.text();
  assert(answer.ok, text);
  return JSON.parse(text);
}

async function writeCsv(path: string, count: number): Promise<void> {
  const lines = function* () {
    yield 'external_id,full_name,dob,nationality,country_residence,type\n';
    for (const { dob, id, name, nationality } of customersOf(count)) {
      yield `${id},${name},${dob},${nationality},TN,individual\n`;
    }
  };
  await writeLines(path, lines());
}

async function writeLines(path: string, lines: Iterable<string>): Promise<void> {
  const file = createWriteStream(path);
  for (const line of lines) if (!file.write(line)) await once(file, 'drain');
  file.end();
  await once(file, 'close');
}

/** Versions of one list, of which each differs from the one before by so many entries. */
class Versions {
  readonly #product: Product;
  readonly #folder: string;
  readonly #count: number;
  /** Entries up to this one are those of the other list. */
  #through = 0;
  #day = 0;

  constructor(product: Product, folder: string, count: number) {
    this.#product = product;
    this.#folder = folder;
    this.#count = count;
  }

  async publish(changed: number): Promise<void> {
    this.#through += changed;
    assert(this.#through <= this.#count, 'there are as many entries to change');
    this.#day += 1;
    const file = join(this.#folder, `list-${this.#day}.jsonl`);
    await writeLines(file, this.#lines());
    await this.#product.cli(
      ...['list', 'import', '--source', SOURCE, '--file', file, '--allow-shrink'],
    );
    await rm(file);
  }

  *#lines(): Generator<string> {
    const head = {
      $schema: 'urn:compliance-platform:list-format:v1',
      entity_count: this.#count,
      release_date: `2026-02-${String(this.#day).padStart(2, '0')}`,
      source: SOURCE,
    };
    yield `${JSON.stringify(head)}\n`;
    for (let at = 0; at < this.#count; at++) yield `${JSON.stringify(this.#entity(at))}\n`;
  }

  #entity(at: number): object {
    const { datesOfBirth, id, names, nationalities, schema } = syntheticEntity(
      at,
      at < this.#through ? CHANGED_SEED : 1,
    );
    const [primary = '', ...akas] = names;
    return {
      akas,
      categories: [CATEGORIES[at % CATEGORIES.length]],
      citizenships: nationalities,
      dates_of_birth: datesOfBirth,
      ftm_id: id,
      primary_name: primary,
      schema: schema === 'Other' ? 'Organization' : schema,
    };
  }
}
