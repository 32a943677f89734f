/**
 * POST /v1/aml/transactions/ingest as a bank sends it: a hundred payments a request, two parties
 * each, all of them screened, the answer with what is advised. Rows by how many of the parties were
 * seen before.
 *
 * Goal: 2,500 transactions a second where 95 % of the parties are known, p99 at most 35 ms, on two
 * cores that the load generator shares. The baseline is the same load where nobody is known: what
 * it would cost without remembering.
 */
import { randomUUID } from 'node:crypto';
import { publishedLists } from './data.ts';
import { cleanName } from './names.ts';
import { type Product, raiseLimits, startProduct } from './product.ts';
import { seededRandom } from './random.ts';
import type { BenchRow } from './row.ts';

const IN_ONE = 100;
const CONNECTIONS = 4;
const KNOWN_NAMES = 4_000;
const SHARES = [0, 0.5, 0.95, 0.99] as const;

interface Load {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** @param seconds of each row */
export async function ingestRows(seconds: number): Promise<BenchRow[]> {
  const product = await startProduct();
  try {
    const lists = await publishedLists();
    for (const { file, source } of lists) {
      await product.cli('list', 'import', '--source', source, '--file', file);
    }
    await raiseLimits(product);
    await product.cli(
      'tenant',
      'set',
      product.tenantId,
      'limits.transactions_per_second=1000000',
      'limits.transactions_burst=1000000',
    );
    const payments = new Payments();
    // Everybody who is to be known is seen once, and V8 has compiled what runs.
    for (const body of payments.ofAllKnown()) await send(product, body);
    const loads = new Map<number, Load>();
    for (const share of SHARES) loads.set(share, await load(product, { payments, seconds, share }));
    const memoryMb = await product.memoryMb();
    const data = lists.length > 0 ? lists.map(({ source }) => source).join('+') : 'shipped list';
    const cold = loads.get(0);
    return [...loads].flatMap(([share, found]) => rowsOf(share, found, { cold, data, memoryMb }));
  } finally {
    await product.stop();
  }
}

function rowsOf(
  share: number,
  found: Load,
  of: {
    readonly cold: Load | undefined;
    readonly data: string;
    readonly memoryMb: number;
  },
): BenchRow[] {
  const common = {
    data: `${of.data}, ${share * 100} % of the parties known`,
    memory_mb: of.memoryMb,
    p50_ms: found.p50,
    p99_ms: found.p99,
    size: `${IN_ONE} in a request`,
    suite: 'monitoring',
  };
  const against = (ours: number, baseline: number | undefined) =>
    baseline === undefined || share === 0
      ? { ours }
      : { baseline, baseline_name: 'nobody known', ours, ratio: ours / baseline };
  const id = `monitoring/ingest-${share * 100}`;
  return [
    { ...common, ...against(found.perSecond, of.cold?.perSecond), id, unit: 'transactions/s' },
    {
      ...common,
      ...against(found.perCpuSecond, of.cold?.perCpuSecond),
      id: `${id}-cpu`,
      unit: 'transactions/s of CPU, all processes',
    },
  ];
}

async function load(
  product: Product,
  of: { readonly payments: Payments; readonly seconds: number; readonly share: number },
): Promise<Load> {
  const { payments, seconds, share } = of;
  const took: number[] = [];
  const cpuBefore = await product.cpuSeconds();
  const startedAt = performance.now();
  const until = startedAt + seconds * 1e3;
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      const body = payments.body(share);
      const at = performance.now();
      await send(product, body);
      took.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  const wallS = (performance.now() - startedAt) / 1e3;
  const cpuS = (await product.cpuSeconds()) - cpuBefore;
  took.sort((one, other) => one - other);
  const at = (part: number): number => took[Math.floor((took.length - 1) * part)] ?? 0;
  return {
    p50: at(0.5),
    p99: at(0.99),
    perCpuSecond: (took.length * IN_ONE) / cpuS,
    perSecond: (took.length * IN_ONE) / wallS,
  };
}

async function send(product: Product, body: string): Promise<void> {
  const response = await fetch(`${product.origin}/v1/aml/transactions/ingest?format=json_service`, {
    body,
    headers: {
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
      Prefer: 'wait=5',
      'X-API-Key': product.apiKey,
    },
    method: 'POST',
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`ingest answered ${response.status}: ${text}`);
}

class Payments {
  readonly #random = seededRandom(20);
  readonly #known: string[] = [];
  #count = 0;

  constructor() {
    const names = new Set<string>();
    while (names.size < KNOWN_NAMES) names.add(cleanName(this.#random));
    this.#known = [...names];
  }

  *ofAllKnown(): Generator<string> {
    for (let at = 0; at < this.#known.length; at += 2 * IN_ONE) {
      const some = this.#known.slice(at, at + 2 * IN_ONE);
      yield this.#bodyOf((n, side) => some[(2 * n + side) % some.length] ?? '');
    }
  }

  body(share: number): string {
    return this.#bodyOf(() => {
      const isKnown = this.#random() < share;
      const at = Math.floor(this.#random() * this.#known.length);
      const known = this.#known[at] ?? '';
      return isKnown ? known : `${cleanName(this.#random)} ${this.#count.toString(36)}`;
    });
  }

  #bodyOf(nameOf: (n: number, side: 0 | 1) => string): string {
    const transactions = Array.from({ length: IN_ONE }, (_, n) => {
      this.#count += 1;
      return {
        account_id: `A-${this.#count % 5_000}`,
        amount: `${(this.#count % 900) + 1}.00`,
        channel: 'wire',
        creditor: { name: nameOf(n, 0) },
        currency: 'EUR',
        debtor: { name: nameOf(n, 1) },
        direction: 'debit',
        occurred_at: '2026-03-05T10:00:00Z',
        tx_id: `B-${this.#count}`,
      };
    });
    return JSON.stringify({ transactions });
  }
}
